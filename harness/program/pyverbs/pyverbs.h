/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files that print a program as a Python test. A call or a value
 * that pyverbs has no words for is noted, and the test is refused.
 */
#ifndef IBVET_PROGRAM_PYVERBS_H
#define IBVET_PROGRAM_PYVERBS_H

#include "program/repro/repro.h"

struct python {
	const struct program *p;
	FILE *out;
	const struct call *c;	    /* that is printed */
	const struct call *refused; /* the first that cannot be printed */
	char why[160];
	bool uses_port; /* the program is about a port */
	bool alive[PROG_MAX_OBJECTS];
};

#define PY_EXPR_LEN 1024

/* Notes why the call cannot be printed. */
void py_refuse(struct python *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* pyverbs/value.c */
extern const char *const py_enums[NS_NR]; /* NULL: none */
/* Adds a value of the field as a Python expression. */
void py_value(struct python *x, struct text *t, enum field f,
	      const struct value *v);
/* Adds the value that the call sets the field to, or `none`. */
void py_setting(struct python *x, struct text *t, enum field f,
		const char *none);
/* Adds ", VALUE", by default 0. */
void py_argument(struct python *x, struct text *t, enum field f);
/* Adds ", KEY=VALUE" if the call sets the field. */
void py_keyword(struct python *x, struct text *t, const char *key,
		enum field f);
const char *py_object(const struct python *x, unsigned int slot);
bool py_sets(const struct python *x, enum field f);
/* Refuses the call if it sets a field that is none of the n. */
void py_takes(struct python *x, const enum field *fields, size_t n);
#define PY_TAKES(x, ...)                                                       \
	py_takes(x, (const enum field[]){__VA_ARGS__},                         \
		 sizeof((const enum field[]){__VA_ARGS__}) /                   \
			 sizeof(enum field))

/* pyverbs/data.c: requests and completions */
void py_post(struct python *x);
void py_poll(struct python *x);
void py_fill(struct python *x);
void py_read(struct python *x);
/* pyverbs/call.c */
void py_call(struct python *x);
/* Prints one statement, wrapped. */
void py_line(struct python *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints "NAME = EXPR", or EXPR, and checks that it raises what is expected. */
void py_make(struct python *x, const char *name, const char *expr);

#endif

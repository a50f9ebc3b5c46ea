/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The forms in which a program goes to the maintainer of a driver, a kernel or
 * a test suite.
 */
#ifndef IBVET_PROGRAM_FORMS_H
#define IBVET_PROGRAM_FORMS_H

#include "program/program.h"

struct form {
	const char *name; /* of `ibvet repro --as` */
	/* Returns false, with a line that names the call and another form, if
	 * the form cannot express a call. NULL: it expresses each. */
	bool (*can)(const struct program *p, char *err, size_t errlen);
	/* Returns 0 or -errno. */
	int (*print)(const struct program *p, const char *name, FILE *file);
};

/* The first form is the default. The last has no name. */
extern const struct form forms[];

/* Returns NULL if there is no such form. */
const struct form *form_by_name(const char *name);

int prog_export_kselftest(const struct program *p, const char *name,
			  FILE *file);
int prog_export_ltp(const struct program *p, const char *name, FILE *file);
int prog_export_pyverbs(const struct program *p, const char *name, FILE *file);
int prog_export_text(const struct program *p, const char *name, FILE *file);

bool in_tree_can(const struct program *p, char *err, size_t errlen);
bool pyverbs_can(const struct program *p, char *err, size_t errlen);

/* Writes "call 7, "CALL": WHY; use --as FORM". Returns false. */
bool form_refuses(const struct program *p, const struct call *c,
		  const char *why, const char *use, char *err, size_t errlen);

#endif

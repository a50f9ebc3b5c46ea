/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The cases that wait until no other case runs: those that need the device for
 * themselves, and those that failed beside others and run again.
 */
#ifndef IBVET_LATER_H
#define IBVET_LATER_H

#include "run/worker.h"

struct later_case {
	uint64_t number;
	struct test_case c; /* c.program points to `program` */
	struct program program;
	bool lost;  /* the case ran beside others when the machine went down */
	bool again; /* the case has run beside others; `seen` is what it did */
	struct judgement seen;
	struct kernel_log
		*heard; /* the kernel's report at that time, or NULL */
	struct later_case *next;
};

/* A list in the order in which cases were added. */
struct later {
	struct later_case *first, *last;
	unsigned int n;
	bool soon; /* what these cases show alone spares others to run again */
};

/* Adds a case that has not run. Returns false without memory. */
bool later_add(struct later *l, uint64_t number, const struct test_case *c,
	       bool lost);
/* Adds the recorder's case, which failed beside others. */
bool later_add_again(struct later *l, const struct recorder *r,
		     const struct judgement *seen);
/* Removes the first case, which the caller frees with later_free_case(). */
struct later_case *later_take(struct later *l);
void later_free_case(struct later_case *c);
void later_free(struct later *l);

#endif

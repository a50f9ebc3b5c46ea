/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A finding: a program and the verdict that it has on a device each time. The
 * program is shrunk without changing that verdict or its rule.
 */
#ifndef IBVET_FUZZ_FINDING_H
#define IBVET_FUZZ_FINDING_H

#include "fuzz/mutate/waits.h"
#include "supervise/attempt.h"
#include "run/run.h"

struct finding {
	struct attempts *attempts;
	unsigned int repeat; /* runs of a program that have to agree */
	bool strict;	     /* an outcome that is not the best counts, too */
	uint64_t until_us;   /* shrinking ends at this now_us(); 0: no limit */
	struct attempt shown;
	uint64_t tries; /* out: runs of programs on the device */
	bool rehearsed; /* a candidate has to pass on the healthy model */
	bool patient;	/* the waits of a candidate have to be long, see waits.h
			 */
	struct waits waits;
	int failure; /* an error of ibvet itself, -errno */
	char err[RUN_ERROR_LEN];
};

enum finding_is {
	FINDING_STABLE,
	FINDING_NONE,	/* the verdict is no finding; err names it */
	FINDING_FLAKY,	/* runs differ; err says which one */
	FINDING_BROKEN, /* ibvet cannot go on: see failure and err */
};

/* Runs a program, and stores what it shows. If it crashed or hung, all later
 * runs are processes of their own, even on the model. */
enum finding_is finding_establish(struct finding *f, const struct program *p);
/* Makes the program smaller, and describes the finding in its comment. Returns
 * 0, or -errno with err. */
int finding_shrink(struct finding *f, struct program *p);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A finding: a program, and what it shows on a device again and again. It is
 * shrunk there without becoming another finding.
 */
#ifndef IBVET_FUZZ_FINDING_H
#define IBVET_FUZZ_FINDING_H

#include "fuzz/mutate/waits.h"
#include "supervise/attempt.h"
#include "run/run.h"

struct finding {
	struct attempts *attempts;
	unsigned int repeat; /* times that a program is run to be believed */
	bool strict;	     /* what is not the best outcome counts too */
	uint64_t until_us;   /* by now_us(): shrinking ends; 0: when it may */
	struct attempt shown;
	uint64_t tries; /* out: runs of programs on the device */
	bool rehearsed; /* a candidate has to do well on a healthy model */
	bool patient;	/* and to wait long enough for what comes there */
	struct waits waits;
	int failure; /* of ibvet, -errno */
	char err[RUN_ERROR_LEN];
};

enum finding_is {
	FINDING_STABLE,
	FINDING_NONE,	/* nothing that counts; err says what came */
	FINDING_FLAKY,	/* err says which run was different */
	FINDING_BROKEN, /* ibvet cannot go on: failure and err say why */
};

/* Runs a program and keeps in mind what it shows. Where nothing came back of
 * it, what is run from there on is a process of its own, on the model too. */
enum finding_is finding_establish(struct finding *f, const struct program *p);
/* Makes it smaller; it then is about what it shows. 0 or -errno with err. */
int finding_shrink(struct finding *f, struct program *p);

#endif

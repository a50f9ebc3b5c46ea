/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs the steps of a plan on an existing queue pair, one after the other, and
 * judges each call. No program is built in between.
 */
#ifndef IBVET_FUZZ_JUDGE_STEPS_H
#define IBVET_FUZZ_JUDGE_STEPS_H

#include "fuzz/plan/forms.h"

/* The target that steps run on, and the judge of their calls. */
struct step_runner {
	struct target *target;
	struct judge *judge;
	const struct forms *forms;
	const struct program *names; /* names objects in judgements */
	struct judgement *said;	     /* out */
	struct outcome seen;	     /* out: of the last call */
	enum verb verb;		     /* out: that call */
	uint64_t calls;		     /* out: how many were made */
	/* NULL, or where to put the verb of the call under way, or VERB_NR */
	volatile unsigned int *under_way;
	bool timed;
	uint64_t device_ns; /* out: the time that timed calls took */
};

struct plan_progress {
	enum qp_kind kind;
	int guess;	    /* the table's guess at the queue pair's state */
	unsigned int state; /* that state, as calls have shown it */
	bool shows;	    /* a step reached something new, or deviated */
};

uint64_t now_ns(void);
/* Runs one step. Returns false if no step can follow, as after a deviation. */
bool step_run(struct step_runner *runner, struct plan_progress *t,
	      const struct step *step, int index);

#endif

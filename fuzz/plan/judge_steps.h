/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The steps of a plan, made and judged one after the other without a program in
 * between, on a queue pair that is there.
 */
#ifndef IBVET_FUZZ_JUDGE_STEPS_H
#define IBVET_FUZZ_JUDGE_STEPS_H

#include "fuzz/plan/forms.h"

/* Where its calls are made, and who judges them. */
struct step_runner {
	struct target *target;
	struct judge *judge;
	const struct forms *forms;
	const struct program
		*names;		/* of the objects, as the judge calls them */
	struct judgement *said; /* out */
	struct outcome seen;	/* out: of the last call */
	enum verb verb;		/* out: that call */
	uint64_t calls;		/* out: how many were made */
	/* The verb of the call under way, VERB_NR: none; or NULL */
	volatile unsigned int *under_way;
	bool timed;
	uint64_t device_ns; /* out: time that timed calls took */
};

struct plan_progress {
	enum qp_kind kind;
	int guess;	    /* the state that the next step is taken to find */
	unsigned int state; /* and that which it will */
	bool shows;	    /* something new, or a deviation */
};

uint64_t now_ns(void);
/* One step; false: it deviates, and nothing can follow. */
bool step_run(struct step_runner *on, struct plan_progress *t,
	      const struct step *step, int index);

#endif

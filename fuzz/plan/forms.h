/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Steps in the form in which calls are made, without a program in between. It
 * is what the program that plan_build() makes would come to.
 */
#ifndef IBVET_FUZZ_FORMS_H
#define IBVET_FUZZ_FORMS_H

#include "fuzz/plan/steps.h"

/* Of one type of queue pairs: each call once, with everything that it takes. */
struct form {
	/* modify_qp, where the primary and the alternate path lead by a GID
	 * only if the device asks for it, or in any case */
	struct bound modify[2][2];
	struct bound query, drained, error;
	bool drains; /* the device is waited for at all */
	bool made;
};

/* Bytes of struct qp_attr_args that belong to an attribute, and perhaps to
 * nothing. */
struct span {
	uint16_t first, end;
};
#define FORM_SPANS 64

struct forms {
	struct stepper *s;
	/* Attribute n has those from span_of[n] to span_of[n + 1]. */
	uint8_t span_of[33];
	struct span span[FORM_SPANS];
	struct form of[QK_NR];
};

void forms_init(struct forms *f, struct stepper *s);
/* Makes those of a type, of which a queue pair was made: `p` ends with that
 * call, and these are its results. False where they cannot be. */
bool forms_make(struct forms *f, enum qp_kind kind,
		const struct prog_results *r);
/* The call that a step is which finds `state`; false: it is none. */
bool forms_bind_step(const struct forms *f, enum qp_kind kind,
		     const struct step *step, int state, struct bound *b);

#endif

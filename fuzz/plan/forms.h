/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Turns a step of a plan into a call that a target can make, without building a
 * program in between. The call is the one that the program of plan_build()
 * would make.
 */
#ifndef IBVET_FUZZ_FORMS_H
#define IBVET_FUZZ_FORMS_H

#include "fuzz/plan/steps.h"

/* The calls that steps on one type of queue pair make, with every argument
 * filled in. */
struct form {
	/* modify_qp; the indexes say whether the primary and the alternate
	 * path have a GID although the device does not ask for one */
	struct bound modify[2][2];
	struct bound query, drained, error;
	bool drains; /* STEP_DRAINED is a call on this device */
	bool made;
};

/* Bytes of struct qp_attr_args that belong to one attribute. Padding that no
 * attribute owns may be among them. */
struct span {
	uint16_t first, end;
};
#define FORM_SPANS 64

struct forms {
	struct stepper *s;
	/* Attribute n owns the spans from span_of[n] to span_of[n + 1]. */
	uint8_t span_of[33];
	struct span span[FORM_SPANS];
	struct form of[QK_NR];
};

void forms_init(struct forms *f, struct stepper *s);
/* Makes the calls of a type. The stepper's program ends with the creation of a
 * queue pair of that type, and `r` holds its results. Returns false if a call
 * cannot be made. */
bool forms_make(struct forms *f, enum qp_kind kind,
		const struct prog_results *r);
/* Makes the call of a step on a queue pair that is in `state`. Returns false if
 * the step is no call on this device. */
bool forms_bind_step(const struct forms *f, enum qp_kind kind,
		     const struct step *step, int state, struct bound *b);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Programs about one queue pair: made with what it needs, then modified and
 * queried. Mutations always give such a program again.
 */
#ifndef IBVET_FUZZ_STEPS_H
#define IBVET_FUZZ_STEPS_H

#include "fuzz/fuzz.h"
#include "run/gen.h"

#define MAX_STEPS 16

/* Where programs are built: for one device, at the will of chance. */
struct stepper {
	struct gen gen;
	struct selection selection;
	struct chance chance;
	struct program program; /* the last one built */
};

void stepper_init(struct stepper *s, const struct device_info *d);
/* Builds a program like `from`, one thing of which is different. What is not
 * a program about one queue pair gives a new one. */
void steps_mutate(struct stepper *s, const struct program *from);
/* The beginning of one and the end of the other. */
void steps_cross(struct stepper *s, const struct program *head,
		 const struct program *tail);

#endif

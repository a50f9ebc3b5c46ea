/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inputs of the fuzz target `modify` as plans.
 */
#ifndef IBVET_FUZZ_PLAN_INPUTS_H
#define IBVET_FUZZ_PLAN_INPUTS_H

#include "fuzz/plan/steps.h"

/* What the text says, until the next call; NULL when it is no program. All
 * calls have the same device. */
const struct plan *plan_of_input(struct stepper *s, const uint8_t *data,
				 size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads inputs of the libFuzzer target `modify` as plans.
 */
#ifndef IBVET_FUZZ_PLAN_INPUTS_H
#define IBVET_FUZZ_PLAN_INPUTS_H

#include "fuzz/plan/steps.h"

/* Returns the plan of a text, or NULL if the text is no program. The plan is
 * valid until the next call. All calls must be for the same device. */
const struct plan *plan_of_input(struct stepper *s, const uint8_t *data,
				 size_t size);

#endif

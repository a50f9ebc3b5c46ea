/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Compares an outcome with an answer, and says where they differ.
 */
#ifndef IBVET_COMPARE_H
#define IBVET_COMPARE_H

#include "judge/judge.h"

bool outcome_matches(enum verb verb, const struct answer *a,
		     const struct outcome *seen);
/* Returns how far the outcome agrees with the answer: 0 if the return values
 * differ. */
unsigned int outcome_agreement(enum verb verb, const struct answer *a,
			       const struct outcome *seen);
/* Fills row, expected and observed of the judgement. */
void compare_describe(const struct program *p, const struct bound *b,
		      const struct answer *a, const struct outcome *seen,
		      struct judgement *out);

/* Compares a field that the program itself expects; fills the judgement and
 * returns false if the field differs. */
bool compare_field(const struct program *p, enum field f, const void *want,
		   const void *seen, struct judgement *out);
/* Returns true if the verb never returns that, whatever the device is. */
bool compare_breaks_convention(enum verb verb, const struct outcome *seen);
/* Returns true if the output still holds the poison from before the call. */
bool compare_is_poisoned(enum field f, const void *args);

#endif

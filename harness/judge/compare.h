/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * An outcome beside an answer: do they agree, and if not, in what.
 */
#ifndef IBVET_COMPARE_H
#define IBVET_COMPARE_H

#include "judge/judge.h"

bool outcome_matches(enum verb verb, const struct answer *a,
		     const struct outcome *seen);
/* How far they agree: 0 where not even in what is returned. */
unsigned int outcome_agreement(enum verb verb, const struct answer *a,
			       const struct outcome *seen);
/* Fills row, expected and observed. */
void compare_describe(const struct program *p, const struct bound *b,
		      const struct answer *a, const struct outcome *seen,
		      struct judgement *out);

/* One field that the program itself expects. */
bool compare_field(const struct program *p, enum field f, const void *want,
		   const void *seen, struct judgement *out);
/* Is every byte of an output as it was before the call? */
bool compare_is_poisoned(enum field f, const void *args);

#endif

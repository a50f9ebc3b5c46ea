/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Gives calls the values of a generated case's call, which fit each other.
 */
#ifndef IBVET_FUZZ_LIKE_CASE_H
#define IBVET_FUZZ_LIKE_CASE_H

#include "fuzz/mutate/change.h"

/* Gives a call of c->made the values of a sample of its verb, over objects that
 * earlier calls make. Returns the sample, or NULL if there is none and the call
 * is unchanged. */
const struct sample *like_case(struct changer *c, unsigned int call);
/* Gives the other calls the values of calls of the same case. */
void like_same_case(struct changer *c, unsigned int call,
		    const struct sample *as);

#endif

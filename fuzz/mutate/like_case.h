/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Values that fit each other: those that a call of a generated case was given.
 */
#ifndef IBVET_FUZZ_LIKE_CASE_H
#define IBVET_FUZZ_LIKE_CASE_H

#include "fuzz/mutate/change.h"

/* Gives a call of what is being made what one of its verb was given, over
 * objects that are made above it: a sample, which is returned. NULL: none is
 * known, and it stays as it is. */
const struct sample *like_case(struct changer *c, unsigned int call);
/* Gives the other calls what calls of the same case were given. */
void like_same_case(struct changer *c, unsigned int call,
		    const struct sample *as);

#endif

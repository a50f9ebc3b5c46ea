/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Values that fit each other: those that a call of a generated case was given.
 */
#ifndef IBVET_FUZZ_LIKE_CASE_H
#define IBVET_FUZZ_LIKE_CASE_H

#include "fuzz/change.h"

/* Gives a call of what is being made what one of its verb was given, over
 * objects that are made above it; none is known: it stays as it is. */
void like_case(struct changer *c, unsigned int call);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds incomplete calls: calls that lack an object which a provider
 * dereferences without a check, and requests for operations that their queue
 * pair was not created for. No contract defines their outcome.
 */
#ifndef IBVET_FUZZ_COMPLETE_H
#define IBVET_FUZZ_COMPLETE_H

#include "program/program.h"

bool call_is_complete(const struct program *p, unsigned int call);
unsigned int calls_incomplete(const struct program *p);
/* Returns the first incomplete call, or the number of calls if there is none.
 */
unsigned int first_incomplete(const struct program *p);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls that lack an object which a provider looks into without asking whether
 * it is there, and requests of operations that their queue pair was not made
 * for. What comes of them no contract says.
 */
#ifndef IBVET_FUZZ_COMPLETE_H
#define IBVET_FUZZ_COMPLETE_H

#include "program/program.h"

bool call_is_complete(const struct program *p, unsigned int call);
unsigned int calls_incomplete(const struct program *p);
/* The first of them; the number of calls where there is none. */
unsigned int first_incomplete(const struct program *p);

#endif

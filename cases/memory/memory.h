/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Generators about regions that only the list of generators calls.
 */
#ifndef IBVET_CASES_MEMORY_MEMORY_H
#define IBVET_CASES_MEMORY_MEMORY_H

#include "cases/generate/generate.h"

/* Flags of regions beside the rights that a request needs. */
void gen_memory_rights(struct gen *g, enum qp_kind kind);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Generators about regions that few others call.
 */
#ifndef IBVET_CASES_MEMORY_MEMORY_H
#define IBVET_CASES_MEMORY_MEMORY_H

#include "cases/generate/generate.h"

struct opcode;

/* Returns true if the device says that an end of an operation may be in memory
 * that is registered ON_DEMAND: the requester's, or that of receives. */
bool on_demand_offers(const struct gen *g, enum qp_kind kind,
		      const struct opcode *op, bool receives);
/* Traffic after a prefetch. */
void gen_memory_advised(struct gen *g, enum qp_kind kind);

/* Flags of regions beside the rights that a request needs. */
void gen_memory_rights(struct gen *g, enum qp_kind kind);
/* A part of gen_create_thread_domain(): memory of a protection domain and queue
 * pairs of its parent domain, and the other way round. */
void gen_memory_parent_domain(struct gen *g, enum qp_kind kind);

#endif

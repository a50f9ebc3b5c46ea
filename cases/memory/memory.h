/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Generators about regions that few others call.
 */
#ifndef IBVET_CASES_MEMORY_MEMORY_H
#define IBVET_CASES_MEMORY_MEMORY_H

#include "cases/generate/generate.h"

/* Flags of regions beside the rights that a request needs. */
void gen_memory_rights(struct gen *g, enum qp_kind kind);
/* A part of gen_create_thread_domain(): memory of a protection domain and queue
 * pairs of its parent domain, and the other way round. */
void gen_memory_parent_domain(struct gen *g, enum qp_kind kind);

#endif

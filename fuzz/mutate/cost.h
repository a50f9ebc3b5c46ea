/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Limits what a randomly changed program may cost: the time that it waits, and
 * the memory of its completion queues and regions.
 */
#ifndef IBVET_FUZZ_COST_H
#define IBVET_FUZZ_COST_H

#include "program/program.h"

/* All waits of a program together. It is less than the default of --timeout,
 * after which a worker counts as hung. */
#define COST_WAIT_MS 9000

/* The cost that the rest of a program may have. */
struct budget {
	int64_t wait_ms;
	uint64_t bytes;
};

struct budget budget_new(void);
/* Takes the cost of a call from the budget. A wait is cut to the time that is
 * left. Returns false if the memory does not suffice. */
bool budget_allows(struct budget *left, struct program *p, unsigned int call);

#endif

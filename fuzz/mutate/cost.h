/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a program that chance has changed may cost: the time that it waits for
 * what does not come, and the memory of its completion queues and regions.
 */
#ifndef IBVET_FUZZ_COST_H
#define IBVET_FUZZ_COST_H

#include "program/program.h"

/* Of all waits of a program, less than the time after which a worker counts as
 * hung. */
#define COST_WAIT_MS 9000

/* What is left for the rest of a program. */
struct budget {
	int64_t wait_ms;
	uint64_t bytes;
};

struct budget budget_new(void);
/* Has the call room in what is left? What it takes is taken, and of its wait
 * what there is. */
bool budget_allows(struct budget *left, struct program *p, unsigned int call);

#endif

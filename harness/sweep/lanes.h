/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The lanes of a sweep: processes that each watch a worker of their own.
 */
#ifndef IBVET_SWEEP_LANES_H
#define IBVET_SWEEP_LANES_H

#include "supervise/child.h"
#include "sweep/map.h"

struct sweep {
	const struct sweep_options *options;
	struct sweep_map map;
	struct watch watch; /* of this process */
	unsigned int lanes;
	uint64_t deadline_us; /* 0: none */
	/* From here to the deadline calls are only made again. 0: none */
	uint64_t walk_until_us;
	void (*tick)(void *arg);
	void *arg;
};

/* Opens the device in a process of its own. The recorder then holds what the
 * device says about itself. Returns 0, or an enum run_exit with one line in the
 * recorder. */
int lanes_probe(struct sweep *s);
/* Makes all calls that are left, until the user or the deadline ends it. */
int lanes_run(struct sweep *s);
/* Prepares a sweep that was cut off to continue. If the machine went down, the
 * calls that were under way are made again in smaller steps, until it is known
 * which call takes the machine down. */
void lanes_recover(struct sweep_map *m);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Workers that make the calls of a sweep, and who watches them.
 */
#ifndef IBVET_SWEEP_LANES_H
#define IBVET_SWEEP_LANES_H

#include "supervise/child.h"
#include "sweep/map.h"

struct sweep {
	const struct sweep_options *options;
	struct sweep_map map;
	struct watch watch; /* of the process that this is */
	unsigned int lanes;
	uint64_t deadline_us; /* 0: none */
	/* What is left then is for what has to be asked again. 0: none */
	uint64_t walk_until_us;
	void (*tick)(void *arg);
	void *arg;
};

/* Opens the device in a process of its own: what it says of itself is then in
 * the recorder. Returns an enum run_exit, with a line in the recorder. */
int lanes_probe(struct sweep *s);
/* Has all calls made that are left, unless the user or the clock ends it. */
int lanes_run(struct sweep *s);
/* After a sweep that was cut off: what the machine went down with is tried
 * again in smaller steps, until it is known which call it was. */
void lanes_recover(struct sweep_map *m);

#endif

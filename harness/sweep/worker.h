/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The worker of a sweep: makes the calls.
 */
#ifndef IBVET_SWEEP_WORKER_H
#define IBVET_SWEEP_WORKER_H

#include "supervise/recorder.h"
#include "sweep/map.h"
#include "sweep/restore.h"

struct sweep_worker {
	struct sweep_map *map;
	struct target *target;
	struct recorder *recorder;
	struct map_lane *lane;
	unsigned int number, lanes; /* it has every lanes-th pair */
	uint64_t deadline_us;	    /* 0: none */
	struct restorer restorer;
};

/* Returns true if the worker is asked to end, or has no time left. */
bool sweep_worker_is_over(const struct sweep_worker *w);
/* sweep_worker_announce() notes the next calls of the lane's cell on disk,
 * before they are made; sweep_worker_conclude() notes the results. Return 0, or
 * -errno with one line in the recorder. */
int sweep_worker_announce(struct sweep_worker *w, uint32_t from, uint32_t to);
int sweep_worker_conclude(struct sweep_worker *w);
/* Reads the kernel log. A report is noted for these calls. */
void sweep_worker_read_kernel_log(struct sweep_worker *w, uint32_t from,
				  uint32_t calls);
/* Makes the calls of all cells of the worker until it is asked to end. Returns
 * 0, or -EIO with one line in the recorder. */
int sweep_worker_run(struct sweep_worker *w);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the calls of a sweep, in the process of a worker.
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
	unsigned int number, lanes; /* every so-manyth pair is its own */
	uint64_t deadline_us;	    /* 0: none */
	struct restorer restorer;
};

/* Is it asked to end, or has it no time left? */
bool sweep_worker_is_over(const struct sweep_worker *w);
/* What is about to be called of the lane's cell is on disk before it is; and
 * what came of it is when the calls are made. 0, or -errno with a line in the
 * recorder. */
int sweep_worker_announce(struct sweep_worker *w, uint32_t from, uint32_t to);
int sweep_worker_conclude(struct sweep_worker *w);
/* What the kernel has to say is about these calls. */
void sweep_worker_read_kernel_log(struct sweep_worker *w, uint32_t from,
				  uint32_t calls);
/* Goes on until all of its cells are done, or it is asked to end. 0, or -EIO
 * with a line in the recorder. */
int sweep_worker_run(struct sweep_worker *w);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The line that moves while a sweep goes on: on a terminal only.
 */
#ifndef IBVET_SWEEP_PROGRESS_H
#define IBVET_SWEEP_PROGRESS_H

#include "sweep/lanes.h"

struct sweep_progress {
	const struct sweep *sweep;
	uint64_t began_us, before; /* calls that earlier runs made */
	uint64_t asking_us;	   /* since when calls are made again, 0 */
	bool terminal, shown;
};

/* How many calls are made, and how many there are to make. */
void progress_count(const struct sweep_map *m, uint64_t *done, uint64_t *all);

void sweep_progress_begin(struct sweep_progress *p, const struct sweep *s);
void sweep_progress_show(void *progress);
void sweep_progress_end(struct sweep_progress *p);

#endif

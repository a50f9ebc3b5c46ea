/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The progress line of a sweep, on a terminal only.
 */
#ifndef IBVET_SWEEP_PROGRESS_H
#define IBVET_SWEEP_PROGRESS_H

#include "sweep/lanes.h"

struct sweep_progress {
	const struct sweep *sweep;
	uint64_t began_us, before; /* calls made before --resume */
	uint64_t repeating_us;	   /* when calls began to be made again, or 0 */
	bool terminal, shown;
};

/* Counts the calls that were made, and all calls of the sweep. */
void progress_count(const struct sweep_map *m, uint64_t *done, uint64_t *all);

void sweep_progress_begin(struct sweep_progress *p, const struct sweep *s);
void sweep_progress_show(void *progress);
void sweep_progress_end(struct sweep_progress *p);

#endif

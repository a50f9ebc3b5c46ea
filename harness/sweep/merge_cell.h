/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the results of a cell from the parts that shards have.
 */
#ifndef IBVET_SWEEP_MERGE_CELL_H
#define IBVET_SWEEP_MERGE_CELL_H

#include "sweep/map.h"

struct cell_part {
	const struct sweep_map *map;
	uint32_t cell;
};

/* Sets the results of cell i of a whole sweep, as one sweep would have them.
 * The parts are in the order of their calls. What comes behind a missing or
 * unfinished part remains to be swept. */
void merge_cell(const struct sweep_map *to, uint32_t i,
		const struct cell_part *part, uint32_t nparts);

#endif

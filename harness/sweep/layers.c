// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Asks the library, mask by mask, whether it would send a command. A mask that
 * takes the library down is noted as a call that did not return, and left out
 * the next time.
 */
#include "sweep/layers.h"

#define STRIDE 4096 /* masks between two signs of life */

bool layers_are_due(const struct sweep_worker *w, const struct map_cell *cell)
{
	return w->target->ops->library_sends && cell->cell.sort == CELL_MASKS &&
	       !cell->layered && cell->done >= cell->cell.end;
}

static void ask_about(struct sweep_worker *w, uint64_t *sent,
		      struct mask_walk *walk, uint32_t at, uint32_t end)
{
	struct target *t = w->target;

	for (; at < end; at++) {
		uint32_t mask = walk_next(walk);

		w->lane->at = at;
		if (t->ops->library_sends(t, mask_unpack(mask)))
			bit_set(sent, mask);
	}
}

int ask_library(struct sweep_worker *w, struct map_cell *cell)
{
	struct mask_order order = cell_order(&cell->cell);
	uint32_t at = cell->cell.begin, end = cell->cell.end;
	uint64_t *sent = map_sent(w->map, w->lane->cell);
	struct mask_walk walk;
	int ret = sweep_worker_announce(w, at, end);

	while (!ret && at < end && !sweep_worker_is_over(w)) {
		uint32_t next = end - at > STRIDE ? at + STRIDE : end;

		next = map_next_death(cell, at, next);
		walk_begin(&walk, &order, at);
		ask_about(w, sent, &walk, at, next);
		at = next == at ? at + 1 : next;
		recorder_tick(w->recorder);
	}
	cell->layered = at == end;
	return ret ? ret : sweep_worker_conclude(w);
}

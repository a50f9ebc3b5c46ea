/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls of a cell in their order, each answered for on a queue pair that was as
 * it was when it was new.
 */
#ifndef IBVET_SWEEP_BLOCK_H
#define IBVET_SWEEP_BLOCK_H

#include "sweep/worker.h"

#define BLOCK 1000 /* refusals that one query has to do for, at most */

/* Where the calls of a cell stand. */
struct calling {
	struct sweep_worker *w;
	struct map_cell *cell;
	uint64_t *accepted;
	struct mask_order order;
	struct mask_walk walk;
	struct bound value; /* of a cell of values */
	uint32_t at;	    /* the next call */
	uint32_t proven;    /* what is before it is answered for */
	uint32_t span;	    /* refusals that the next proof is for */
	/* What is before it ends with a call that was accepted, and has to be
	 * again. 0: none. */
	uint32_t doubted;
};

/* Calls that are counted, and not in the order of masks. */
bool cell_is_counted(const struct sweep_cell *c);
/* The restorer of a cell is open: begins with the first call that is not done.
 */
void block_begin(struct calling *c);
/* Makes one of its calls, as its bit counts: 0, or what was the error. */
int block_ask(struct calling *c, uint32_t call);
/* Makes all calls up to `end`. 0, or -EIO with the restorer's `why`. */
int block_until(struct calling *c, uint32_t end);

#endif

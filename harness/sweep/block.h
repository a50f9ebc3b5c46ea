/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the calls of a cell in order. Each call is made on a queue pair that is
 * in the same state as when it was new.
 */
#ifndef IBVET_SWEEP_BLOCK_H
#define IBVET_SWEEP_BLOCK_H

#include "sweep/worker.h"

#define BLOCK 1000 /* refusals that one query proves, at most */

/* The progress of a worker in the calls of one cell */
struct cell_calls {
	struct sweep_worker *w;
	struct map_cell *cell;
	uint64_t *accepted;
	struct mask_order order;
	struct mask_walk walk;
	struct bound value; /* the call, in a cell of values */
	uint32_t at;	    /* the next call */
	uint32_t proven;    /* calls before this place are proven */
	uint32_t span;	    /* refusals up to the next query */
	/* Behind a call that was accepted after unproven refusals, and must be
	 * accepted again. 0: none. */
	uint32_t doubted;
	uint32_t checked; /* the place of the last call that was made again on
			     a new queue pair, or where this segment begins */
	uint32_t last;	  /* the bit number of the last call */
	struct map_history found; /* what calls have set matters */
	bool to_group; /* masks are tried with a group's address first */
};

/* Returns true if the calls of the cell are numbered, instead of ordered as
 * masks. */
bool cell_is_numbered(const struct sweep_cell *c);
/* Begins with the first call that is not done. The restorer must be open. */
void block_begin(struct cell_calls *c);
/* Forgets what the calls so far have shown about the queue pair, and what they
 * have set. All calls so far are proven. Returns 0 or -EIO. */
int block_begin_segment(struct cell_calls *c);
/* Checks that what the calls of the segment have set did not matter to the last
 * one. Returns 0, -EAGAIN or -EIO as block_until() does. */
int block_end_segment(struct cell_calls *c);
/* Makes the call with this bit number. Returns 0 or the errno. */
int block_call(struct cell_calls *c, uint32_t call);
/* Makes all calls up to `end`. Returns 0; -EAGAIN if the destination, or what
 * earlier calls have set, turns out to matter; or -EIO with the reason in the
 * restorer's `why`. */
int block_until(struct cell_calls *c, uint32_t end);
/* After -EAGAIN: forgets all answers of the cell, and begins with the first
 * call. Returns 0 or -EIO. */
int block_begin_again(struct cell_calls *c);

#endif

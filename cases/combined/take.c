// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Takes completions as the levels of several subjects say: by a poll with any
 * number of entries, or in batches of ibv_start_poll.
 */
#include "cases/combined/combined.h"
#include "cases/post/post.h"

void combined_poll(struct gen *g, uint8_t cq, unsigned int n,
		   unsigned int entries)
{
	combined_poll_for(g, cq, n, entries, POST_WAIT);
}

void combined_poll_for(struct gen *g, uint8_t cq, unsigned int n,
		       unsigned int entries, uint32_t ms)
{
	if (!n)
		return;
	gen_call(g, V_poll_cq, cq);
	prog_num(g->p, F_poll_max, n);
	prog_num(g->p, F_poll_timeout, ms);
	if (entries)
		prog_num(g->p, F_poll_entries, entries);
}

void combined_poll_batches(struct gen *g, uint8_t cq, unsigned int n)
{
	combined_poll_batches_for(g, cq, n, POST_WAIT);
}

void combined_poll_batches_for(struct gen *g, uint8_t cq, unsigned int n,
			       uint32_t ms)
{
	for (unsigned int i = 0; i < n; i++) {
		gen_call(g, V_start_poll, cq);
		prog_num(g->p, F_poll_timeout, 2 * i < n ? ms : POST_QUIET);
		gen_call(g, V_next_poll, cq);
		gen_call(g, V_end_poll, cq);
	}
}

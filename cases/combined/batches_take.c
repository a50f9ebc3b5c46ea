// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How the completions of combined batches are taken: one by one, several or
 * more than there are at once, or in batches of ibv_start_poll that end at each
 * completion, at the last one, or past it.
 */
#include "cases/combined/batches.h"

#define MOST_ENTRIES 64 /* most completions that are polled of a full queue */
#define FOLLOWING    4	/* completions of the two requests behind the batch */

void batches_poll(const struct batches *b, int n, bool granted)
{
	struct gen *g = b->d.p.g;

	if (!granted) {
		combined_poll(g, g->cq, (unsigned int)n, 0);
		return;
	}
	for (uint64_t after = 0; after < MOST_ENTRIES; after += POLL_MAX) {
		gen_call(g, V_poll_cq, g->cq);
		prog_out(g->p, F_poll_max, b->d.p.a, F_max_send_wr, n);
		prog_num(g->p, F_poll_timeout, POST_WAIT);
		if (after)
			prog_num(g->p, F_poll_after, after);
	}
}

static void start_poll(const struct batches *b, uint32_t ms)
{
	gen_call(b->d.p.g, V_start_poll, b->d.p.g->cq);
	prog_num(b->d.p.g->p, F_poll_timeout, ms);
}

void batches_poll_empty(const struct batches *b)
{
	if (batches_has(b, TAKING, TAKE_EMPTY))
		start_poll(b, POST_QUIET);
}

/* Takes all completions in one batch, and `past` more. The pause lets all of
 * them arrive first. */
static void poll_batch(const struct batches *b, unsigned int past)
{
	struct gen *g = b->d.p.g;

	post_pause(g);
	start_poll(b, POST_WAIT);
	for (unsigned int i = 1; i < b->due + past; i++)
		gen_call(g, V_next_poll, g->cq);
}

static void end_poll(const struct batches *b)
{
	gen_call(b->d.p.g, V_end_poll, b->d.p.g->cq);
}

/* Takes completions that arrived too late for the batch. Nothing is polled
 * between the batch and the completions of later requests. */
static void poll_rest(const struct batches *b)
{
	if (b->row[TAKING] > TAKE_BATCHES)
		combined_poll_for(b->d.p.g, b->d.p.g->cq, b->due, 0,
				  POST_QUIET);
}

static void take_in_batches(struct batches *b)
{
	struct gen *g = b->d.p.g;

	if (batches_has(b, TAKING, TAKE_BATCHES)) {
		combined_poll_batches(g, g->cq, b->due);
		return;
	}
	poll_batch(b, batches_has(b, TAKING, TAKE_PAST));
	end_poll(b);
}

/* Each level but "last" signals the requests that fill the queue, which are two
 * less than it has room for. */
static void take_batch(struct batches *b)
{
	bool granted = batches_has(b, REQUESTS, MOST_REQUESTS) &&
		       !batches_has(b, SIGNALS, SIGNALS_LAST);
	struct gen *g = b->d.p.g;

	if (granted)
		batches_poll(b, (int)b->due - 2, true);
	else if (!b->due)
		post_poll(&b->d.p, 0);
	else if (b->row[TAKING] >= TAKE_BATCHES)
		take_in_batches(b);
	else if (batches_has(b, TAKING, TAKE_ONE))
		combined_poll(g, g->cq, b->due, 0);
	else
		combined_poll(g, g->cq, b->due, COMBINED_MORE);
}

/* Behind batches that end past the last completion, ibv_poll_cq takes them. */
static void take_following(const struct batches *b)
{
	struct gen *g = b->d.p.g;

	if (b->row[TAKING] >= TAKE_BATCHES &&
	    !batches_has(b, TAKING, TAKE_PAST) &&
	    !batches_has(b, TAKING, TAKE_EMPTY))
		combined_poll_batches(g, g->cq, FOLLOWING);
	else
		combined_poll(g, g->cq, FOLLOWING, 0);
}

void batches_take(struct batches *b)
{
	bool late = batches_has(b, TAKING, TAKE_LATE) && b->due;

	if (late)
		poll_batch(b, 1);
	else
		take_batch(b);
	batches_following(b);
	if (late)
		end_poll(b);
	take_following(b);
	poll_rest(b);
}

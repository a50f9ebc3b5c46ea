// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RESET gives a queue pair its whole queues again: requests whose completions
 * were not polled before, or that had none, take no place afterwards.
 */
#include "cases/post/post.h"

#define LIVES 3 /* of a queue pair that is reset again and again */

/* The requests that RESET finds in the queue. */
enum left {
	HELD,	   /* sends held in SQD */
	FLUSHED,   /* requests that ERR flushed, not polled */
	IN_ERR,	   /* requests that were posted in ERR, not polled */
	UNSIGNALED /* unsignaled sends that ERR flushed, not polled */
};
static const char *const left_names[] = {"held", "flushed", "in-err",
					 "unsignaled"};

/* How many requests a life leaves. */
static const struct amount {
	const char *name;
	unsigned int n; /* 0: as many as were granted */
	unsigned int lives;
	bool full_only;
} amounts[] = {
	{"one", 1, 1, true},
	{"some", 3, 1, false},
	{"some-again", 3, LIVES, false},
	{"all", 0, 1, false},
	{"all-again", 0, LIVES, true},
};

/* Posts one list of so many requests on p->a, or of as many as were granted. */
static void post_list(const struct post *p, bool recv, uint64_t wr_id,
		      unsigned int n, uint32_t flags)
{
	enum field more = recv ? F_recv_more : F_send_more;

	if (recv)
		post_recv(p, p->a, wr_id, 0);
	else
		post_send(p, IBV_WR_SEND, wr_id, flags);
	if (n)
		prog_num(p->g->p, more, n - 1);
	else
		prog_out(p->g->p, more, p->a,
			 recv ? F_max_recv_wr : F_max_send_wr, -1);
}

/* Polls completions that a device may keep across RESET, until none comes. */
static void poll_remaining(const struct post *p)
{
	post_poll_for(p, POLL_MAX, POST_QUIET);
	post_poll(p, 0);
}

/* Brings p->a up, leaves requests in its queue, and resets it. */
static void live(const struct post *p, bool recv, enum left left,
		 const struct amount *amount)
{
	const int state = recv ? IBV_QPS_INIT : IBV_QPS_SQD;
	const uint32_t flags = left == UNSIGNALED ? 0 : IBV_SEND_SIGNALED;
	struct gen *g = p->g;

	post_bring(p, p->a, p->b, state);
	if (left == IN_ERR)
		post_to_err(p, p->a, state);
	post_list(p, recv, 100, amount->n, flags);
	post_pause(g);
	if (left != IN_ERR && left != HELD)
		post_to_err(p, p->a, state);
	gen_modify(g, p->a, A_STATE, left == HELD ? state : IBV_QPS_ERR,
		   IBV_QPS_RESET, NULL);
	poll_remaining(p);
}

/* The queue takes as many requests as were granted after its last RESET. */
static void again(struct gen *g, enum qp_kind kind, bool recv, enum left left,
		  const struct amount *amount)
{
	const int state = recv ? IBV_QPS_INIT : IBV_QPS_SQD;
	struct post p;

	if (!post_case(g, kind, state, ROW_POST_ACCEPT,
		       "A queue that is filled after RESET",
		       "full-again/%s-%s-%s", recv ? "recv" : "send",
		       left_names[left], amount->name))
		return;
	p = post_lone(g, kind, state);
	gen_modify(g, p.a, A_STATE, state, IBV_QPS_RESET, NULL);
	for (unsigned int i = 0; i < amount->lives; i++)
		live(&p, recv, left, amount);
	post_bring(&p, p.a, p.b, state);
	post_list(&p, recv, 300, 0, 0);
	post_list(&p, recv, 400, 1, 0); /* the queue is full */
	post_count_flushed(&p, recv ? F_max_recv_wr : F_max_send_wr, state);
	gen_done(g);
}

/* Sends that succeeded, and whose completions were not polled. */
static void completed(struct gen *g, enum qp_kind kind, unsigned int lives)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POST_ACCEPT,
		       "A send queue that is filled after RESET",
		       "full-again/send-completed-%u", lives))
		return;
	p = post_parents_with_room(g, kind);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 0);
	for (unsigned int i = 0; i < lives; i++) {
		post_send(&p, post_without_receive(kind), 100 * i,
			  IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, 2);
		post_pause(g);
		gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
		if (!gen_is_receiver(g, p.b)) {
			gen_modify(g, p.b, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET,
				   NULL);
			post_bring(&p, p.b, p.a, IBV_QPS_RTS);
		}
		poll_remaining(&p);
		post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	}
	post_send(&p, post_without_receive(kind), 1000, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, -1);
	post_poll_granted(&p, F_max_send_wr);
	post_end(&p);
}

/* The quick profile tries each amount with flushed requests only. */
static bool is_tried(const struct gen *g, enum left left,
		     const struct amount *amount)
{
	return gen_full(g) ||
	       (!amount->full_only &&
		(left == FLUSHED || (amount->n && amount->lives == 1)));
}

static void by_left(struct gen *g, enum qp_kind kind, enum left left,
		    const struct amount *amount)
{
	again(g, kind, false, left, amount);
	if (!g->wr && kind_has_recv(kind) && left != UNSIGNALED)
		again(g, kind, true, left, amount);
}

void gen_post_reset_full(struct gen *g, enum qp_kind kind)
{
	if (device_iwarp(g->d))
		return; /* does not leave ERR for RESET with its connection */
	for (size_t i = 0; i < COUNT(amounts); i++)
		for (int left = HELD; left <= UNSIGNALED; left++)
			if (is_tried(g, (enum left)left, &amounts[i]))
				by_left(g, kind, (enum left)left, &amounts[i]);
	completed(g, kind, 1);
	if (gen_full(g))
		completed(g, kind, LIVES);
}

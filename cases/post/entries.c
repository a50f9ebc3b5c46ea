/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * num_entries of ibv_poll_cq: 0, fewer and more than there are completions, one
 * call that returns all, and the array behind the completions.
 */
#include "cases/post/post.h"

#define SENDS	3   /* each completes at both ends */
#define ARRIVED 300 /* ms after which all completions are there */

static void poll_with(const struct post *p, unsigned int max,
		      unsigned int entries, uint32_t ms)
{
	gen_call(p->g, V_poll_cq, p->g->cq);
	if (max)
		prog_num(p->g->p, F_poll_max, max);
	prog_num(p->g->p, F_poll_timeout, ms);
	prog_num(p->g->p, F_poll_entries, entries);
}

/* Takes `n` completions by one batch. */
static void poll_batch(const struct post *p, unsigned int n)
{
	struct gen *g = p->g;

	gen_call(g, V_start_poll, g->cq);
	prog_num(g->p, F_poll_timeout, POST_WAIT);
	for (unsigned int i = 1; i < n; i++)
		gen_call(g, V_next_poll, g->cq);
	gen_call(g, V_end_poll, g->cq);
}

void post_poll_in_one(const struct post *p, unsigned int n)
{
	struct gen *g = p->g;

	if (!g->poll_ex) {
		poll_with(p, 0, POLL_MAX, ARRIVED);
		return;
	}
	post_pause(g); /* all are there */
	poll_batch(p, n);
}

/* Opens a case with messages that complete at both ends. */
static bool messages(struct gen *g, enum qp_kind kind, enum row row,
		     const char *what, const char *name, unsigned int entries,
		     struct post *p)
{
	if (!post_case(g, kind, IBV_QPS_RTS, row, what, "entries/%s%u", name,
		       entries))
		return false;
	*p = post_pair(g, kind);
	post_both(p, SENDS);
	post_send(p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_more, SENDS - 1);
	return true;
}

static void finish(const struct post *p)
{
	post_poll(p, 0);
	gen_done(p->g);
}

static void several(struct gen *g, enum qp_kind kind, unsigned int entries)
{
	struct post p;

	if (!messages(g, kind, ROW_POLL_ARRAY,
		      "Calls of ibv_poll_cq with the same num_entries", "",
		      entries, &p))
		return;
	poll_with(&p, 2 * SENDS, entries, POST_WAIT);
	finish(&p);
}

/* One call, when all completions are there. */
static void in_one(struct gen *g, enum qp_kind kind, unsigned int entries)
{
	struct post p;

	if (!messages(g, kind, ROW_POLL_ALL,
		      "One call of ibv_poll_cq for waiting completions",
		      "in-one-", entries, &p))
		return;
	poll_with(&p, 0, entries, ARRIVED);
	if (entries < 2 * SENDS)
		post_poll(&p, 2 * SENDS - entries);
	finish(&p);
}

static void none(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!messages(g, kind, ROW_POLL_NO_ENTRIES,
		      "Calls of ibv_poll_cq before and after completions", "",
		      0, &p))
		return;
	poll_with(&p, 0, 0, POST_QUIET);
	post_poll(&p, 2 * SENDS);
	poll_with(&p, 0, 0, 0);
	finish(&p);
}

static void one_of_many(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ARRAY,
		       "Room for more completions than there are",
		       "entries/more-than-there-are"))
		return;
	p = post_pair(g, kind);
	post_both(&p, 1);
	poll_with(&p, 0, POLL_MAX, 0);
	post_send(&p, IBV_WR_SEND, 1, 0);
	poll_with(&p, 1, POLL_MAX, POST_WAIT);
	finish(&p);
}

static void flushed(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!kind_has_recv(kind) ||
	    !post_case(g, kind, IBV_QPS_INIT, ROW_POLL_ALL,
		       "One call of ibv_poll_cq for flushed receives",
		       "entries/flushed"))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, IBV_QPS_INIT);
	post_recv(&p, p.a, 100, 4);
	post_to_err(&p, p.a, IBV_QPS_INIT);
	poll_with(&p, 0, POLL_MAX, ARRIVED);
	finish(&p);
}

#define RING	 5 /* entries of a small queue */
#define PER_LIST 4 /* completions between two polls */
#define LISTS	 4

/* Creates a pair in RTS whose sends, or receives at the other end, complete in
 * a queue of few entries, g->cq. The others complete in `other`. */
static struct post small_ring(struct gen *g, enum qp_kind kind, bool recv,
			      unsigned int cqe, uint8_t *other)
{
	struct post p = post_parents(g, kind);
	uint8_t few = gen_cq(g);

	*other = g->cq;
	prog_num(g->p, F_cqe, cqe);
	g->cq = recv ? *other : few;
	p.a = g->qp = gen_qp_of(g, kind);
	g->cq = few;
	p.b = gen_qp_of(g, kind);
	prog_obj(g->p, F_send_cq, *other);
	if (!recv)
		prog_obj(g->p, F_recv_cq, *other);
	post_both(&p, 0);
	return p;
}

/* A ring of few entries: one call returns completions of sends on both sides of
 * its end. Rings have a power of two of entries, or as many as were asked for.
 */
static void around(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t other;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ALL,
		       "Calls of ibv_poll_cq that pass the end of the queue",
		       "entries/around"))
		return;
	p = small_ring(g, kind, false, RING, &other);
	for (uint64_t i = 0; i < LISTS; i++) {
		post_send(&p, post_without_receive(kind), 10 * i,
			  IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, PER_LIST - 1);
		poll_with(&p, 0, PER_LIST, ARRIVED);
	}
	finish(&p);
}

/* The same with completions of receives. */
static void receives_around(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t other;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ALL,
		       "Calls of ibv_poll_cq that pass the end of the queue, "
		       "for receives",
		       "entries/receives-around"))
		return;
	p = small_ring(g, kind, true, RING, &other);
	for (uint64_t i = 0; i < LISTS; i++) {
		post_recv(&p, p.b, 100 + 10 * i, PER_LIST - 1);
		post_send(&p, IBV_WR_SEND, 10 * i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, PER_LIST - 1);
		post_poll_at(&p, other, PER_LIST);
		poll_with(&p, 0, PER_LIST, ARRIVED);
	}
	finish(&p);
}

#define ROUNDS	    8 /* calls that end at different places of the ring */
#define AHEAD	    3 /* completions that stay behind each call, at least */
#define WAITING_CQE 7

/* Takes `n` completions, of which more wait, in one call or batch. */
static void take(const struct post *p, unsigned int n)
{
	if (p->g->poll_ex)
		poll_batch(p, n);
	else
		poll_with(p, 0, n, POST_MAYBE);
}

/* Adds `n` completions to the queue, of sends or of receives. */
static void add(const struct post *p, uint8_t other, bool recv, uint64_t wr_id,
		unsigned int n)
{
	if (recv)
		post_recv(p, p->b, 1000 + wr_id, n - 1);
	post_send(p, recv ? IBV_WR_SEND : post_without_receive(p->kind), wr_id,
		  IBV_SEND_SIGNALED);
	if (n > 1)
		prog_num(p->g->p, F_send_more, n - 1);
	if (recv)
		post_poll_at(p, other, n);
	post_pause(p->g);
}

/* Calls that end at each place of the ring, while completions wait behind: the
 * next call returns those. */
static void waiting(struct gen *g, enum qp_kind kind, bool recv, unsigned int n)
{
	struct post p;
	uint8_t other;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ALL,
		       "Calls that leave completions in the queue",
		       "entries/%swaiting-%u", recv ? "receives-" : "", n))
		return;
	p = small_ring(g, kind, recv, WAITING_CQE, &other);
	add(&p, other, recv, 1, AHEAD);
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		add(&p, other, recv, 10 * i, n);
		take(&p, n);
	}
	take(&p, AHEAD);
	finish(&p);
}

/* The shortest calls take two completions: `poll_cq max=1` of a program polls
 * until one is there, so it may be several calls. */
void gen_post_entries_waiting(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC && kind != QK_UC && kind != QK_UD)
		return;
	for (unsigned int n = 2; n + AHEAD <= WAITING_CQE; n++) {
		waiting(g, kind, false, n);
		if (kind == QK_RC)
			waiting(g, kind, true, n);
	}
}

void gen_post_entries(struct gen *g, enum qp_kind kind)
{
	none(g, kind);
	for (unsigned int n = 2; n <= 5; n++)
		several(g, kind, n);
	several(g, kind, POLL_MAX);
	in_one(g, kind, 4);
	in_one(g, kind, POLL_MAX);
	one_of_many(g, kind);
	flushed(g, kind);
	if (kind != QK_RC && kind != QK_UC && kind != QK_UD)
		return;
	around(g, kind);
	receives_around(g, kind);
	gen_post_entries_waiting(g, kind);
}

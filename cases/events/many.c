/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Limits and events of queues with a hundred and more entries: more than a
 * device reads ahead, so that what it has read differs from what was posted.
 */
#include "cases/events/completion.h"

#define MANY	   100
#define MORE	   400	/* messages in one list of the full profile */
#define MOST	   1000 /* receives of an SRQ of the full profile */
#define MOST_POLLS 32	/* calls that poll a full completion queue */
#define SPARE	   16

/* Returns true if the device has queues of `n` entries and a few. */
static bool has_entries(const struct gen *g, unsigned int n)
{
	return g->d->limit[LIM_max_cqe] >= n + SPARE &&
	       g->d->limit[LIM_max_qp_wr] >= n + SPARE;
}

static bool srq_has_entries(const struct gen *g, unsigned int n)
{
	return has_entries(g, n) && g->d->limit[LIM_max_srq_wr] >= n;
}

/* Creates parents, and a completion queue that holds `n` completions. */
static struct post roomy_parents(struct gen *g, enum qp_kind kind,
				 unsigned int n)
{
	struct post p = post_parents(g, kind);

	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, n + SPARE);
	return p;
}

/* Creates an SRQ of `n` receives, which a queue pair of the kind uses. */
static void roomy_srq(struct post *p, unsigned int n)
{
	struct gen *g = p->g;

	if (p->xsrq == NO_OBJ)
		p->srq = gen_srq(g, g->pd);
	else if (kind_is_vendors(p->kind))
		p->srq = p->xsrq = g->srq = gen_srq(g, g->pd);
	else
		p->srq = p->xsrq = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	prog_num(g->p, F_srq_max_wr, n);
}

/* Creates both queue pairs: a sends `n` requests at once, b receives through
 * the SRQ, if there is one. */
static void roomy_pair(struct post *p, unsigned int n)
{
	struct gen *g = p->g;

	p->a = g->qp = gen_qp_of(g, p->kind);
	prog_num(g->p, F_max_send_wr, n);
	p->b = gen_qp_of(g, kind_receiver(p->kind));
	if (p->xsrq != NO_OBJ)
		return;
	if (p->srq != NO_OBJ)
		prog_obj(g->p, F_srq, p->srq);
	else
		prog_num(g->p, F_max_recv_wr, n);
}

/* Creates both in RTS, and an SRQ of `n` receives that are all posted. */
static struct post srq_ready(struct gen *g, enum qp_kind kind, unsigned int n)
{
	struct post p = roomy_parents(g, kind, n);

	roomy_srq(&p, n);
	roomy_pair(&p, n);
	post_recv(&p, p.srq, 1000, n - 1);
	post_both(&p, 0);
	return p;
}

static void poll_many(const struct post *p, unsigned int n)
{
	for (; n > POLL_MAX; n -= POLL_MAX)
		post_poll(p, POLL_MAX);
	post_poll(p, n);
}

/* Sends `n` messages as one list, and polls their receives. */
static void take(const struct post *p, unsigned int n)
{
	post_send(p, IBV_WR_SEND, 1, 0);
	if (n > 1)
		prog_num(p->g->p, F_send_more, n - 1);
	poll_many(p, n);
}

static bool srq_says(struct gen *g, enum qp_kind kind, enum row row,
		     const char *what, unsigned int n)
{
	return gen_says_rule(g, row, post_claim_behind(g, CLAIM_SRQ, kind),
			     "%s of an SRQ with %u receives, %s", what, n,
			     qp_kind_name(kind));
}

/* No event while as many receives as the limit are left; one event when there
 * is one less. */
static void limit_half(struct gen *g, enum qp_kind kind, unsigned int n)
{
	struct post p;

	if (!gen_id(g, "srq-limit/half-of-%u", n) ||
	    !srq_says(g, kind, ROW_SRQ_LIMIT_EVENT, "A limit of half", n))
		return;
	p = srq_ready(g, kind, n);
	gen_srq_limit(g, p.srq, n / 2);
	take(&p, n - n / 2);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	take(&p, n / 2 - 1);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* A limit of all receives, on an SRQ that is filled a second time. */
static void limit_all(struct gen *g, enum qp_kind kind, unsigned int n)
{
	struct post p;

	if (!gen_id(g, "srq-limit/all-of-%u", n) ||
	    !srq_says(g, kind, ROW_SRQ_LIMIT_EVENT, "A limit of all receives",
		      n))
		return;
	p = srq_ready(g, kind, n);
	take(&p, n - 1);
	post_recv(&p, p.srq, 3000, n - 2);
	gen_srq_limit(g, p.srq, n);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* One event, although many receives are left. These serve the next queue pair
 * of the SRQ. */
static void last_wqe(struct gen *g, enum qp_kind kind, unsigned int n)
{
	unsigned int taken = n - n / 4;
	struct post p;

	if (!gen_id(g, "last-wqe/after-%u-of-%u", taken, n) ||
	    !srq_says(g, kind, ROW_LAST_WQE, "A queue pair that enters ERR", n))
		return;
	p = srq_ready(g, kind, n);
	take(&p, taken);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	post_poll(&p, 0);
	roomy_pair(&p, n);
	post_both(&p, 0);
	take(&p, n - taken);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* Fills the receive queue and the send queue twice, by one call each. */
static void messages(struct gen *g, enum qp_kind kind, unsigned int n)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_EACH,
		       "A list of messages as long as both queues",
		       "many/messages-%u", n))
		return;
	p = roomy_parents(g, kind, 2 * n);
	if (p.xsrq != NO_OBJ)
		roomy_srq(&p, n);
	roomy_pair(&p, n);
	post_both(&p, 0);
	for (unsigned int round = 0; round < 2; round++) {
		post_recv(&p, p.b, 1000 + 1000 * round, n - 1);
		post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, n - 1);
		poll_many(&p, 2 * n);
	}
	post_poll(&p, 0);
	gen_done(g);
}

/* Polls as many completions as the completion queue was granted. */
static void poll_all(const struct post *p, uint8_t cq)
{
	struct program *prog = p->g->p;

	for (unsigned int i = 0; i < MOST_POLLS; i++) {
		post_poll_for(p, 0, POST_WAIT);
		prog_out(prog, F_poll_max, cq, F_cqe, 0);
		if (i)
			prog_num(prog, F_poll_after, i * POLL_MAX);
	}
}

/* Fills a completion queue to its last entry, arms the full queue, and empties
 * it. */
static void full_cq(struct gen *g, enum qp_kind kind, unsigned int n)
{
	struct notify at;
	struct post *p = &at.p;
	uint8_t cq;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_EVENT,
		       "A completion queue that is full to the last entry",
		       "many/cq-full-%u", n))
		return;
	at = notify_parents(g, kind, V_create_cq);
	cq = notify_cq(g, V_create_cq, at.channel);
	prog_num(g->p, F_cqe, n);
	p->b = gen_qp_of(g, kind_receiver(kind));
	p->a = g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_send_cq, cq);
	prog_out(g->p, F_max_send_wr, cq, F_cqe, 0);
	g->cq = cq;
	post_both(p, 0);
	for (unsigned int round = 0; round < 2; round++) {
		post_send(p, post_without_receive(kind), 1, IBV_SEND_SIGNALED);
		prog_out(g->p, F_send_more, cq, F_cqe, -1);
		gen_async_event(g, NO_OBJ, POST_MAYBE);
		notify_arm(&at, cq, 0);
		notify_quiet(&at);
		poll_all(p, cq);
		post_poll(p, 0);
		notify_arm(&at, cq, 0);
		post_send(p, post_without_receive(kind), 9, IBV_SEND_SIGNALED);
		notify_event(&at);
		post_poll(p, 1);
		notify_quiet(&at);
	}
	gen_done(g);
}

/* The cases of one number of entries. */
static void entries(struct gen *g, enum qp_kind kind, unsigned int n)
{
	if (!has_entries(g, 2 * n))
		return;
	messages(g, kind, n);
	full_cq(g, kind, n);
}

static void srq_entries(struct gen *g, enum qp_kind kind, unsigned int n)
{
	if (kind == QK_UC || !srq_has_entries(g, n))
		return;
	limit_half(g, kind, n);
	limit_all(g, kind, n);
	if (kind_receiver(kind) == kind)
		last_wqe(g, kind, n);
}

void gen_events_many(struct gen *g, enum qp_kind kind)
{
	if (!post_carries(kind))
		return;
	gen_prefix(g, "event/%s/", qp_kind_slug(kind));
	entries(g, kind, MANY);
	srq_entries(g, kind, MANY);
	if (!gen_full(g))
		return;
	entries(g, kind, MORE);
	srq_entries(g, kind, MOST);
}

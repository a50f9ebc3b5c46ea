/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asynchronous events that traffic raises: when they arrive, how often, for
 * which object, and how destroying that object waits for their acknowledgement.
 */
#include "cases/events/completion.h"

static void last_wqe(struct gen *g, enum qp_kind kind, bool hold)
{
	struct post p;

	if (!gen_id(g, "last-wqe%s", hold ? "/destroy" : "") ||
	    !event_srq_says(g, kind, ROW_LAST_WQE,
			    "A queue pair with an SRQ enters ERR"))
		return;
	p = event_srq_pair(g, kind, 2);
	event_take(&p, 1);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	if (hold) {
		prog_num(g->p, F_event_hold, 1);
		notify_destroy(g, V_destroy_qp_waits, p.b);
		gen_call(g, V_destroy_srq, p.srq);
	}
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* Creates another queue pair with an SRQ, in RTS. */
static uint8_t another(const struct post *p, uint8_t srq)
{
	uint8_t qp = gen_qp_of(p->g, p->kind);

	prog_obj(p->g->p, F_srq, srq);
	post_bring(p, qp, p->a, IBV_QPS_RTS);
	return qp;
}

/* Queue pairs with one SRQ enter ERR one after the other. */
static void last_wqe_each(struct gen *g, enum qp_kind kind)
{
	uint8_t other[2];
	struct post p;

	if (device_iwarp(g->d) || !gen_id(g, "last-wqe/each") ||
	    !event_srq_says(g, kind, ROW_LAST_WQE_EACH,
			    "Three queue pairs with an SRQ enter ERR"))
		return;
	p = event_srq_pair(g, kind, 2);
	for (int i = 0; i < 2; i++)
		other[i] = another(&p, p.srq);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	for (int i = 0; i < 2; i++) {
		post_to_err(&p, other[i], IBV_QPS_RTS);
		gen_async_event(g, NO_OBJ, POST_MAYBE);
	}
	gen_done(g);
}

/* A queue pair whose SRQ is empty enters ERR after a queue pair whose SRQ has
 * receives: a device that tells of the first tells of the second. The receives
 * are used up in between, or the second queue pair has an SRQ without any. */
static void last_wqe_empty(struct gen *g, enum qp_kind kind, bool used_up)
{
	uint8_t other;
	struct post p;

	if (device_iwarp(g->d) ||
	    !gen_id(g, "last-wqe/%s", used_up ? "used-up" : "never-filled") ||
	    !event_srq_says(g, kind, ROW_LAST_WQE_EACH,
			    used_up ? "A queue pair that has used up its SRQ "
				      "enters ERR"
				    : "A queue pair with an SRQ that was never "
				      "filled enters ERR"))
		return;
	p = event_srq_pair(g, kind, 2);
	other = another(&p, used_up ? p.srq : gen_srq(g, g->pd));
	post_to_err(&p, used_up ? other : p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	if (used_up)
		event_take(&p, 2);
	post_to_err(&p, used_up ? p.b : other, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_done(g);
}

/* How the first of two queue pairs fails by itself. */
static const struct failure {
	const char *name;
	enum { NO_RECEIVE, SHORT_RECEIVE, WRONG_KEY } by;
	const char *what;
} failures[] = {
	{"failed-first", NO_RECEIVE, "fails for want of a receive"},
	{"short-first", SHORT_RECEIVE, "fails in a receive that is too short"},
	{"key-first", WRONG_KEY, "fails in a receive with a wrong key"},
};

/* The past of the second queue pair, which holds no receive when it enters
 * ERR. */
static const struct idle {
	const char *name;
	bool used, own_srq;
} idles[] = {
	{"", false, false},
	{"/used", true, false},
	{"/own-srq", false, true},
	{"/used-own-srq", true, true},
};

/* Returns true if the receiver of the type goes to ERR by the failure. */
static bool fails_by(enum qp_kind kind, const struct failure *f)
{
	return post_reliable(kind) || (kind == QK_UD && f->by == WRONG_KEY);
}

/* Creates a second pair, whose receiver has an SRQ. */
static struct post second_pair(const struct post *first, const struct idle *is)
{
	struct post p = *first;
	struct gen *g = p.g;

	if (is->own_srq)
		p.srq = gen_srq(g, g->pd);
	p.a = gen_qp_of(g, p.kind);
	p.b = gen_qp_of(g, p.kind);
	prog_obj(g->p, F_srq, p.srq);
	post_both(&p, 0);
	if (!is->used)
		return p;
	post_recv(&p, p.srq, 300, 0);
	event_take(&p, 1);
	return p;
}

/* b of the pair fails by itself, and the completions are polled. */
static void fail_first(const struct post *p, const struct failure *f)
{
	struct program *prog = p->g->p;
	struct post own = post_back(p);

	if (f->by == NO_RECEIVE) {
		post_send(&own, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
		post_poll(&own, 1);
		return;
	}
	post_recv(p, p->srq, 200, 0);
	if (f->by == SHORT_RECEIVE)
		prog_num(prog, F_recv_length, POST_LENGTH - 1);
	else
		prog_out(prog, F_recv_lkey, p->mr, F_keys_lkey, 1);
	post_send(p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(p, 2);
}

/* A queue pair fails by itself, and another one, which holds no receive, is
 * moved to ERR: a device that tells of the first tells of the second. */
static void last_wqe_idle(struct gen *g, enum qp_kind kind,
			  const struct failure *f, const struct idle *is)
{
	struct post p, other;
	char what[80];

	snprintf(what, sizeof(what), "A queue pair with an SRQ %s", f->what);
	if (device_iwarp(g->d) || !fails_by(kind, f) ||
	    !gen_id(g, "last-wqe/%s%s", f->name, is->name) ||
	    !event_srq_says(g, kind, ROW_LAST_WQE_EACH, what))
		return;
	p = post_srq_pair(g, kind);
	post_rnr(&p.with, 0, 1);
	post_both(&p, 0);
	other = second_pair(&p, is);
	fail_first(&p, f);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	post_to_err(&other, other.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_done(g);
}

static void last_wqe_idles(struct gen *g, enum qp_kind kind)
{
	for (size_t f = 0; f < COUNT(failures); f++)
		for (size_t i = 0; i < COUNT(idles); i++)
			last_wqe_idle(g, kind, &failures[f], &idles[i]);
}

/* ERR to ERR raises no second event. */
static void last_wqe_again(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "last-wqe/again") ||
	    !event_srq_says(g, kind, ROW_EVENT_AGAIN,
			    "A queue pair with an SRQ enters ERR twice"))
		return;
	p = event_srq_pair(g, kind, 2);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	post_to_err(&p, p.b, IBV_QPS_ERR);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_done(g);
}

/* Without an SRQ there is no last-WQE event. */
static void no_last_wqe(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_EVENT_NONE,
		       "ERR of a queue pair without an SRQ", "err-without-srq"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	post_poll(&p, 2);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

static void comm_est(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_COMM_EST,
		       "A message to a queue pair in RTR", "comm-est"))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.b, p.a, IBV_QPS_RTR);
	post_recv(&p, p.b, 200, 1);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	post_up(&p, p.b, p.a, IBV_QPS_RTR, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* Traffic in RTS raises no event. */
static void silent(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_EVENT_NONE,
		       "Messages between queue pairs in RTS",
		       "none-of-messages"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SOLICITED);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 3);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

static void drained_unacknowledged(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "sq-drained/destroy") ||
	    !gen_says_rule(g, ROW_ACK_WAITS,
			   post_claim(g, kind, IBV_QPS_SQD, NULL),
			   "Destroying %s with an unacknowledged event",
			   qp_kind_name(kind)))
		return;
	p = event_draining(g, kind);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	prog_num(g->p, F_event_hold, 1);
	gen_call(g, V_destroy_qp, p.b);
	notify_destroy(g, V_destroy_qp_waits, p.a);
	gen_done(g);
}

/* Another thread reads events while the queue pair is destroyed. */
static bool heard_says(struct gen *g, enum qp_kind kind, const char *id,
		       int state)
{
	return gen_id(g, "heard/%s", id) &&
	       gen_says_rule(g, ROW_THREADS_HEARD,
			     post_claim(g, kind, state, NULL), "%s",
			     qp_kind_name(kind));
}

static void heard(struct gen *g, uint8_t qp)
{
	gen_call(g, V_destroy_qp_heard, qp);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

static void drained_heard(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (heard_says(g, kind, "none", IBV_QPS_RTS)) {
		p = post_ready(g, kind, IBV_QPS_RTS);
		heard(g, p.a);
	}
	if (!heard_says(g, kind, "sq-drained", IBV_QPS_SQD))
		return;
	p = event_draining(g, kind);
	heard(g, p.a);
}

static void last_wqe_heard(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "heard/last-wqe") ||
	    !event_srq_says(g, kind, ROW_THREADS_HEARD,
			    "A queue pair with an SRQ enters ERR"))
		return;
	p = event_srq_pair(g, kind, 2);
	event_take(&p, 1);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	gen_call(g, V_destroy_qp, p.a); /* it raises no event either */
	heard(g, p.b);
}

void gen_events_async(struct gen *g, enum qp_kind kind)
{
	if (!post_carries(kind))
		return;
	gen_prefix(g, "event/%s/", qp_kind_slug(kind));
	silent(g, kind);
	comm_est(g, kind);
	if (kind_receiver(kind) == kind)
		no_last_wqe(g, kind);
	if (!kind_is_vendors(kind)) {
		drained_unacknowledged(g, kind);
		drained_heard(g, kind);
	}
	gen_events_contexts(g, kind);
	if (kind == QK_UC)
		return;
	gen_events_srq_limit(g, kind);
	if (kind_receiver(kind) != kind)
		return;
	last_wqe(g, kind, false);
	last_wqe(g, kind, true);
	last_wqe_again(g, kind);
	last_wqe_each(g, kind);
	last_wqe_idles(g, kind);
	last_wqe_empty(g, kind, true);
	last_wqe_empty(g, kind, false);
	last_wqe_heard(g, kind);
}

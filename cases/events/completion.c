/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion events: how often they arrive, for which completions, and of which
 * queue.
 */
#include "cases/events/completion.h"

/* One event after each arming, and none without. */
static void one_shot(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_EVENT,
		       "Each ibv_req_notify_cq is good for one event",
		       "one-shot"))
		return;
	n = notify_ready(g, kind);
	notify_quiet(&n);
	notify_arm(&n, n.receives, 0);
	notify_quiet(&n);
	notify_send(&n, 1, 0);
	notify_event(&n);
	notify_send(&n, 2, 0);
	notify_poll(&n, n.receives, 2);
	notify_quiet(&n);
	notify_arm(&n, n.receives, 0);
	notify_send(&n, 3, 0);
	notify_event(&n);
	notify_quiet(&n);
	notify_ack(&n, n.receives, 2);
	notify_poll(&n, n.receives, 1);
	gen_done(g);
}

static void unarmed(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_NONE,
		       "Completion queues that are not armed", "unarmed"))
		return;
	n = notify_ready(g, kind);
	notify_send(&n, 1, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	notify_poll(&n, n.receives, 1);
	notify_poll(&n, n.sends, 1);
	notify_quiet(&n);
	gen_done(g);
}

static void present(struct gen *g, enum qp_kind kind, int solicited)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_PRESENT,
		       "Completions that are there before the queue is armed",
		       "present/%s", solicited ? "solicited" : "any"))
		return;
	n = notify_ready(g, kind);
	notify_send(&n, 1, IBV_SEND_SOLICITED);
	notify_send(&n, 2, IBV_SEND_SOLICITED);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	notify_arm(&n, n.receives, solicited);
	notify_quiet(&n);
	notify_send(&n, 3, IBV_SEND_SOLICITED);
	notify_poll(&n, n.receives, 2);
	notify_event(&n);
	notify_quiet(&n);
	gen_done(g);
}

static void after_twice(const struct notify *n, bool surely, bool never)
{
	if (surely)
		notify_event(n);
	else if (never)
		notify_quiet(n);
	else
		notify_maybe(n);
}

/* However often a queue is armed before a completion arrives, there is one
 * event. */
static void armed_twice(struct gen *g, enum qp_kind kind, int first, int second)
{
	static const char *const name[] = {"any", "solicited"};
	enum row row = second > first ? ROW_NOTIFY_WEAKER : ROW_NOTIFY_NONE;
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, row,
		       "A completion queue that is armed twice", "twice/%s-%s",
		       name[first], name[second]))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, first);
	notify_arm(&n, n.receives, second);
	notify_send(&n, 1, 0);
	notify_poll(&n, n.receives, 1);
	after_twice(&n, !second, first && second);
	notify_send(&n, 2, IBV_SEND_SOLICITED);
	notify_poll(&n, n.receives, 1);
	after_twice(&n, first && second, !second);
	notify_quiet(&n);
	gen_done(g);
}

static void solicited(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_SOLICITED,
		       "A completion queue armed for solicited completions",
		       "solicited/receive"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, 1);
	notify_send(&n, 1, 0);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	notify_send(&n, 2, IBV_SEND_SOLICITED);
	notify_event(&n);
	notify_send(&n, 3, IBV_SEND_SOLICITED);
	notify_poll(&n, n.receives, 2);
	notify_quiet(&n);
	gen_done(g);
}

/* The completion of a send is never solicited, even with IBV_SEND_SOLICITED. */
static void solicited_send(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_SOLICITED,
		       "The completion of a solicited send", "solicited/send"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.sends, 1);
	notify_send(&n, 1, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	notify_poll(&n, n.sends, 1);
	notify_quiet(&n);
	notify_poll(&n, n.receives, 1);
	gen_done(g);
}

/* Completions with an error: flushed receives. */
static void flushed(struct gen *g, enum qp_kind kind, int only)
{
	enum row row = only ? ROW_NOTIFY_ERROR : ROW_NOTIFY_EVENT;
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, row,
		       "Flushed receives on an armed queue", "flush/%s",
		       only ? "solicited" : "any"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, only);
	post_to_err(&n.p, n.p.b, IBV_QPS_RTS);
	notify_poll(&n, n.receives, GEN_QUEUE_WR);
	if (only)
		notify_maybe(&n);
	else
		notify_event(&n);
	notify_quiet(&n);
	gen_done(g);
}

/* Completions with an error: flushed sends. */
static void flushed_sends(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!gen_id(g, "flush/sends-solicited") ||
	    !gen_says_rule(g, ROW_NOTIFY_ERROR,
			   post_claim(g, kind, IBV_QPS_SQD, NULL), "%s",
			   qp_kind_name(kind)))
		return;
	n = notify_ready(g, kind);
	post_up(&n.p, n.p.a, n.p.b, IBV_QPS_RTS, IBV_QPS_SQD);
	notify_arm(&n, n.sends, 1);
	notify_send(&n, 1, 0);
	notify_send(&n, 2, IBV_SEND_SIGNALED);
	post_to_err(&n.p, n.p.a, IBV_QPS_SQD);
	notify_poll(&n, n.sends, 2);
	notify_maybe(&n);
	notify_quiet(&n);
	gen_done(g);
}

static void send_side(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_EVENT,
		       "Completions of sends on an armed queue", "send"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.sends, 0);
	notify_send(&n, 1, 0);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	notify_send(&n, 2, IBV_SEND_SIGNALED);
	notify_event(&n);
	notify_poll(&n, n.sends, 1);
	notify_poll(&n, n.receives, 1);
	gen_done(g);
}

/* Two queues with one channel: one event for each queue. */
static void shared_channel(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_CONTEXT,
		       "Two completion queues with one channel", "two-queues"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, 0);
	notify_arm(&n, n.sends, 0);
	notify_send(&n, 1, IBV_SEND_SIGNALED);
	notify_event(&n);
	notify_event(&n);
	notify_quiet(&n);
	notify_poll(&n, n.receives, 1);
	notify_poll(&n, n.sends, 1);
	notify_arm(&n, n.sends, 0);
	notify_send(&n, 2, IBV_SEND_SIGNALED);
	notify_event(&n);
	notify_quiet(&n);
	gen_done(g);
}

static void two_channels(struct gen *g, enum qp_kind kind)
{
	struct notify n;
	uint8_t first;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_CONTEXT,
		       "Two completion queues with a channel each",
		       "two-channels"))
		return;
	n = notify_parents(g, kind, V_create_cq);
	first = n.channel;
	n.channel = gen_make(g, V_create_comp_channel, NO_OBJ);
	n.sends = notify_cq(g, V_create_cq, n.channel);
	notify_pair(&n);
	notify_arm(&n, n.receives, 0);
	notify_arm(&n, n.sends, 0);
	notify_send(&n, 1, IBV_SEND_SIGNALED);
	notify_event(&n);
	notify_quiet(&n);
	n.channel = first;
	notify_event(&n);
	notify_quiet(&n);
	gen_done(g);
}

/* Arming a queue without a channel has no effect. */
static void no_channel(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_ARM,
		       "Arming a completion queue without a channel",
		       "no-channel"))
		return;
	n = notify_parents(g, kind, V_create_cq);
	n.sends = notify_cq(g, V_create_cq, NO_OBJ);
	notify_pair(&n);
	notify_arm(&n, n.sends, 0);
	notify_arm(&n, n.sends, 1);
	notify_send(&n, 1, IBV_SEND_SIGNALED);
	notify_poll(&n, n.sends, 1);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	gen_done(g);
}

static void extended(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!gen_id(g, "extended") ||
	    !gen_says_rule(g, ROW_NOTIFY_EVENT,
			   post_claim_behind(g, CLAIM_CQ_EX, kind),
			   "Extended completion queues on %s",
			   qp_kind_name(kind)))
		return;
	n = notify_parents(g, kind, V_create_cq_ex);
	notify_pair(&n);
	notify_arm(&n, n.receives, 0);
	notify_send(&n, 1, 0);
	notify_event(&n);
	notify_quiet(&n);
	notify_arm(&n, n.sends, 1);
	notify_send(&n, 2, IBV_SEND_SIGNALED);
	notify_quiet(&n);
	gen_done(g);
}

static void through_srq(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (kind == QK_UC || !gen_id(g, "through-srq") ||
	    !gen_says_rule(g, ROW_NOTIFY_SOLICITED,
			   post_claim_behind(g, CLAIM_SRQ, kind),
			   "Receives through an SRQ on %s", qp_kind_name(kind)))
		return;
	n = notify_parents(g, kind, V_create_cq);
	n.p.srq = gen_srq(g, g->pd);
	g->cq = n.sends;
	n.p.a = g->qp = gen_qp_of(g, kind);
	g->cq = n.receives;
	n.p.b = gen_qp_of(g, kind);
	prog_obj(g->p, F_srq, n.p.srq);
	post_recv(&n.p, n.p.srq, 200, 3);
	post_both(&n.p, 0);
	notify_arm(&n, n.receives, 1);
	notify_send(&n, 1, 0);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	notify_send(&n, 2, IBV_SEND_SOLICITED);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	gen_done(g);
}

/* Armed several times while no event is read: one event for each arming waits.
 */
static void collected(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_EVENT,
		       "Several unread events of one queue", "collected"))
		return;
	n = notify_ready(g, kind);
	for (uint64_t i = 1; i <= 3; i++) {
		notify_arm(&n, n.receives, 0);
		notify_send(&n, i, IBV_SEND_SIGNALED);
		notify_poll(&n, n.receives, 1);
		notify_poll(&n, n.sends, 1);
	}
	for (int i = 0; i < 3; i++)
		notify_event(&n);
	notify_quiet(&n);
	notify_arm(&n, n.receives, 0);
	notify_send(&n, 4, IBV_SEND_SIGNALED);
	notify_event(&n);
	notify_quiet(&n);
	gen_done(g);
}

/* Receives are flushed from INIT, without a connection. */
static bool flushed_early(struct gen *g, enum qp_kind kind, int only,
			  struct notify *n)
{
	enum row row = only ? ROW_NOTIFY_ERROR : ROW_NOTIFY_EVENT;

	if (!gen_says_rule(g, row, gen_needs(g, claim_of_kind(kind)),
			   "Receives that are flushed from INIT on %s",
			   qp_kind_name(kind)))
		return false;
	*n = notify_parents(g, kind, V_create_cq);
	g->cq = n->receives;
	n->p.b = g->qp = gen_qp_of(g, kind);
	gen_step(g, n->p.b, IBV_QPS_RESET, IBV_QPS_INIT);
	post_recv(&n->p, n->p.b, 200, 2);
	notify_quiet(n);
	notify_arm(n, n->receives, only);
	post_to_err(&n->p, n->p.b, IBV_QPS_INIT);
	notify_poll(n, n->receives, 3);
	return true;
}

static void from_init(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (gen_id(g, "init/any") && flushed_early(g, kind, 0, &n)) {
		notify_event(&n);
		notify_quiet(&n);
		gen_done(g);
	}
	if (gen_id(g, "init/solicited") && flushed_early(g, kind, 1, &n)) {
		notify_maybe(&n);
		notify_quiet(&n);
		gen_done(g);
	}
	if (gen_id(g, "init/destroy") && flushed_early(g, kind, 0, &n)) {
		notify_event(&n);
		gen_call(g, V_destroy_qp, n.p.b);
		notify_destroy(g, V_destroy_cq_waits, n.receives);
		gen_done(g);
	}
	if (gen_id(g, "init/destroy-unread") && flushed_early(g, kind, 0, &n)) {
		gen_call(g, V_destroy_qp, n.p.b);
		gen_call(g, V_destroy_cq, n.receives);
		notify_quiet(&n);
		gen_done(g);
	}
}

void gen_events_completion(struct gen *g, enum qp_kind kind)
{
	if (!post_carries(kind))
		return;
	gen_prefix(g, "notify/%s/", qp_kind_slug(kind));
	one_shot(g, kind);
	unarmed(g, kind);
	solicited(g, kind);
	solicited_send(g, kind);
	gen_events_solicited(g, kind);
	send_side(g, kind);
	present(g, kind, 0);
	present(g, kind, 1);
	for (int first = 0; first < 2; first++)
		for (int second = 0; second < 2; second++)
			armed_twice(g, kind, first, second);
	flushed_sends(g, kind);
	shared_channel(g, kind);
	two_channels(g, kind);
	no_channel(g, kind);
	extended(g, kind);
	collected(g, kind);
	if (kind == QK_XRC_SEND)
		return;
	flushed(g, kind, 0);
	flushed(g, kind, 1);
	from_init(g, kind);
	through_srq(g, kind);
	gen_events_destroy(g, kind);
}

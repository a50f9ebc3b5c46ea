/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Destroys completion queues that have events: unread ones, and read ones that
 * are not acknowledged.
 */
#include "cases/events/completion.h"

static void destroy_pair(const struct notify *n)
{
	gen_call(n->p.g, V_destroy_qp, n->p.a);
	gen_call(n->p.g, V_destroy_qp, n->p.b);
}

/* An unread event is dropped with its queue only. */
static void unread(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_GONE,
		       "Destroying a completion queue with an unread event",
		       "destroy/unread"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, 0);
	notify_arm(&n, n.sends, 0);
	notify_send(&n, 1, IBV_SEND_SIGNALED);
	notify_poll(&n, n.receives, 1);
	notify_poll(&n, n.sends, 1);
	destroy_pair(&n);
	gen_call(g, V_destroy_cq, n.receives);
	notify_event(&n);
	notify_quiet(&n);
	notify_ack(&n, n.sends, 1);
	gen_call(g, V_destroy_cq, n.sends);
	notify_quiet(&n);
	gen_call(g, V_destroy_comp_channel, n.channel);
	gen_done(g);
}

static void unacknowledged(struct gen *g, enum qp_kind kind, unsigned int acks)
{
	struct notify n;

	if (!post_case(
		    g, kind, IBV_QPS_RTS, ROW_ACK_WAITS,
		    "Destroying a completion queue with unacknowledged events",
		    "destroy/acknowledged-%u-of-2", acks))
		return;
	n = notify_ready(g, kind);
	for (uint64_t i = 1; i <= 2; i++) {
		notify_arm(&n, n.receives, 0);
		notify_send(&n, i, 0);
		notify_event(&n);
		notify_poll(&n, n.receives, 1);
	}
	destroy_pair(&n);
	if (acks)
		notify_ack(&n, n.receives, acks);
	notify_destroy(g, V_destroy_cq_waits, n.receives);
	gen_call(g, V_destroy_cq, n.sends);
	gen_call(g, V_destroy_comp_channel, n.channel);
	gen_done(g);
}

/* Another thread reads events while the queue is destroyed. */
static void heard(struct gen *g, enum qp_kind kind, unsigned int events)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_THREADS_HEARD,
		       "Destroying a completion queue while another thread "
		       "reads events",
		       "destroy/heard-%u", events))
		return;
	n = notify_ready(g, kind);
	for (uint64_t i = 1; i <= events; i++) {
		notify_arm(&n, n.receives, 0);
		notify_send(&n, i, 0);
		notify_poll(&n, n.receives, 1);
	}
	destroy_pair(&n);
	gen_call(g, V_destroy_cq_heard, n.receives);
	notify_quiet(&n);
	gen_call(g, V_destroy_cq, n.sends);
	gen_call(g, V_destroy_comp_channel, n.channel);
	gen_done(g);
}

void gen_events_destroy(struct gen *g, enum qp_kind kind)
{
	unread(g, kind);
	for (unsigned int acks = 0; acks <= 2; acks++)
		unacknowledged(g, kind, acks);
	for (unsigned int events = 0; events <= 2; events++)
		heard(g, kind, events);
}

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

#define ACKS 4

/* Events of one completion queue, and how many each call acknowledges: in the
 * end, or as soon as they were read. */
static const struct acks {
	const char *name;
	bool at_once;
	uint8_t part[ACKS];
} partitions[] = {
	{"1-2", false, {1, 2}},	     {"2-1", false, {2, 1}},
	{"1-1-1", false, {1, 1, 1}}, {"3", false, {3}},
	{"2-2", false, {2, 2}},	     {"4", false, {4}},
	{"2-then-2", true, {2, 2}},  {"1-then-3", true, {1, 3}},
	{"3-then-1", true, {3, 1}},  {"1-then-2-then-1", true, {1, 2, 1}},
};

/* Raises events of a completion queue and reads them. */
static void read_events(const struct notify *n, uint8_t cq, unsigned int events)
{
	for (unsigned int i = 0; i < events; i++) {
		notify_arm(n, cq, 0);
		notify_send(n, i, IBV_SEND_SIGNALED);
		notify_event(n);
		notify_poll(n, n->receives, 1);
		notify_poll(n, n->sends, 1);
	}
}

/* All events are acknowledged, so that the queue can be destroyed. */
static void acknowledged(struct gen *g, enum qp_kind kind, const struct acks *a,
			 bool sends)
{
	struct notify n;
	uint8_t cq;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_ACK_WAITS,
		       "Acknowledging several events of a completion queue",
		       "destroy/acks-%s%s", a->name, sends ? "-of-sends" : ""))
		return;
	n = notify_ready_with(g, kind, ACKS);
	cq = sends ? n.sends : n.receives;
	for (int i = 0; i < ACKS; i++) {
		read_events(&n, cq, a->part[i]);
		if (a->at_once && a->part[i])
			notify_ack(&n, cq, a->part[i]);
	}
	for (int i = 0; !a->at_once && i < ACKS; i++)
		if (a->part[i])
			notify_ack(&n, cq, a->part[i]);
	destroy_pair(&n);
	gen_call(g, V_destroy_cq, cq);
	gen_call(g, V_destroy_cq, sends ? n.receives : n.sends);
	gen_call(g, V_destroy_comp_channel, n.channel);
	gen_done(g);
}

/* One of three events is left, which the destruction waits for. */
static void one_left(struct gen *g, enum qp_kind kind, unsigned int first)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_ACK_WAITS,
		       "Destroying a completion queue with one event that is "
		       "left of several",
		       "destroy/one-left-of-%u", first + 1))
		return;
	n = notify_ready_with(g, kind, ACKS);
	read_events(&n, n.receives, first + 1);
	notify_ack(&n, n.receives, first);
	destroy_pair(&n);
	notify_destroy(g, V_destroy_cq_waits, n.receives);
	gen_call(g, V_destroy_cq, n.sends);
	gen_call(g, V_destroy_comp_channel, n.channel);
	gen_done(g);
}

/* Each queue counts its own events, whether or not the queues share a channel.
 * Only the first queue's are all acknowledged. */
static void of_two_queues(struct gen *g, enum qp_kind kind, bool share,
			  bool sends)
{
	struct notify n;
	struct notify other;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_ACK_WAITS,
		       "Acknowledging events of one of two completion queues",
		       "destroy/acks-of-%s-%s-channel",
		       sends ? "sends" : "receives", share ? "one" : "own"))
		return;
	other = n = notify_parents(g, kind, V_create_cq);
	if (!share) {
		other.channel = gen_make(g, V_create_comp_channel, NO_OBJ);
		other.sends = n.sends =
			notify_cq(g, V_create_cq, other.channel);
	}
	notify_pair_with(&n, ACKS);
	other.p = n.p;
	read_events(&n, n.receives, 2);
	read_events(&other, n.sends, 2);
	notify_ack(&n, n.receives, sends ? 1 : 2);
	notify_ack(&n, n.sends, sends ? 2 : 1);
	destroy_pair(&n);
	gen_call(g, V_destroy_cq, sends ? n.sends : n.receives);
	notify_destroy(g, V_destroy_cq_waits, sends ? n.receives : n.sends);
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
	for (size_t i = 0; i < COUNT(partitions); i++)
		acknowledged(g, kind, &partitions[i], false);
	acknowledged(g, kind, &partitions[0], true);
	acknowledged(g, kind, &partitions[COUNT(partitions) - 1], true);
	for (unsigned int first = 2; first < ACKS; first++)
		one_left(g, kind, first);
	for (int i = 0; i < 4; i++)
		of_two_queues(g, kind, i / 2, i % 2);
	for (unsigned int events = 0; events <= 2; events++)
		heard(g, kind, events);
}

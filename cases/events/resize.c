/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Resizes completion queues, plain and extended, also while they hold
 * completions.
 */
#include <limits.h>
#include "cases/events/completion.h"

#define WAITING 4 /* completions in a queue that is resized */

static void resize(struct gen *g, uint8_t cq, int64_t cqe)
{
	gen_call(g, V_resize_cq, cq);
	prog_num(g->p, F_cqe, (uint64_t)cqe);
}

struct size {
	const char *name;
	int64_t num;
	bool limit; /* num is added to max_cqe */
	enum row row;
};

static void size_case(struct gen *g, const struct size *size)
{
	uint8_t cq;

	if (size->limit &&
	    (g->d->limit[LIM_max_cqe] >= INT_MAX ||
	     !gen_affordable(g, LIM_max_cqe, g->d->limit[LIM_max_cqe])))
		return;
	if (size->num > 1000 && (uint64_t)size->num <= g->d->limit[LIM_max_cqe])
		return; /* a device that supports the size must grant it, which
			   takes long */
	if (!gen_id(g, "size/%s", size->name) ||
	    !gen_says_rule(g, size->row, CLAIM_NONE, "ibv_resize_cq to %s",
			   size->name))
		return;
	cq = notify_cq(g, V_create_cq, NO_OBJ);
	resize(g, cq, size->num);
	if (size->limit)
		prog_limit(g->p, F_cqe, LIM_max_cqe, size->num);
	resize(g, cq, 20);
	gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

static void sizes(struct gen *g)
{
	static const struct size list[] = {
		{"zero", 0, false, ROW_RESIZE_RANGE},
		{"one", 1, false, ROW_RESIZE_OFFERED},
		{"same", 16, false, ROW_RESIZE_OFFERED},
		{"17", 17, false, ROW_RESIZE_AT_LEAST},
		{"255", 255, false, ROW_RESIZE_AT_LEAST},
		{"256", 256, false, ROW_RESIZE_AT_LEAST},
		{"1000", 1000, false, ROW_RESIZE_AT_LEAST},
		{"minus-one", -1, false, ROW_RESIZE_RANGE},
		{"lowest", INT_MIN, false, ROW_RESIZE_RANGE},
		{"limit", 0, true, ROW_RESIZE_AT_LEAST},
		{"over", 1, true, ROW_RESIZE_RANGE},
		{"16777216", 1 << 24, false, ROW_RESIZE_RANGE},
		{"highest", INT_MAX, false, ROW_RESIZE_RANGE},
	};

	for (size_t i = 0; i < COUNT(list); i++)
		size_case(g, &list[i]);
}

/* Resizes a queue that holds completions of receives. The sends have completed,
 * so the messages have arrived. */
static void with_entries(struct gen *g, enum qp_kind kind, const char *name,
			 int64_t cqe, bool polled)
{
	enum row row = cqe < 4 ? ROW_RESIZE_HELD : ROW_RESIZE_AT_LEAST;
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, row,
		       "A completion queue resized while it holds completions",
		       "%s/%s", polled ? "polled" : "waiting", name))
		return;
	n = notify_ready(g, kind);
	notify_send(&n, 1, 0);
	prog_num(g->p, F_send_more, 2);
	notify_send(&n, 4, IBV_SEND_SIGNALED);
	notify_poll(&n, n.sends, 1);
	notify_quiet(&n);
	if (polled)
		notify_poll(&n, n.receives, 2);
	resize(g, n.receives, cqe);
	notify_poll(&n, n.receives, polled ? 2 : 4);
	notify_send(&n, 5, IBV_SEND_SIGNALED);
	notify_poll(&n, n.receives, 1);
	notify_poll(&n, n.receives, 0);
	gen_done(g);
}

/* Sends messages whose sends are polled. */
static void send_all(const struct notify *n, uint64_t wr_id, unsigned int count)
{
	notify_send(n, wr_id, IBV_SEND_SIGNALED);
	prog_num(n->p.g->p, F_send_more, count - 1);
	notify_poll(n, n->sends, count);
}

/* The completions that wait begin at the end of a queue of this size, and go on
 * at its beginning: all before them were polled. */
static void around_the_end(struct gen *g, enum qp_kind kind, unsigned int size,
			   int64_t cqe)
{
	unsigned int before = size - 2, some;
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_EACH,
		       "A completion queue resized while it holds completions "
		       "around its end",
		       "around-%u/%s", size, cqe < size ? "smaller" : "larger"))
		return;
	n = notify_ready(g, kind);
	for (unsigned int i = 0; i < before; i += some) {
		some = before - i < GEN_QUEUE_WR ? before - i : GEN_QUEUE_WR;
		send_all(&n, i, some);
		notify_poll(&n, n.receives, some);
		post_recv(&n.p, n.p.b, 200 + i, some - 1);
	}
	send_all(&n, before, WAITING);
	resize(g, n.receives, cqe);
	notify_poll(&n, n.receives, WAITING);
	send_all(&n, size + WAITING, 1);
	notify_poll(&n, n.receives, 1);
	notify_poll(&n, n.receives, 0);
	gen_done(g);
}

/* Sends a message without arming again, which raises no event. */
static void send_unarmed(const struct notify *n, uint64_t wr_id)
{
	notify_send(n, wr_id, 0);
	notify_poll(n, n->receives, 1);
	notify_quiet(n);
}

/* An armed queue raises one event, whatever its new size, also if it is resized
 * again. */
static void armed(struct gen *g, enum qp_kind kind, const char *name,
		  int64_t cqe, int64_t then)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_EVENT,
		       "A completion queue resized while armed", "%s", name))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, 0);
	resize(g, n.receives, cqe);
	if (then)
		resize(g, n.receives, then);
	notify_send(&n, 1, 0);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	send_unarmed(&n, 2);
	notify_arm(&n, n.receives, 0);
	notify_send(&n, 3, 0);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	send_unarmed(&n, 4);
	gen_done(g);
}

/* A queue whose event was raised before it is resized is not armed. */
static void raised(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_NONE,
		       "A completion queue resized after its event",
		       "after-event"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, 0);
	notify_send(&n, 1, 0);
	notify_event(&n);
	resize(g, n.receives, 100);
	notify_poll(&n, n.receives, 1);
	send_unarmed(&n, 2);
	gen_done(g);
}

/* New sizes of a queue, one after the other; 0: none. */
static const struct change {
	const char *name;
	int64_t cqe[2];
} changes[] = {{"larger", {100, 0}}, {"smaller", {4, 0}}, {"twice", {100, 4}}};

/* The event that comes before the queue is resized: it is read, also
 * acknowledged, or read after that. */
enum before { READ, ACKED, UNREAD, BEFORES };
static const char *const before_names[BEFORES] = {"read", "acked", "unread"};

/* Arms a queue and sends a message, which raises an event of the queue. The
 * event is read if `read` says so. */
static void raise_event(const struct notify *n, uint8_t cq, uint64_t wr_id,
			bool read)
{
	bool sent = cq == n->sends;

	notify_arm(n, cq, 0);
	notify_send(n, wr_id, sent ? IBV_SEND_SIGNALED : 0);
	if (read)
		notify_event(n);
	notify_poll(n, n->receives, 1);
	if (sent)
		notify_poll(n, cq, 1);
}

/* Each queue of a channel is resized between its events, which go on to name
 * the queue and its context. */
static void between_events(struct gen *g, enum qp_kind kind,
			   const struct change *to, enum before before)
{
	struct notify n;
	uint8_t cq[2];

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_CONTEXT,
		       "A completion queue resized between its events",
		       "between-events/%s-%s", before_names[before], to->name))
		return;
	n = notify_ready(g, kind);
	cq[0] = n.receives;
	cq[1] = n.sends;
	for (uint64_t i = 0; i < COUNT(cq); i++) {
		raise_event(&n, cq[i], 10 * i, before != UNREAD);
		if (before == ACKED)
			notify_ack(&n, cq[i], 1);
		for (size_t k = 0; k < COUNT(to->cqe) && to->cqe[k]; k++)
			resize(g, cq[i], to->cqe[k]);
		if (before == UNREAD)
			notify_event(&n);
		raise_event(&n, cq[i], 10 * i + 1, true);
		raise_event(&n, cq[!i], 10 * i + 2, true);
	}
	notify_quiet(&n);
	gen_done(g);
}

/* The other types have the case where an event is read before. */
static void all_between_events(struct gen *g, enum qp_kind kind)
{
	for (int before = READ; before < (kind == QK_RC ? BEFORES : ACKED);
	     before++)
		for (size_t i = 0; i < COUNT(changes); i++)
			between_events(g, kind, &changes[i],
				       (enum before)before);
}

/* A queue that grows and shrinks between messages. */
static void in_turn(struct gen *g, enum qp_kind kind)
{
	static const int64_t sizes[] = {40, 4, 100, 2, 31, 8};
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_EACH,
		       "A completion queue resized between messages",
		       "in-turn"))
		return;
	n = notify_ready(g, kind);
	for (uint64_t i = 0; i < COUNT(sizes); i++) {
		notify_send(&n, i, IBV_SEND_SIGNALED);
		notify_poll(&n, n.sends, 1);
		resize(g, n.receives, sizes[i]);
		notify_poll(&n, n.receives, 1);
	}
	notify_poll(&n, n.receives, 0);
	gen_done(g);
}

/* Resizing an empty queue does not use up its entries. */
static void while_empty(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_RESIZE_AT_LEAST,
		       "An empty completion queue resized several times",
		       "while-empty"))
		return;
	n = notify_ready(g, kind);
	for (int i = 0; i < 6; i++)
		resize(g, n.receives, 1 + i % 2);
	notify_send(&n, 1, IBV_SEND_SIGNALED);
	notify_send(&n, 2, IBV_SEND_SIGNALED);
	notify_poll(&n, n.sends, 2);
	notify_poll(&n, n.receives, 2);
	notify_poll(&n, n.receives, 0);
	gen_done(g);
}

void gen_events_resize_traffic(struct gen *g, enum qp_kind kind)
{
	with_entries(g, kind, "larger", 100, false);
	with_entries(g, kind, "exact", 4, false);
	with_entries(g, kind, "too-small", 3, false);
	with_entries(g, kind, "one", 1, false);
	with_entries(g, kind, "larger", 100, true);
	with_entries(g, kind, "smaller", 4, true);
	/* batches of extended queues take calls of their own */
	for (unsigned int size = 16; size <= (g->cq_ex ? 32 : 64); size *= 2) {
		around_the_end(g, kind, size, 100);
		around_the_end(g, kind, size, WAITING);
	}
	armed(g, kind, "armed", 100, 0);
	armed(g, kind, "armed-smaller", 4, 0);
	armed(g, kind, "armed-twice", 100, 4);
	raised(g, kind);
	all_between_events(g, kind);
	gen_events_resize_full(g, kind);
	in_turn(g, kind);
	while_empty(g, kind);
}

static void resizes_of_type(struct gen *g, enum qp_kind kind)
{
	notify_plain_and_extended(g, "resize", kind, gen_events_resize_traffic);
	gen_prefix(g, "overrun/%s/", qp_kind_slug(kind));
	gen_events_overrun(g, kind);
}

void gen_events_resize(struct gen *g)
{
	gen_prefix(g, "resize/");
	sizes(g);
	post_each_kind(g, resizes_of_type);
}

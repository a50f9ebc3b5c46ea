/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_cq of a queue that is moderated already: the new count and the new
 * period hold. A program polls the completions and then waits for their event
 * for less than the period that must not delay it.
 */
#include "cases/events/completion.h"

#define LONGEST	 40000 /* us; waits follow from it */
#define SHORTEST 2000  /* us: a shorter wait than 1 ms tells nothing */
#define SHORT	 8     /* a short period is that part of the long one */

/* A moderation. Its period is the longest one divided by `part`, or 0 if `part`
 * is 0. */
struct moderation {
	uint16_t count, part;
};

/* Moderations of one queue, and the messages that raise its event. */
static const struct again {
	const char *name;
	struct moderation of[3];
	unsigned int n;	   /* of `of` */
	unsigned int sent; /* messages, for an event */
	bool sends;	   /* the queue of the sender is moderated */
	bool armed;	   /* it is armed before the last moderation */
	bool ends;	   /* the event is due when the last period is over */
} agains[] = {
	{"count", {{2, 1}}, 1, 2, false, false, false},
	{"count/sends", {{2, 1}}, 1, 2, true, false, false},
	{"smaller", {{8, 1}, {2, 1}}, 2, 2, false, false, false},
	{"smaller/one", {{8, 1}, {1, 1}}, 2, 1, false, false, false},
	{"smaller/three", {{4, 1}, {3, 1}}, 2, 3, false, false, false},
	{"smaller/sends", {{8, 1}, {2, 1}}, 2, 2, true, false, false},
	{"smaller/armed", {{8, 1}, {2, 1}}, 2, 2, false, true, false},
	{"smaller/twice", {{8, 1}, {4, 1}, {2, 1}}, 3, 2, false, false, false},
	{"smaller/shorter", {{8, 1}, {2, SHORT}}, 2, 2, false, false, false},
	{"smaller/longer", {{8, SHORT}, {2, 1}}, 2, 2, false, false, false},
	{"larger", {{2, 1}, {4, 1}}, 2, 4, false, false, false},
	{"larger/sends", {{2, 1}, {4, 1}}, 2, 4, true, false, false},
	{"larger/smaller", {{2, 1}, {8, 1}, {3, 1}}, 3, 3, false, false, false},
	{"shorter", {{16, 1}, {16, SHORT}}, 2, 1, false, false, false},
	{"shorter/sends", {{16, 1}, {16, SHORT}}, 2, 1, true, false, false},
	{"longer", {{16, SHORT}, {16, 1}}, 2, 1, false, false, true},
	{"none", {{8, 1}, {0, 0}}, 2, 1, false, false, false},
	{"none/armed", {{8, 1}, {0, 0}}, 2, 1, false, true, false},
	{"none/between", {{8, 1}, {0, 0}, {2, 1}}, 3, 2, false, false, false},
};

static uint64_t longest(const struct gen *g)
{
	uint64_t limit = g->d->limit[LIM_max_cq_period];

	return limit < LONGEST ? limit : LONGEST;
}

static void moderate(struct gen *g, uint8_t cq, const struct moderation *m)
{
	gen_call(g, V_modify_cq, cq);
	prog_num(g->p, F_cq_attr_mask, IBV_CQ_ATTR_MODERATE);
	prog_num(g->p, F_cq_count, m->count);
	prog_num(g->p, F_cq_period, m->part ? longest(g) / m->part : 0);
}

/* Returns the rule that asks for the event. */
static enum row row_of(const struct again *is)
{
	const struct moderation *last = &is->of[is->n - 1];

	if (!last->count)
		return ROW_NOTIFY_EVENT;
	return is->sent < last->count ? ROW_MODERATE_EVENT : ROW_MODERATE_COUNT;
}

/* Returns how many ms the event may take. Three quarters of the longest period
 * are six times a short one. */
static uint32_t wait_of(const struct gen *g, const struct again *is)
{
	return (uint32_t)(is->ends ? longest(g) / 4 : longest(g) * 3 / 4000);
}

/* Sends messages to an armed queue, polls their completions, and waits for the
 * event. */
static void event_comes(const struct notify *n, const struct again *is,
			uint8_t cq)
{
	notify_send(n, 1, is->sends ? IBV_SEND_SIGNALED : 0);
	if (is->sent > 1)
		prog_num(n->p.g->p, F_send_more, is->sent - 1);
	notify_poll(n, cq, is->sent);
	notify_wait(n, wait_of(n->p.g, is));
	notify_quiet(n);
}

static void again(struct gen *g, enum qp_kind kind, const struct again *is)
{
	struct notify n;
	uint8_t cq;

	if (!post_case_with(g, kind, IBV_QPS_RTS, CLAIM_CQ_MODERATION,
			    row_of(is), "A completion queue moderated anew",
			    "again/%s", is->name))
		return;
	n = notify_ready(g, kind);
	cq = is->sends ? n.sends : n.receives;
	for (unsigned int i = 0; i < is->n; i++) {
		if (is->armed && i + 1 == is->n)
			notify_arm(&n, cq, 0);
		moderate(g, cq, &is->of[i]);
	}
	if (!is->armed)
		notify_arm(&n, cq, 0);
	event_comes(&n, is, cq);
	if (is->sent * 2 <= GEN_QUEUE_WR) {
		notify_arm(&n, cq, 0);
		event_comes(&n, is, cq);
	}
	gen_done(g);
}

/* The first of two events counts by 4, the second one by 2. */
static void after_event(struct gen *g, enum qp_kind kind)
{
	static const struct again first = {.of = {{4, 1}}, .n = 1, .sent = 4};
	static const struct again second = {.of = {{2, 1}}, .n = 1, .sent = 2};
	struct notify n;

	if (!post_case_with(g, kind, IBV_QPS_RTS, CLAIM_CQ_MODERATION,
			    ROW_MODERATE_COUNT,
			    "A completion queue moderated anew after an event",
			    "again/after-event"))
		return;
	n = notify_ready(g, kind);
	moderate(g, n.receives, first.of);
	notify_arm(&n, n.receives, 0);
	event_comes(&n, &first, n.receives);
	moderate(g, n.receives, second.of);
	notify_arm(&n, n.receives, 0);
	event_comes(&n, &second, n.receives);
	gen_done(g);
}

void gen_events_moderate_again(struct gen *g, enum qp_kind kind)
{
	uint64_t limit = g->d->limit[LIM_max_cq_period];

	if ((kind != QK_RC && kind != QK_UD) || (limit && limit < SHORTEST))
		return;
	for (size_t i = 0; i < COUNT(agains); i++)
		again(g, kind, &agains[i]);
	after_event(g, kind);
}

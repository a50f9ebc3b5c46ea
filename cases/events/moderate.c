/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_cq: which moderations a completion queue takes, and that events
 * and completions come in spite of them.
 */
#include "cases/events/completion.h"

static void moderate(struct gen *g, uint8_t cq, uint64_t count, uint64_t period)
{
	gen_call(g, V_modify_cq, cq);
	prog_num(g->p, F_cq_attr_mask, IBV_CQ_ATTR_MODERATE);
	prog_num(g->p, F_cq_count, count);
	prog_num(g->p, F_cq_period, period);
}

struct moderation {
	const char *name;
	uint32_t mask;
	uint64_t count, period;
	enum row row;
};

static bool is_over(const struct gen *g, const struct moderation *m)
{
	return m->count > g->d->limit[LIM_max_cq_count] ||
	       m->period > g->d->limit[LIM_max_cq_period];
}

static void value(struct gen *g, const struct moderation *m)
{
	bool by_range = m->mask == IBV_CQ_ATTR_MODERATE;
	enum row row = m->row;
	enum claim claim = CLAIM_NONE;
	uint8_t cq;

	if (m->count > UINT16_MAX || m->period > UINT16_MAX)
		return;
	if (by_range && row == ROW_MODERATE_ACCEPT && is_over(g, m))
		row = ROW_MODERATE_RANGE;
	if (by_range && row != ROW_MODERATE_UNSUPPORTED)
		claim = gen_needs(g, CLAIM_CQ_MODERATION);
	if (!gen_id(g, "value/%s", m->name) ||
	    !gen_says_rule(g, row, claim, "ibv_modify_cq, %s", m->name))
		return;
	cq = notify_cq(g, V_create_cq, NO_OBJ);
	moderate(g, cq, m->count, m->period);
	prog_num(g->p, F_cq_attr_mask, m->mask);
	if (row == ROW_MODERATE_ACCEPT)
		moderate(g, cq, 0, 0);
	gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

static void values(struct gen *g)
{
	const uint64_t count = g->d->limit[LIM_max_cq_count];
	const uint64_t period = g->d->limit[LIM_max_cq_period];
	const uint32_t mask = IBV_CQ_ATTR_MODERATE;
	const struct moderation list[] = {
		{"zero", mask, 0, 0, ROW_MODERATE_ACCEPT},
		{"one", mask, 1, 1, ROW_MODERATE_ACCEPT},
		{"usual", mask, 16, 50, ROW_MODERATE_ACCEPT},
		{"max-count", mask, count, 1, ROW_MODERATE_ACCEPT},
		{"max-period", mask, 1, period, ROW_MODERATE_ACCEPT},
		{"max-both", mask, count, period, ROW_MODERATE_ACCEPT},
		{"over-count", mask, count + 1, 1, ROW_MODERATE_RANGE},
		{"over-period", mask, 1, period + 1, ROW_MODERATE_RANGE},
		{"highest-period", mask, 1, UINT16_MAX, ROW_MODERATE_ACCEPT},
		{"no-mask", 0, 1, 1, ROW_MODERATE_MASK},
		{"unknown-bit", 1u << 1, 1, 1, ROW_MODERATE_MASK},
		{"highest-bit", 1u << 31, 1, 1, ROW_MODERATE_MASK},
		{"known-and-unknown", mask | 1u << 2, 1, 1, ROW_MODERATE_MASK},
	};
	const struct moderation unsupported = {"unsupported", mask, 1, 1,
					       ROW_MODERATE_UNSUPPORTED};

	for (size_t i = 0; i < COUNT(list); i++)
		value(g, &list[i]);
	if (!count && !period)
		value(g, &unsupported);
}

static bool begin(struct gen *g, enum qp_kind kind, enum row row,
		  const char *what, const char *name)
{
	return post_case_with(g, kind, IBV_QPS_RTS, CLAIM_CQ_MODERATION, row,
			      what, "%s", name);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The count and the period of the limits, but at most `count` and `period`. */
static void moderate_up_to(struct gen *g, uint8_t cq, uint64_t count,
			   uint64_t period)
{
	moderate(g, cq, least(count, g->d->limit[LIM_max_cq_count]),
		 least(period, g->d->limit[LIM_max_cq_period]));
}

/* A count that is not reached, and a period in us. */
struct period {
	const char *name;
	uint64_t count, us;
	bool sends; /* the queue of the sender is moderated */
};

#define PERIOD 4000 /* us, if the device has such long ones */
#define SHORT  1000

static const struct period periods[] = {
	{"period", 16, PERIOD, false},
	{"period/2000-us", 16, PERIOD / 2, false},
	{"period/1000-us", 16, SHORT, false},
	{"period/count-2", 2, PERIOD, false},
	{"period/count-most", UINT16_MAX, PERIOD, false},
	{"period/sends", 16, PERIOD, true},
};

/* Returns how many ms the event may take. A device that takes us for ms is a
 * thousand times late, and the wait is a quarter of that. The wait is never
 * shorter than for SHORT, so that a slow scheduler does no harm. */
static uint32_t period_wait(const struct gen *g, const struct period *is)
{
	uint64_t us = least(is->us, g->d->limit[LIM_max_cq_period]);

	return (uint32_t)((us < SHORT ? SHORT : us) / 4);
}

/* Returns true if the limits of the device make one program of this one and an
 * earlier one. */
static bool is_alike(const struct gen *g, const struct period *is)
{
	const uint64_t most = g->d->limit[LIM_max_cq_count];
	const uint64_t longest = g->d->limit[LIM_max_cq_period];
	bool alike = false;

	for (const struct period *p = periods; p < is; p++)
		alike |= p->sends == is->sends &&
			 least(p->count, most) == least(is->count, most) &&
			 least(p->us, longest) == least(is->us, longest);
	return alike;
}

/* Fewer completions than the count: the period ends. */
static void period_ends(struct gen *g, enum qp_kind kind,
			const struct period *is)
{
	struct notify n;
	uint8_t cq;

	if (!begin(g, kind, ROW_MODERATE_EVENT,
		   is->sends ? "One completion of a send on a moderated queue"
			     : "One completion on a moderated queue",
		   is->name))
		return;
	n = notify_ready(g, kind);
	cq = is->sends ? n.sends : n.receives;
	moderate_up_to(g, cq, is->count, is->us);
	for (uint64_t i = 0; i < 2; i++) {
		notify_arm(&n, cq, 0);
		notify_send(&n, i, is->sends ? IBV_SEND_SIGNALED : 0);
		notify_wait(&n, period_wait(g, is));
		notify_poll(&n, cq, 1);
		notify_quiet(&n);
	}
	gen_done(g);
}

/* As many completions as the count. */
static void count_reached(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!begin(g, kind, ROW_MODERATE_EVENT,
		   "Two completions on a queue moderated by 2", "count"))
		return;
	n = notify_ready(g, kind);
	moderate_up_to(g, n.receives, 2, 4000);
	notify_arm(&n, n.receives, 0);
	notify_send(&n, 1, 0);
	prog_num(g->p, F_send_more, 1);
	notify_event(&n);
	notify_poll(&n, n.receives, 2);
	notify_quiet(&n);
	gen_done(g);
}

/* Moderation neither arms a queue nor disarms it. */
static void while_armed(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!begin(g, kind, ROW_NOTIFY_EVENT,
		   "A completion queue moderated while armed", "armed"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, 0);
	moderate_up_to(g, n.receives, 4, 100);
	notify_send(&n, 1, 0);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	moderate_up_to(g, n.receives, 1, 1);
	notify_send(&n, 2, 0);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	gen_done(g);
}

/* Completions that wait stay, and so does the room for more. */
static void while_waiting(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!begin(g, kind, ROW_POLL_EACH,
		   "A completion queue moderated while it holds completions",
		   "waiting"))
		return;
	n = notify_ready(g, kind);
	notify_send(&n, 1, 0);
	prog_num(g->p, F_send_more, 2);
	notify_send(&n, 4, IBV_SEND_SIGNALED);
	notify_poll(&n, n.sends, 1);
	moderate_up_to(g, n.receives, 8, 200);
	notify_poll(&n, n.receives, 4);
	notify_send(&n, 5, IBV_SEND_SIGNALED);
	notify_poll(&n, n.receives, 1);
	notify_poll(&n, n.receives, 0);
	gen_done(g);
}

/* A queue that was moderated and is not any more. */
static void taken_back(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!begin(g, kind, ROW_NOTIFY_EVENT,
		   "A completion queue whose moderation was taken back",
		   "taken-back"))
		return;
	n = notify_ready(g, kind);
	moderate_up_to(g, n.receives, 100, UINT16_MAX);
	moderate(g, n.receives, 0, 0);
	notify_arm(&n, n.receives, 0);
	notify_send(&n, 1, 0);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	gen_done(g);
}

/* A refused call leaves queue and arming as they are. */
static void refused(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!gen_id(g, "refused") ||
	    !post_says(g, kind, IBV_QPS_RTS, ROW_MODERATE_MASK,
		       "A refused moderation of an armed completion queue"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, 0);
	moderate(g, n.receives, 100, 100);
	prog_num(g->p, F_cq_attr_mask, 1u << 1);
	notify_send(&n, 1, 0);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	gen_done(g);
}

static void moderations(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(periods); i++)
		if (!is_alike(g, &periods[i]))
			period_ends(g, kind, &periods[i]);
	count_reached(g, kind);
	gen_events_moderate_again(g, kind);
	while_armed(g, kind);
	while_waiting(g, kind);
	taken_back(g, kind);
	refused(g, kind);
}

static void moderations_of_type(struct gen *g, enum qp_kind kind)
{
	notify_plain_and_extended(g, "moderate", kind, moderations);
}

void gen_events_moderate(struct gen *g)
{
	gen_prefix(g, "moderate/");
	values(g);
	post_each_kind(g, moderations_of_type);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined completion queues: how they are created, who uses them, when they
 * are armed, resized and moderated, how completions and events are taken, and
 * in which order the objects are destroyed.
 */
#include "cases/combined/combined.h"
#include "cases/events/completion.h"

enum queues_factor {
	CREATION,
	SIZE,
	CHANNEL,
	USERS,
	ARMED,
	SOLICITED, /* which message of a round */
	SIGNALED,
	MODERATED,
	RESIZED,
	RESIZED_WHEN,
	TAKING,
	REFUSED,
	ACKNOWLEDGED,
	FAILURE,
	ENDING,
	QUEUES_FACTORS
};

enum { PLAIN, EXTENDED, SINGLE_THREADED, IN_DOMAIN };
enum { ROOMY, EXACT, ONE_MORE };
enum { NO_CHANNEL, ONE_CHANNEL, CHANNEL_EACH };
enum { SAME_QUEUE, APART, OTHER_PAIR };
enum { NOT_ARMED, ARM_ALL, ARM_SOLICITED, ARM_UPGRADED };
enum { NONE_SOLICITED, FIRST, MIDDLE, LAST };
enum { EACH_SIGNALED, LAST_SIGNALED, NONE_SIGNALED };
enum { NOT_MODERATED, BY_COUNT, UNDONE };
enum { NOT_RESIZED, LARGER, SMALLER };
enum { BEFORE, WHILE_ARMED, HALF_TAKEN };
enum { ONE_BY_ONE, ALL_AT_ONCE, MORE_ENTRIES, BY_BATCH };
enum {
	NOT_REFUSED,
	DESTROY_QUEUE,
	DESTROY_CHANNEL,
	RESIZE_ZERO,
	CREATE_ZERO,
	MODERATE_UNKNOWN
};
enum { ACK_EACH, ACK_TOGETHER };
enum { NO_FAILURE, FLUSHED, RESET };
enum { PAIR_FIRST, QUEUE_TRIED, LEFT_FULL, UNREAD, ONE_REMAINS };

#define MESSAGES 3		/* of a round */
#define MOST	 (4 * MESSAGES) /* completions due at a time, with flushes */

static const struct combined_factor factors[QUEUES_FACTORS] = {
	[CREATION] = {"created", {"plain", "ex", "single-threaded", "domain"}},
	[SIZE] = {"size", {"roomy", "exact", "one-more"}},
	[CHANNEL] = {"channel", {"none", "one", "two"}},
	[USERS] = {"users", {"same", "apart", "other-pair"}},
	[ARMED] = {"armed", {"no", "all", "solicited", "upgraded"}},
	[SOLICITED] = {"solicits", {"none", "first", "middle", "last"}},
	[SIGNALED] = {"signaled", {"each", "tail", "unsignaled"}},
	[MODERATED] = {"moderated", {"no", "yes", "undone"}},
	[RESIZED] = {"resized", {"no", "larger", "smaller"}},
	[RESIZED_WHEN] = {"when", {"before", "while-armed", "half-taken"}},
	[TAKING] = {"taking", {"one", "many", "more", "batch"}},
	[REFUSED] = {"refused",
		     {"nothing", "destroy-cq", "destroy-channel", "resize",
		      "create", "moderate"}},
	[ACKNOWLEDGED] = {"acks", {"at-once", "together"}},
	[FAILURE] = {"failure", {"no", "flushed", "reset"}},
	[ENDING] = {"end",
		    {"pair-first", "tried", "full", "unread", "one-remains"}},
};

struct queues {
	struct notify n;
	struct post other; /* another pair of the same queues */
	const uint8_t *row;
	uint8_t channel2; /* of the receives */
	unsigned int round;
	unsigned int events; /* read, not acknowledged */
};

static bool has(const struct queues *q, enum queues_factor f, unsigned int l)
{
	return q->row[f] == l;
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	switch ((enum queues_factor)factor) {
	case CREATION:
		return !level || claim_holds(CLAIM_CQ_EX, g->d);
	case MODERATED:
		return !level || claim_holds(CLAIM_CQ_MODERATION, g->d);
	case FAILURE:
		return !level || !device_iwarp(g->d);
	case SIGNALED:
		return level != NONE_SIGNALED || post_reliable(kind);
	default:
		return true;
	}
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	if (is_level(row, CHANNEL, NO_CHANNEL) &&
	    (is_other(row, ARMED, NOT_ARMED) ||
	     is_level(row, REFUSED, DESTROY_CHANNEL) ||
	     is_level(row, ENDING, UNREAD)))
		return false;
	if (is_level(row, ARMED, NOT_ARMED) &&
	    (is_other(row, ACKNOWLEDGED, ACK_EACH) ||
	     is_level(row, RESIZED_WHEN, WHILE_ARMED)))
		return false;
	if (is_level(row, RESIZED, NOT_RESIZED) &&
	    is_other(row, RESIZED_WHEN, BEFORE))
		return false;
	if (is_level(row, USERS, SAME_QUEUE) &&
	    (is_level(row, CHANNEL, CHANNEL_EACH) ||
	     is_level(row, ENDING, ONE_REMAINS)))
		return false;
	if (is_level(row, ENDING, ONE_REMAINS) &&
	    is_other(row, CHANNEL, ONE_CHANNEL))
		return false;
	return !is_level(row, TAKING, BY_BATCH) ||
	       !is_level(row, CREATION, PLAIN);
}

/* Returns the size that the two rounds need at the most. */
static unsigned int size(const struct queues *q)
{
	static const unsigned int sizes[] = {
		[ROOMY] = 40, [EXACT] = MOST, [ONE_MORE] = MOST + 1};

	return sizes[q->row[SIZE]];
}

static uint8_t queue(const struct queues *q, uint8_t channel)
{
	struct gen *g = q->n.p.g;
	unsigned int how = q->row[CREATION];
	uint8_t domain =
		how == IN_DOMAIN ? gen_parent_domain(g, g->pd, NO_OBJ) : NO_OBJ;
	uint8_t cq;

	g->cq_ex = how != PLAIN;
	cq = gen_cq(g);
	g->cq_ex = false;
	prog_num(g->p, F_cqe, size(q));
	if (channel != NO_OBJ)
		prog_obj(g->p, F_cq_channel, channel);
	if (how == SINGLE_THREADED) {
		prog_num(g->p, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS);
		prog_num(g->p, F_cq_flags, IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	}
	if (how == IN_DOMAIN) {
		prog_num(g->p, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_PD);
		prog_obj(g->p, F_cq_parent, domain);
	}
	return cq;
}

static void make_pair(struct queues *q, struct post *p)
{
	struct gen *g = p->g;

	g->cq = q->n.sends;
	p->a = g->qp = gen_qp_of(g, p->kind);
	g->cq = q->n.receives;
	p->b = gen_qp_of(g, kind_receiver(p->kind));
	post_both(p, 0);
	g->cq = q->n.sends;
}

static void stage(struct queues *q, struct gen *g, enum qp_kind kind)
{
	struct notify *n = &q->n;

	n->p = post_parents(g, kind);
	n->channel = q->channel2 = NO_OBJ;
	if (!has(q, CHANNEL, NO_CHANNEL))
		n->channel = q->channel2 =
			gen_make(g, V_create_comp_channel, NO_OBJ);
	if (has(q, CHANNEL, CHANNEL_EACH))
		q->channel2 = gen_make(g, V_create_comp_channel, NO_OBJ);
	n->sends = n->receives = queue(q, n->channel);
	if (!has(q, USERS, SAME_QUEUE))
		n->receives = queue(q, q->channel2);
	make_pair(q, &n->p);
	q->other = n->p;
	if (has(q, USERS, OTHER_PAIR))
		make_pair(q, &q->other);
}

static void moderate(const struct queues *q, uint64_t count, uint64_t period)
{
	struct gen *g = q->n.p.g;

	gen_call(g, V_modify_cq, q->n.receives);
	prog_num(g->p, F_cq_attr_mask, IBV_CQ_ATTR_MODERATE);
	prog_num(g->p, F_cq_count, count);
	prog_num(g->p, F_cq_period, period);
}

static void moderates(const struct queues *q)
{
	if (!has(q, MODERATED, NOT_MODERATED))
		moderate(q, 1, 1);
	if (has(q, MODERATED, UNDONE))
		moderate(q, 0, 0);
}

static void resize(const struct queues *q, unsigned int when)
{
	struct gen *g = q->n.p.g;

	if (q->round || has(q, RESIZED, NOT_RESIZED) ||
	    !has(q, RESIZED_WHEN, when))
		return;
	gen_call(g, V_resize_cq, q->n.receives);
	prog_num(g->p, F_cqe, has(q, RESIZED, LARGER) ? 70 : MOST);
}

static void refused(const struct queues *q)
{
	const struct notify *n = &q->n;
	struct gen *g = n->p.g;

	switch (q->row[REFUSED]) {
	case DESTROY_QUEUE:
		gen_call(g, V_destroy_cq, n->receives);
		gen_call(g, V_destroy_cq, n->sends);
		return;
	case DESTROY_CHANNEL:
		gen_call(g, V_destroy_comp_channel, q->channel2);
		return;
	case RESIZE_ZERO:
		gen_call(g, V_resize_cq, n->receives);
		prog_num(g->p, F_cqe, 0);
		return;
	case CREATE_ZERO:
		queue(q, n->channel);
		prog_num(g->p, F_cqe, 0);
		return;
	case MODERATE_UNKNOWN:
		moderate(q, 1, 1);
		prog_num(g->p, F_cq_attr_mask, 1u << 31);
		return;
	default:
		return;
	}
}

static void arm(const struct queues *q)
{
	if (has(q, ARMED, NOT_ARMED))
		return;
	notify_arm(&q->n, q->n.receives, !has(q, ARMED, ARM_ALL));
	if (has(q, ARMED, ARM_UPGRADED))
		notify_arm(&q->n, q->n.receives, 0);
}

/* Returns true if a message of a round raises an event. */
static bool is_due(const struct queues *q)
{
	return has(q, ARMED, ARM_ALL) || has(q, ARMED, ARM_UPGRADED) ||
	       (has(q, ARMED, ARM_SOLICITED) &&
		!has(q, SOLICITED, NONE_SOLICITED));
}

/* The last request of a round is signaled even if no other one is: it tells
 * that all of them have been sent. */
static uint32_t flags(const struct queues *q, unsigned int at)
{
	static const unsigned int solicited[] = {
		[FIRST] = 0, [MIDDLE] = 1, [LAST] = 2};
	bool signals = has(q, SIGNALED, EACH_SIGNALED) ||
		       (has(q, SIGNALED, LAST_SIGNALED) && at == MESSAGES - 1);
	uint32_t f = signals ? IBV_SEND_SIGNALED : 0;

	if (!has(q, SOLICITED, NONE_SOLICITED) &&
	    solicited[q->row[SOLICITED]] == at)
		f |= IBV_SEND_SOLICITED;
	return f;
}

static unsigned int sent(const struct queues *q)
{
	static const unsigned int signals[] = {
		[EACH_SIGNALED] = MESSAGES,
		[LAST_SIGNALED] = 1,
		[NONE_SIGNALED] = 0,
	};

	return signals[q->row[SIGNALED]];
}

static void messages(const struct queues *q)
{
	const struct post *p = &q->n.p;
	uint8_t to = p->xsrq != NO_OBJ ? p->xsrq : p->b;

	post_recv(p, to, 200 + 10 * q->round, MESSAGES - 1);
	for (unsigned int i = 0; i < MESSAGES; i++)
		post_send(p, IBV_WR_SEND, 1 + 10 * q->round + i, flags(q, i));
}

static void hear(struct queues *q)
{
	struct gen *g = q->n.p.g;

	if (q->channel2 == NO_OBJ)
		return;
	gen_call(g, V_get_cq_event, q->channel2);
	prog_num(g->p, F_event_timeout, is_due(q) ? POST_WAIT : POST_QUIET);
	q->events += is_due(q);
	if (!has(q, ACKNOWLEDGED, ACK_EACH) || !q->events)
		return;
	notify_ack(&q->n, q->n.receives, q->events);
	q->events = 0;
}

static void take(const struct queues *q, uint8_t cq, unsigned int n)
{
	struct gen *g = q->n.p.g;

	if (has(q, TAKING, BY_BATCH))
		combined_poll_batches(g, cq, n);
	else if (has(q, TAKING, ALL_AT_ONCE))
		combined_poll(g, cq, n, n);
	else
		combined_poll(g, cq, n,
			      has(q, TAKING, MORE_ENTRIES) ? COMBINED_MORE : 0);
}

static void take_round(const struct queues *q)
{
	const struct notify *n = &q->n;
	unsigned int due = MESSAGES;

	if (n->sends == n->receives)
		due += sent(q);
	else
		take(q, n->sends, sent(q));
	post_poll_at(&n->p, n->receives, 1);
	resize(q, HALF_TAKEN);
	take(q, n->receives, due - 1);
}

static void other_sends(const struct queues *q)
{
	const struct post *p = &q->other;

	if (!has(q, USERS, OTHER_PAIR))
		return;
	post_recv(p, p->xsrq != NO_OBJ ? p->xsrq : p->b, 290, 0);
	post_send(p, IBV_WR_SEND, 90, IBV_SEND_SIGNALED);
	post_poll_at(p, q->n.sends, 1);
	post_poll_at(p, q->n.receives, 1);
}

static void carry(struct queues *q)
{
	arm(q);
	resize(q, WHILE_ARMED);
	if (!q->round)
		refused(q);
	messages(q);
	hear(q);
	take_round(q);
}

/* Between the rounds. */
static void fail(const struct queues *q)
{
	const struct post *p = &q->n.p;
	struct gen *g = p->g;

	if (has(q, FAILURE, NO_FAILURE))
		return;
	if (p->xsrq == NO_OBJ)
		post_recv(p, p->b, 270, 1);
	if (has(q, FAILURE, FLUSHED)) {
		gen_step(g, p->a, IBV_QPS_RTS, IBV_QPS_ERR);
		gen_step(g, p->b, IBV_QPS_RTS, IBV_QPS_ERR);
		post_send(p, IBV_WR_SEND, 70, 0);
		post_poll_at(p, q->n.sends, 1);
		if (p->xsrq == NO_OBJ)
			post_poll_at(p, q->n.receives, 2);
	}
	gen_modify(g, p->a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	gen_modify(g, p->b, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	post_both(p, 0);
}

static void ack_all(struct queues *q)
{
	if (q->events)
		notify_ack(&q->n, q->n.receives, q->events);
	q->events = 0;
}

static void destroy_pair(const struct post *p)
{
	gen_call(p->g, V_destroy_qp, p->a);
	gen_call(p->g, V_destroy_qp, p->b);
}

static void destroy_queues(const struct queues *q)
{
	const struct notify *n = &q->n;

	gen_call(n->p.g, V_destroy_cq, n->receives);
	if (n->sends != n->receives)
		gen_call(n->p.g, V_destroy_cq, n->sends);
}

/* Leaves completions in the queues, and an event in the channel if the queue is
 * armed. */
static void leave(struct queues *q, bool armed)
{
	if (armed)
		notify_arm(&q->n, q->n.receives, 0);
	q->round = 2;
	messages(q);
	if (q->n.sends != q->n.receives)
		post_poll_at(&q->n.p, q->n.sends, sent(q));
	post_poll_at(&q->n.p, q->n.receives, 1);
}

/* The queues are refused as long as a queue pair uses them. */
static void destroy_qps(const struct queues *q)
{
	const struct post *p = &q->n.p;

	gen_call(p->g, V_destroy_qp, p->a);
	if (has(q, ENDING, QUEUE_TRIED))
		gen_call(p->g, V_destroy_cq, q->n.receives);
	gen_call(p->g, V_destroy_qp, p->b);
	if (!has(q, USERS, OTHER_PAIR))
		return;
	destroy_queues(q);
	other_sends(q);
	destroy_pair(&q->other);
}

static void destroy_channels(const struct queues *q)
{
	struct gen *g = q->n.p.g;

	if (has(q, CHANNEL, NO_CHANNEL))
		return;
	gen_call(g, V_destroy_comp_channel, q->n.channel);
	if (q->channel2 != q->n.channel)
		gen_call(g, V_destroy_comp_channel, q->channel2);
}

static void end(struct queues *q)
{
	const struct notify *n = &q->n;
	struct gen *g = n->p.g;

	if (has(q, ENDING, LEFT_FULL) || has(q, ENDING, UNREAD))
		leave(q, has(q, ENDING, UNREAD));
	else
		post_poll_at(&n->p, n->receives, 0);
	ack_all(q);
	gen_query(g, n->p.a);
	gen_query(g, n->p.b);
	destroy_qps(q);
	if (has(q, ENDING, ONE_REMAINS)) {
		gen_call(g, V_destroy_cq, n->receives);
		gen_call(g, V_destroy_comp_channel, n->channel);
		gen_call(g, V_destroy_cq, n->sends);
	} else {
		destroy_queues(q);
	}
	destroy_channels(q);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct queues q = {.row = row};

	stage(&q, g, kind);
	moderates(&q);
	resize(&q, BEFORE);
	carry(&q);
	other_sends(&q);
	fail(&q);
	q.round = 1;
	carry(&q);
	end(&q);
}

static const struct combined queues = {
	.name = "queues",
	.factor = factors,
	.n = QUEUES_FACTORS,
	.three = 1u << QK_RC,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_queues(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC || kind == QK_UC || kind == QK_UD)
		combined_cases(g, kind, &queues, ROW_POLL_EACH,
			       post_claim(g, kind, IBV_QPS_RTS, NULL));
}

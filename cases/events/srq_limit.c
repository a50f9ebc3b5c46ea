/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The limit of an SRQ: when its event arrives and how often, which operations
 * take the receives that it counts, and calls that set it or are refused.
 */
#include "cases/events/completion.h"

#define ENLARGED 31 /* entries */

/* Takes `n` receives, down to the limit, and one more, which raises the event.
 */
static void pass_limit(const struct post *p, unsigned int n)
{
	event_take(p, n);
	gen_async_event(p->g, NO_OBJ, POST_QUIET);
	event_take(p, 1);
	gen_async_event(p->g, NO_OBJ, POST_WAIT);
}

static void limit_passed(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "srq-limit/once") ||
	    !event_srq_says(g, kind, ROW_SRQ_LIMIT_EVENT,
			    "Receives drop below the SRQ limit"))
		return;
	p = event_srq_pair(g, kind, 6);
	gen_srq_limit(g, p.srq, 4);
	pass_limit(&p, 2);
	gen_call(g, V_query_srq, p.srq);
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_srq_limit(g, p.srq, 2);
	gen_call(g, V_query_srq, p.srq);
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* One call sets another size and the limit. */
static void limit_with_size(struct gen *g, enum qp_kind kind)
{
	enum claim claim = gen_also(g, post_claim_behind(g, CLAIM_SRQ, kind),
				    CLAIM_SRQ_RESIZE);
	struct post p;

	if (!gen_id(g, "srq-limit/with-size") ||
	    !gen_says_rule(g, ROW_SRQ_LIMIT_EVENT, claim,
			   "A limit that is set together with max_wr, %s",
			   qp_kind_name(kind)))
		return;
	p = event_srq_pair(g, kind, 6);
	gen_srq_limit(g, p.srq, 4);
	prog_num(g->p, F_srq_mask, IBV_SRQ_LIMIT | IBV_SRQ_MAX_WR);
	prog_num(g->p, F_srq_attr_max_wr, ENLARGED);
	gen_call(g, V_query_srq, p.srq);
	pass_limit(&p, 2);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* How the size of an SRQ changes, beside a limit of 4. */
enum resized {
	LARGER,
	SMALLER,
	AGAIN,	 /* larger twice */
	EARLIER, /* before the limit is set */
	TAKEN,	 /* after one receive was taken */
	REFUSED, /* to a size past max_srq_wr */
	RESIZED
};
static const char *const resized_names[RESIZED] = {
	"larger", "smaller", "twice", "before", "half-taken", "refused"};

static void resize_alone(const struct post *p, uint64_t size)
{
	gen_call(p->g, V_modify_srq, p->srq);
	prog_num(p->g->p, F_srq_mask, IBV_SRQ_MAX_WR);
	if (size)
		prog_num(p->g->p, F_srq_attr_max_wr, size);
	else
		prog_limit(p->g->p, F_srq_attr_max_wr, LIM_max_srq_wr, 1);
}

static void resize_armed(const struct post *p, enum resized how)
{
	if (how == SMALLER || how == EARLIER)
		resize_alone(p, ENLARGED);
	gen_srq_limit(p->g, p->srq, 4);
	if (how == TAKEN)
		event_take(p, 1);
	if (how == SMALLER)
		resize_alone(p, ENLARGED / 2);
	else if (how != EARLIER)
		resize_alone(p, how == REFUSED ? 0 : ENLARGED);
	if (how == AGAIN)
		resize_alone(p, 2 * ENLARGED);
}

/* A call for the size alone leaves the SRQ armed. */
static void limit_resized(struct gen *g, enum qp_kind kind, enum resized how)
{
	enum claim claim = gen_also(g, post_claim_behind(g, CLAIM_SRQ, kind),
				    CLAIM_SRQ_RESIZE);
	struct post p;

	if (!gen_id(g, "srq-limit/resized-%s", resized_names[how]) ||
	    !gen_says_rule(g, ROW_SRQ_LIMIT_EVENT, claim,
			   "An armed SRQ whose size changes, %s",
			   qp_kind_name(kind)))
		return;
	p = event_srq_pair(g, kind, 6);
	resize_armed(&p, how);
	gen_call(g, V_query_srq, p.srq);
	pass_limit(&p, how == TAKEN ? 1 : 2);
	gen_call(g, V_query_srq, p.srq);
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* A call that is refused for its size changes no limit: the SRQ is armed for
 * `armed` receives, or not armed at 0, before and after. */
static void limit_with_refused_size(struct gen *g, enum qp_kind kind,
				    const char *name, uint32_t armed)
{
	struct post p;

	if (!gen_id(g, "srq-limit/%s", name) ||
	    !event_srq_says(g, kind,
			    armed ? ROW_SRQ_LIMIT_EVENT : ROW_EVENT_NONE,
			    "A limit in a call whose max_wr is refused"))
		return;
	p = event_srq_pair(g, kind, 6);
	if (armed)
		gen_srq_limit(g, p.srq, armed);
	gen_srq_limit_past_size(g, p.srq, 4);
	event_take(&p, 3);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	event_take(&p, 2);
	gen_async_event(g, NO_OBJ, armed ? POST_WAIT : POST_QUIET);
	gen_call(g, V_query_srq, p.srq);
	gen_done(g);
}

/* Refilled after its event, an SRQ that is not armed again raises none. */
static void limit_refilled(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "srq-limit/refilled") ||
	    !event_srq_says(g, kind, ROW_SRQ_LIMIT_EVENT,
			    "The SRQ is refilled after its event"))
		return;
	p = event_srq_pair(g, kind, 3);
	gen_srq_limit(g, p.srq, 3);
	event_take(&p, 3);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	post_recv(&p, p.srq, 300, 3);
	event_take(&p, 4);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* Refilled and armed again with the same limit or another one, the SRQ raises
 * an event each time. */
static void limit_again(struct gen *g, enum qp_kind kind, uint32_t first,
			uint32_t then)
{
	struct post p;

	if (!gen_id(g, "srq-limit/%u-then-%u", first, then) ||
	    !event_srq_says(g, kind, ROW_SRQ_LIMIT_EVENT,
			    "The SRQ is refilled and armed again"))
		return;
	p = event_srq_pair(g, kind, 5);
	for (uint64_t i = 0; i < 3; i++) {
		uint32_t limit = i == 1 ? then : first;

		gen_srq_limit(g, p.srq, limit);
		event_take(&p, 5 - limit);
		gen_async_event(g, NO_OBJ, POST_QUIET);
		event_take(&p, 1);
		gen_async_event(g, NO_OBJ, POST_WAIT);
		post_recv(&p, p.srq, 300 + 100 * i, 5 - limit);
	}
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

static void limit_disarmed(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "srq-limit/disarmed") ||
	    !event_srq_says(g, kind, ROW_EVENT_NONE, "An SRQ limit of 0"))
		return;
	p = event_srq_pair(g, kind, 4);
	gen_srq_limit(g, p.srq, 3);
	gen_srq_limit(g, p.srq, 0);
	gen_call(g, V_query_srq, p.srq);
	event_take(&p, 4);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* Armed below its limit, the SRQ raises an event, at the latest when the next
 * receive is taken. */
static void limit_below(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "srq-limit/below-when-armed") ||
	    !event_srq_says(
		    g, kind, ROW_SRQ_ARMING_LATE,
		    "The SRQ is armed when it is already below the limit"))
		return;
	p = event_srq_pair(g, kind, 3);
	gen_srq_limit(g, p.srq, 5);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_call(g, V_query_srq, p.srq);
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

static void limit_unacknowledged(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "srq-limit/destroy") ||
	    !event_srq_says(g, kind, ROW_ACK_WAITS,
			    "An SRQ with an unacknowledged event"))
		return;
	p = event_srq_pair(g, kind, 2);
	gen_srq_limit(g, p.srq, 2);
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	prog_num(g->p, F_event_hold, 1);
	gen_call(g, V_destroy_qp, p.b);
	notify_destroy(g, V_destroy_srq_waits, p.srq);
	gen_call(g, V_destroy_qp, p.a);
	gen_done(g);
}

/* An unread event is dropped with its object. */
static void limit_unread(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "srq-limit/destroy-unread") ||
	    !event_srq_says(g, kind, ROW_EVENT_NONE,
			    "An SRQ is destroyed with an unread event"))
		return;
	p = event_srq_pair(g, kind, 2);
	gen_srq_limit(g, p.srq, 2);
	event_take(&p, 1);
	gen_call(g, V_destroy_qp, p.b);
	gen_call(g, V_destroy_srq, p.srq);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

/* Which of the three receives that bring an SRQ below its limit an operation
 * takes; SENDs take the others. EMPTY: all, by messages without bytes. */
enum takes { FIRST, LAST, ALL, EMPTY, TAKES };

static bool takes_turn(enum takes takes, unsigned int turn)
{
	return takes >= ALL || turn == (takes == FIRST ? 0 : 2);
}

static void take_by(const struct post *p, const struct opcode *op,
		    enum takes takes)
{
	post_send(p, op->value, 1, 0);
	if (takes == EMPTY)
		prog_num(p->g->p, F_send_num_sge, 0);
	post_poll(p, 1);
}

/* Binds the window that a SEND_WITH_INV invalidates. */
static void bind_window(struct post *p)
{
	post_window(p);
	post_bind(p, p->b, 50);
}

static void limit_of_operation(struct gen *g, enum qp_kind kind,
			       const struct opcode *op, enum takes takes)
{
	static const char *const names[TAKES] = {"first", "last", "all",
						 "empty"};
	enum claim claim = gen_also(g, post_claim(g, kind, IBV_QPS_RTS, op),
				    op->invalidates ? CLAIM_MW_2 : CLAIM_NONE);
	struct post p;

	if (!gen_id(g, "srq-limit/%s/%s", op->slug, names[takes]) ||
	    !gen_says_rule(g, ROW_SRQ_LIMIT_EVENT,
			   gen_also(g, claim, CLAIM_SRQ),
			   "Receives that %s takes count for the limit, %s",
			   op->slug, qp_kind_name(kind)))
		return;
	p = event_srq_pair(g, kind, 6);
	if (op->invalidates)
		bind_window(&p);
	gen_srq_limit(g, p.srq, 4);
	for (unsigned int turn = 0; turn < 3; turn++) {
		if (takes_turn(takes, turn))
			take_by(&p, op, takes);
		else
			event_take(&p, 1);
		if (turn)
			gen_async_event(g, NO_OBJ,
					turn == 2 ? POST_WAIT : POST_QUIET);
	}
	event_take(&p, 1);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_done(g);
}

static void limit_of_operations(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		bool once = op[i].invalidates; /* there is one window */

		if (!op[i].receive || (once && kind != QK_RC) ||
		    !opcode_has(&op[i], kind))
			continue;
		for (enum takes takes = 0; takes < TAKES; takes++)
			if ((op[i].value != IBV_WR_SEND || takes == EMPTY) &&
			    (!once || takes < ALL))
				limit_of_operation(g, kind, &op[i], takes);
	}
}

void gen_events_srq_limit(struct gen *g, enum qp_kind kind)
{
	limit_passed(g, kind);
	limit_with_size(g, kind);
	for (enum resized how = 0; how < RESIZED; how++)
		limit_resized(g, kind, how);
	limit_with_refused_size(g, kind, "refused-size", 0);
	limit_with_refused_size(g, kind, "refused-size-armed", 2);
	limit_refilled(g, kind);
	limit_again(g, kind, 3, 3);
	limit_again(g, kind, 2, 4);
	limit_again(g, kind, 4, 2);
	limit_disarmed(g, kind);
	limit_below(g, kind);
	limit_unacknowledged(g, kind);
	limit_unread(g, kind);
	limit_of_operations(g, kind);
}

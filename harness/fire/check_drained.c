// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * SQ_DRAINED comes once for each SQD that asked for it, and after the last send
 * that was under way.
 */
#include "fire/checks.h"

static bool is_event(const struct fire_record *r, uint16_t qp)
{
	return fire_is_event(r, qp, IBV_EVENT_SQ_DRAINED);
}

/* Returns true for a granted SQD that asked for the event. Some devices raise
 * it unasked (choice/sq-drained-unasked), so with `any` each SQD counts. */
static bool asks(const struct fire_record *r, uint16_t qp, bool any)
{
	const struct qp_attr_args *in = &r->b.in.qp_attr;

	return fire_moves(r, qp, IBV_QPS_SQD) &&
	       (any || (in->mask & IBV_QP_EN_SQD_ASYNC_NOTIFY &&
			in->attr.en_sqd_async_notify));
}

static bool check_count(const struct fire_view *v, uint16_t qp,
			struct fire_said *said)
{
	unsigned int asked = 0, came = 0;

	for (unsigned int i = 0; i < v->log->n; i++) {
		asked += asks(&v->log->record[i], qp, true);
		came += is_event(&v->log->record[i], qp);
	}
	if (came <= asked)
		return false;
	return fire_say(said, ROW_FIRE_DRAINED,
			"one SQ_DRAINED for each granted SQD",
			"%s: %u events for %u transitions to SQD",
			v->p->object[qp].name, came, asked);
}

/* Returns the last granted SQD that had returned before the event did, if no
 * other change of the queue pair's state may have come after it until `until`
 * returned; else NULL. */
static const struct fire_record *sqd_of(const struct fire_view *v,
					const struct fire_record *event,
					uint16_t qp,
					const struct fire_record *until)
{
	const struct fire_record *sqd = NULL;

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (asks(r, qp, true) && fire_before(r, event) &&
		    (!sqd || fire_before(sqd, r)))
			sqd = r;
	}
	for (unsigned int i = 0; i < v->log->n && sqd; i++) {
		const struct fire_record *r = &v->log->record[i];
		bool moves = r->b.verb == V_modify_qp && r->b.on == qp &&
			     r->b.in.qp_attr.mask & IBV_QP_STATE;

		if ((moves || fire_destroys(r, qp)) && r != sqd &&
		    !fire_before(r, sqd) && !fire_before(until, r))
			sqd = NULL;
	}
	return sqd;
}

/* Returns true if the event may be of an earlier SQD, whose event was not read
 * before: there were more SQDs than events. */
static bool may_be_earlier(const struct fire_view *v,
			   const struct fire_record *event, uint16_t qp)
{
	unsigned int asked = 0, came = 0;

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		asked += asks(r, qp, true) && !fire_before(event, r);
		came += is_event(r, qp) && !fire_before(event, r);
	}
	return asked > came;
}

static bool comes_late(const struct fire_view *v,
		       const struct fire_completion *c,
		       const struct fire_record *event, struct fire_said *said)
{
	uint16_t qp = c->of->queue;

	if (!is_event(event, qp) || may_be_earlier(v, event, qp) ||
	    !fire_before(event, c->poll) ||
	    !fire_saw_empty(v, c->poll->b.on, event, c->poll) ||
	    !sqd_of(v, event, qp, c->poll))
		return false;
	return fire_say(said, ROW_FIRE_DRAINED_LAST,
			"no send completes after SQ_DRAINED, while the queue "
			"pair stays in SQD",
			"wr_id %llu of %s completes after the event",
			(unsigned long long)c->wc->wr_id,
			v->p->object[qp].name);
}

static bool check_last(const struct fire_view *v,
		       const struct fire_completion *c, struct fire_said *said)
{
	for (unsigned int i = 0; i < v->log->n; i++)
		if (comes_late(v, c, &v->log->record[i], said))
			return true;
	return false;
}

/* Returns true if no send was under way at the call `by`: each was posted after
 * SQD, or had succeeded. A send that waits for a receive is under way though
 * sq_draining may be 0 (choice/draining-elsewhere). */
static bool all_succeeded(const struct fire_view *v, uint16_t qp,
			  const struct fire_record *sqd,
			  const struct fire_record *by)
{
	for (unsigned int i = 0; i < v->nrequests; i++) {
		const struct fire_request *r = &v->request[i];

		if (!r->recv && r->queue == qp && r->accepted &&
		    !fire_before(sqd, r->post) && !fire_succeeded(v, r, by))
			return false;
	}
	return true;
}

/* Returns true if the program has read that the send queue is drained, with no
 * other change of state after SQD. */
static bool was_drained(const struct fire_view *v, uint16_t qp)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];
		const struct fire_record *sqd;

		if (r->b.verb != V_wait_drained || r->b.on != qp || !r->end ||
		    !fire_granted(r))
			continue;
		sqd = sqd_of(v, r, qp, r);
		if (sqd && asks(sqd, qp, false) && all_succeeded(v, qp, sqd, r))
			return true;
	}
	return false;
}

static bool any_event(const struct fire_view *v, uint16_t qp)
{
	for (unsigned int i = 0; i < v->log->n; i++)
		if (is_event(&v->log->record[i], qp))
			return true;
	return false;
}

static bool check_missing(const struct fire_view *v, uint16_t qp,
			  struct fire_said *said)
{
	if (v->iwarp || any_event(v, qp) || !v->results->alive[qp] ||
	    !was_drained(v, qp))
		return false;
	return fire_say(said, ROW_FIRE_DRAINED, "SQ_DRAINED",
			"%s: the send queue drained, and no event came",
			v->p->object[qp].name);
}

bool fire_check_drained(const struct fire_view *v, struct fire_said *said)
{
	for (uint16_t slot = 0; slot < v->p->nobjects; slot++)
		if (v->p->object[slot].kind == OBJ_QP &&
		    (check_count(v, slot, said) ||
		     check_missing(v, slot, said)))
			return true;
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->of && !c->of->recv && check_last(v, c, said))
			return true;
	}
	return false;
}

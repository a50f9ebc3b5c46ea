/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asynchronous events: the events that wait to be read, in any order, and
 * objects whose destruction waits for acknowledgements.
 */
#include <errno.h>
#include "model/events/events.h"
#include "model/unseen/failed_qp.h"

static bool same_event(const struct model_event *a, const struct model_event *b)
{
	return a->type == b->type && a->slot == b->slot &&
	       a->optional == b->optional &&
	       a->seen_missing == b->seen_missing && a->row == b->row;
}

/* Equal events are counted, not repeated. */
static void keep_event(struct model *m, const struct model_event *e)
{
	for (int i = 0; i < m->nevents; i++) {
		unsigned int times = m->event[i].times + (unsigned int)e->times;

		if (!same_event(&m->event[i], e) || times > UINT8_MAX)
			continue;
		m->event[i].times = (uint8_t)times;
		return;
	}
	if (m->nevents == MODEL_MAX_EVENTS)
		m->events_lost = true;
	else
		m->event[m->nevents++] = *e;
}

void async_add(struct model *m, uint8_t type, uint16_t slot, bool optional,
	       enum row row)
{
	const struct model_event e = {.type = type,
				      .times = 1,
				      .slot = slot,
				      .optional = optional,
				      .row = (uint16_t)row};

	keep_event(m, &e);
}

void async_forget(struct model *m, uint16_t of)
{
	int kept = 0;

	for (int i = 0; i < m->nevents; i++)
		if (m->event[i].slot != of)
			m->event[kept++] = m->event[i];
	m->nevents = (uint8_t)kept;
}

static enum field element_field(enum object_kind kind)
{
	if (kind == OBJ_CQ)
		return F_event_cq;
	return kind == OBJ_SRQ ? F_event_srq : F_event_qp;
}

/* Returns a live handle of an object, preferably one of the call's context, or
 * NO_OBJ. A queue pair that was opened has several. */
static uint16_t handle_of(const struct step *s, uint16_t slot)
{
	const struct object *o = s->m->object;
	uint16_t found = o[slot].alive ? slot : NO_OBJ;

	if (found == slot && o[slot].ctx == s->b->on)
		return slot;
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i)) {
		if (!o[i].alive || o[i].real != slot)
			continue;
		if (o[i].ctx == s->b->on)
			return i;
		if (found == NO_OBJ)
			found = i;
	}
	return found;
}

static uint64_t element(const struct step *s, const struct model_event *e,
			enum field f)
{
	bool mine = element_field(
			    (enum object_kind)s->m->object[e->slot].kind) == f;

	return mine ? handle_of(s, e->slot) : NO_OBJ;
}

/* Returns true for an event of an object of the context. */
static bool is_here(const struct step *s, const struct model_event *e)
{
	const struct object *o = s->m->object;
	uint16_t handle = handle_of(s, e->slot);

	if (o[e->slot].device != s->device || handle == NO_OBJ)
		return false;
	if (mutant_has_quirk(s->mutant, QUIRK_EVENT_CONTEXT))
		return s->b->on == NO_OBJ;
	return o[handle].ctx == s->b->on;
}

static bool is_seen(const struct step *s, const struct model_event *e)
{
	static const enum field fields[] = {F_event_qp, F_event_cq,
					    F_event_srq};

	if (e->type != answer_seen(s, F_event_type, NO_EVENT))
		return false;
	for (int i = 0; i < 3; i++)
		if (element(s, e, fields[i]) !=
		    answer_seen(s, fields[i], NO_OBJ))
			return false;
	return true;
}

/* For a device: returns true if the event is raised. */
static bool is_raised(const struct step *s, const struct model_event *e)
{
	int out = mutant_choice(s->mutant, (enum row)e->row);

	if (mutant_skips(s->mutant, (enum row)e->row))
		return false;
	if (!e->optional)
		return true;
	return (out < 0 ? (int)rule((enum row)e->row)->out[0] : out) !=
	       OUT_NO_EVENT;
}

/* For an oracle that sees LAST_WQE_REACHED: if a waiting send may have failed
 * unseen and taken the queue pair to ERR, lets the send fail and returns true.
 */
static bool failed_unseen(struct step *s)
{
	uint64_t qp = answer_seen(s, F_event_qp, NO_OBJ);

	return answer_seen(s, F_event_type, NO_EVENT) ==
		       IBV_EVENT_QP_LAST_WQE_REACHED &&
	       qp < s->m->top && s->m->object[qp].kind == OBJ_QP &&
	       retry_end_noticed(s, (uint16_t)qp);
}

/* For an oracle that sees PATH_MIG: if a send without retries may have made its
 * queue pair migrate unseen, lets it migrate and returns true. */
static bool migrated_unseen(struct step *s)
{
	uint64_t qp = answer_seen(s, F_event_qp, NO_OBJ);

	return answer_seen(s, F_event_type, NO_EVENT) == IBV_EVENT_PATH_MIG &&
	       qp < s->m->top && s->m->object[qp].kind == OBJ_QP &&
	       retry_migration_noticed(s, obj(s->m, (uint16_t)qp)->real);
}

/* Returns the index of the event that was seen, or -1. A required event goes
 * before an equal optional one. */
static int seen_event(struct step *s)
{
	const struct model *m = s->m;
	int other = -1;

	for (int i = 0; i < m->nevents; i++) {
		if (!is_here(s, &m->event[i]) || !is_seen(s, &m->event[i]))
			continue;
		if (!m->event[i].optional)
			return i;
		other = other < 0 ? i : other;
	}
	if (other >= 0)
		return other;
	if (async_overrun_seen(s) || failed_unseen(s) || migrated_unseen(s))
		return seen_event(s);
	/* No event matches: return a required one to say what was expected. */
	for (int i = 0; i < m->nevents; i++)
		if (is_here(s, &m->event[i]) && !m->event[i].optional)
			return i;
	return -1;
}

static int first_event(struct step *s)
{
	const struct model *m = s->m;

	for (int i = 0; i < m->nevents; i++)
		record_row(s, (enum row)m->event[i].row);
	if (is_oracle(s))
		return seen_event(s);
	for (int i = 0; i < m->nevents; i++)
		if (is_here(s, &m->event[i]) && is_raised(s, &m->event[i]))
			return i;
	return -1;
}

static void remove_event(struct model *m, int at)
{
	m->nevents--;
	memmove(&m->event[at], &m->event[at + 1],
		(size_t)(m->nevents - at) * sizeof(m->event[0]));
}

static void take_event(struct model *m, int at)
{
	if (!--m->event[at].times)
		remove_event(m, at);
}

/* Chooses the outcome of an optional event's row: it came or did not. */
static void choose_optional(struct step *s, enum row row, bool came)
{
	uint64_t comes[ROW_MAX_OUTS];
	int n = rule_nouts(row);

	for (int i = 0; i < n; i++)
		comes[i] = rule(row)->out[i] != OUT_NO_EVENT;
	choose_value(s, row, comes, n, came);
}

/* Notes that a read returned none of the device's optional events. */
static void note_missing(struct step *s)
{
	int n = is_oracle(s) ? s->m->nevents : 0;

	for (int i = 0; n--; i++) {
		struct model_event e = s->m->event[i];

		if (e.seen_missing || !e.optional || !is_here(s, &e))
			continue;
		choose_optional(s, (enum row)e.row, false);
		remove_event(s->m, i--);
		e.seen_missing = true;
		keep_event(s->m, &e);
	}
}

/* Returns true if another context has a handle of the object. Each context that
 * has opened a queue pair gets its events. */
static bool is_shared(const struct step *s, uint16_t slot)
{
	const struct object *o = s->m->object;

	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i))
		if (o[i].alive && o[i].real == slot && o[i].ctx != s->b->on)
			return true;
	return false;
}

static bool may_repeat(const struct step *s, const struct model_event *e)
{
	return is_shared(s, e->slot) || e->type == IBV_EVENT_CQ_ERR ||
	       e->type == IBV_EVENT_PATH_MIG_ERR ||
	       e->type == IBV_EVENT_QP_LAST_WQE_REACHED;
}

/* Returns true if the event that was seen is one of another context. */
static bool is_of_another(const struct step *s)
{
	for (int i = 0; i < s->m->nevents; i++)
		if (is_seen(s, &s->m->event[i]))
			return true;
	return false;
}

/* Returns the row that an unexpected event violates. SQ_DRAINED has to wait for
 * the sends under way. */
static enum row unexpected_row(const struct step *s)
{
	uint64_t type = answer_seen(s, F_event_type, NO_EVENT);
	uint64_t at = answer_seen(s, F_event_qp, NO_OBJ);

	if (type == NO_EVENT)
		return ROW_EVENT_NONE;
	if (is_of_another(s))
		return ROW_EVENT_CONTEXT;
	if (type != IBV_EVENT_SQ_DRAINED)
		return broken_rule_event(s, ROW_EVENT_NONE);
	return at < s->m->top && s->m->object[at].kind == OBJ_QP &&
			       retry_is_under_way(s->m, (uint16_t)at) &&
			       s->m->object[at].qp.state == IBV_QPS_SQD
		       ? ROW_SQD_UNDER_WAY
		       : ROW_EVENT_NONE;
}

/* Returns true if the event tells that its queue pair is in ERR. */
static bool tells_stop(const struct model_event *e)
{
	return e->type == IBV_EVENT_QP_LAST_WQE_REACHED ||
	       e->type == IBV_EVENT_QP_REQ_ERR ||
	       e->type == IBV_EVENT_QP_ACCESS_ERR ||
	       e->type == IBV_EVENT_QP_FATAL;
}

void do_get_async_event(struct step *s)
{
	int at = first_event(s);
	struct model_event e;

	answer_accept(s, ROW_EVENT_NONE);
	if (is_oracle(s) && s->m->events_lost) {
		s->m->lost_track = true;
		return;
	}
	if (at < 0) {
		note_missing(s);
		answer_define(s, F_event_type, NO_EVENT, unexpected_row(s));
		return;
	}
	e = s->m->event[at];
	if (e.optional)
		choose_optional(s, (enum row)e.row, true);
	s->a->row = (enum row)e.row;
	answer_define(s, F_event_type, e.type, s->a->row);
	answer_define(s, F_event_qp, element(s, &e, F_event_qp), s->a->row);
	answer_define(s, F_event_cq, element(s, &e, F_event_cq), s->a->row);
	answer_define(s, F_event_srq, element(s, &e, F_event_srq), s->a->row);
	overrun_note_seen(s->m, &e);
	if (e.type == IBV_EVENT_QP_LAST_WQE_REACHED)
		s->m->habit[s->m->object[e.slot].device].raises_last_wqe = true;
	if (tells_stop(&e))
		failed_qp_note_seen(s->m, e.slot);
	if (s->b->in.event.hold)
		s->m->object[e.slot].unacked_events++;
	if (mutant_repeats(s->mutant, V_get_async_event))
		return;
	take_event(s->m, at);
	if (may_repeat(s, &e))
		async_add(s->m, e.type, e.slot, true, ROW_EVENT_AGAIN);
}

bool async_has_unacked(const struct object *o)
{
	return o->unacked_events || (o->kind == OBJ_CQ && o->cq.unacked);
}

/* Destroys while a second thread acknowledges the events. */
static void destroy_waits(struct step *s, void (*destroy)(struct step *s))
{
	struct object *o = obj(s->m, obj(s->m, s->b->on)->real);
	bool waits = async_has_unacked(o);

	/* a seeded fault: some acknowledgements did not count */
	if (o->kind == OBJ_CQ && o->cq.acks_lost) {
		answer_refuse(s, ROW_ACK_WAITS, ETIMEDOUT);
		return;
	}
	if (o->kind == OBJ_CQ)
		o->cq.unacked = 0;
	o->unacked_events = 0;
	destroy(s);
	if (s->a->outcome.ret || !waits)
		return;
	record_row(s, ROW_ACK_WAITS);
	answer_define(s, F_waited,
		      !mutant_skips(s->mutant, ROW_ACK_WAITS) &&
			      !(o->kind == OBJ_SRQ &&
				mutant_has_quirk(s->mutant, QUIRK_SRQ_NO_WAIT)),
		      ROW_ACK_WAITS);
}

void do_destroy_cq_waits(struct step *s)
{
	destroy_waits(s, do_destroy_cq);
}

void do_destroy_srq_waits(struct step *s)
{
	destroy_waits(s, do_destroy_srq);
}

void do_destroy_qp_waits(struct step *s)
{
	destroy_waits(s, do_destroy_qp);
}

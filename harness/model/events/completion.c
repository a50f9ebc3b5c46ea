/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Events of completion queues: arming, raising and reading them. An arming
 * allows one event. The queues of a channel may be read in any order.
 */
#include <errno.h>
#include "model/cntr/cntr.h"
#include "model/events/events.h"
#include "model/unseen/optional_completion.h"
#include "model/unseen/retry.h"

static bool has_error(const struct model_wr *w)
{
	return w->status != IBV_WC_SUCCESS || w->any_error;
}

/* Returns true if the completion counts for an arming for solicited ones only.
 */
static bool is_solicited(struct step *s, const struct model_wr *w)
{
	if (has_error(w) && !w->recv &&
	    mutant_has_quirk(s->m->mutant, QUIRK_SOLICITED_SEND))
		return false;
	if (w->status == IBV_WC_WR_FLUSH_ERR && !w->recv &&
	    mutant_has_quirk(s->m->mutant, QUIRK_SOLICITED_FLUSH))
		return false;
	if (has_error(w)) {
		record_row(s, ROW_NOTIFY_ERROR);
		return !mutant_skips(s->m->mutant, ROW_NOTIFY_ERROR);
	}
	record_row(s, ROW_NOTIFY_SOLICITED);
	return (w->recv && w->solicited) ||
	       mutant_skips(s->m->mutant, ROW_NOTIFY_SOLICITED);
}

/* Returns true unless the completion is optional and did not come. */
static bool is_delivered(struct step *s, const struct model_wr *w)
{
	return w->optional_row == ROW_NONE ||
	       optional_is_there(s, (enum row)w->optional_row);
}

/* Returns true if the completion raises an event by the queue's arming. */
static bool is_asked_for(struct step *s, const struct model_wr *w)
{
	const struct model_cq *cq = &s->m->object[w->cq].cq;

	if (cq->armed == DISARMED)
		return false;
	return cq->armed == ARMED_ANY || is_solicited(s, w);
}

static bool raises_event(struct step *s, const struct model_wr *w)
{
	return s->m->object[w->cq].cq.armed != DISARMED && is_delivered(s, w) &&
	       is_asked_for(s, w);
}

/* Returns the row that a missing event of the completion violates. */
static enum row row_of_event(const struct model_cq *cq,
			     const struct model_wr *w)
{
	return cq->armed == ARMED_SOLICITED && has_error(w) ? ROW_NOTIFY_ERROR
							    : ROW_NOTIFY_EVENT;
}

/* Seeded faults: an event waits for the period, whatever the count is, or until
 * as many completions as the first count are there; it waits for the period in
 * ms, unless as many completions as the count are there. */
static void delay_event(const struct step *s, struct model_cq *cq)
{
	if (mutant_skips(s->m->mutant, ROW_MODERATE_COUNT) ||
	    (mutant_has_quirk(s->m->mutant, QUIRK_MODERATE_FIRST) &&
	     cq->first_count > cq->count))
		cq->late_ms = (cq->period + 999u) / 1000;
	if (mutant_has_quirk(s->m->mutant, QUIRK_PERIOD_MS))
		cq->late_ms = cq->count > 1 ? cq->period : 0;
}

/* For a seeded fault: a completion was added behind the one of an event. */
static void end_delay(const struct step *s, struct model_cq *cq)
{
	uint32_t count =
		cq->first_count > cq->count ? cq->first_count : cq->count;

	if (cq->behind >= count &&
	    !mutant_skips(s->m->mutant, ROW_MODERATE_COUNT))
		cq->late_ms = 0;
}

static void raise_event(struct step *s, struct model_cq *cq, enum row row)
{
	cq->behind = 1;
	delay_event(s, cq);
	record_row(s, ROW_NOTIFY_EVENT);
	cq->event_row = (uint16_t)row;
	if (!mutant_repeats(s->m->mutant, V_req_notify_cq) &&
	    !(row == ROW_NOTIFY_ERROR &&
	      mutant_has_quirk(s->m->mutant, QUIRK_SOLICITED_KEPT)))
		cq->armed = DISARMED;
	if (cq->moderated)
		record_row(s, ROW_MODERATE_EVENT);
	if (cq->moderated && mutant_skips(s->m->mutant, ROW_MODERATE_EVENT))
		return;
	if (cq->channel != NO_OBJ && cq->events < UINT8_MAX &&
	    !mutant_skips(s->m->mutant, ROW_NOTIFY_EVENT))
		cq->events++;
}

/* Seeded fault: the limit of an SRQ is not looked at when a WRITE with
 * immediate takes a receive. */
static bool limit_forgotten(const struct step *s, const struct model_wr *w)
{
	return mutant_has_quirk(s->m->mutant, QUIRK_LIMIT_IMM) &&
	       w->wc_opcode == IBV_WC_RECV_RDMA_WITH_IMM;
}

void completion_added(struct step *s, struct model_wr *w)
{
	struct model_cq *cq;

	cntr_request_done(s, w);
	if (w->stage != WR_DONE || w->cq == NO_OBJ)
		return;
	if (w->recv && w->srq != NO_OBJ && w->owner != NO_OBJ)
		s->m->object[w->owner].qp.took_receive = true;
	if (w->recv && w->srq != NO_OBJ && !limit_forgotten(s, w))
		async_srq_receive_taken(s, w->srq);
	cq = &s->m->object[w->cq].cq;
	cq->behind += cq->moderated;
	if (cq->late_ms)
		end_delay(s, cq);
	if (cq_overruns(s, w))
		wr_set_stage(s->m, w, WR_RETIRED);
	else if (raises_event(s, w))
		raise_event(s, cq, row_of_event(cq, w));
}

/* Returns true if the end of the queue pair's sends adds completions to the
 * queue. */
static bool ends_in(const struct step *s, uint16_t qp, uint16_t cq)
{
	const struct model_qp *of = &s->m->object[qp].qp;

	return of->init.send_cq == cq ||
	       (of->init.recv_cq == cq &&
		wr_first(s->m, wr_list_at(s->m, qp, 1)));
}

/* Returns true if a completion can raise an event of the queue. */
static bool is_watched(const struct step *s, uint16_t slot)
{
	const struct model_cq *cq = &s->m->object[slot].cq;

	return cq->channel != NO_OBJ && cq->armed != DISARMED;
}

void event_maybe_raised(struct step *s, uint16_t qp)
{
	s->m->unseen_events |= is_oracle(s) && retry_ways_to_end(s, qp);
}

bool cq_event_on_receive(const struct step *s, uint16_t cq, bool solicited)
{
	const struct model_cq *of = &s->m->object[cq].cq;

	return of->armed == ARMED_ANY ||
	       (of->armed == ARMED_SOLICITED && solicited) ||
	       wr_slot(s->m, cq)->ready >= of->cqe;
}

static void arm(struct step *s, struct model_cq *cq, enum arming wanted)
{
	bool weaker = wanted == ARMED_SOLICITED && cq->armed == ARMED_ANY;

	if (cq->armed == ARMED_SOLICITED &&
	    mutant_has_quirk(s->mutant, QUIRK_ARM_STRONGER))
		return;
	if (!weaker || choose_hidden(s, ROW_NOTIFY_WEAKER) == OUT_LATEST)
		cq->armed = (uint8_t)wanted;
}

/* Returns true if a completion in the queue is of the kind that the queue is
 * armed for. Arming raises no event for a completion that is already there. */
static bool holds_cause(struct step *s, uint16_t cq)
{
	struct wr_list *list;

	for (unsigned int i = 0; (list = wr_next_list_of_cq(s->m, cq, &i));)
		each_wr(s->m, list, w)
		{
			if (w->stage == WR_DONE && w->cq == cq &&
			    is_asked_for(s, w))
				return true;
		}
	return false;
}

/* A waiting send that ended before an arming raises no event, and raises one if
 * it ends later. */
static void note_ends(struct step *s, uint16_t cq)
{
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp))
		if (ends_in(s, qp, cq))
			event_maybe_raised(s, qp);
	/* A send that has gone on over the alternate path raised no event
	 * either. */
	s->m->lost_track |= retry_any_may_migrate(s);
}

void do_req_notify_cq(struct step *s)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;

	answer_accept(s, ROW_NOTIFY_ARM);
	record_row(s, ROW_NOTIFY_ARM);
	if (mutant_does_nothing(s->mutant, V_req_notify_cq) ||
	    cq->channel == NO_OBJ)
		return;
	note_ends(s, s->b->on);
	if (cq->events && choose_hidden(s, ROW_NOTIFY_UNREAD) == OUT_NO_EVENT)
		return;
	arm(s, cq,
	    s->b->in.notify.solicited_only ? ARMED_SOLICITED : ARMED_ANY);
	cq->armed_behind = holds_cause(s, s->b->on);
	if (!cq->armed_behind)
		return;
	record_row(s, ROW_NOTIFY_PRESENT);
	if (mutant_skips(s->mutant, ROW_NOTIFY_PRESENT))
		raise_event(s, cq, ROW_NOTIFY_EVENT);
}

/* Returns true if the slot is a live queue of the channel that is read. */
static bool is_on(const struct step *s, uint64_t slot)
{
	return slot < s->m->top && s->m->object[slot].kind == OBJ_CQ &&
	       s->m->object[slot].alive &&
	       s->m->object[slot].cq.channel == s->b->on;
}

/* Returns in how many ways a waiting send may have added completions to the
 * queue. */
static unsigned int ends_here(struct step *s, uint16_t qp, uint16_t cq)
{
	return ends_in(s, qp, cq) ? retry_ways_to_end(s, qp) : 0;
}

/* An event shows that one of the waiting sends has ended: chooses which. */
static void choose_end_of_event(struct step *s, uint16_t cq)
{
	unsigned int all = 0, which;

	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp))
		all += ends_here(s, qp, cq);
	which = choose_among(s, all);
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp)) {
		unsigned int n = ends_here(s, qp, cq);

		if (which < n) {
			retry_end_in_way(s, qp, which);
			return;
		}
		which -= n;
	}
}

/* Which completions of an overrun queue raised events is not defined: the model
 * adopts what was seen. */
static void adopt_overrun(const struct step *s, struct model_cq *cq, bool seen)
{
	if (is_oracle(s) && cq->overrun && !seen)
		cq->events = 0;
	else if (is_oracle(s) && cq->overrun && !cq->events) {
		cq->events = 1;
		cq->event_row = ROW_NOTIFY_EVENT;
	}
}

/* Seeded fault: returns true if the event does not come within the wait. */
static bool is_late(struct step *s, uint16_t slot)
{
	struct model_cq *cq = &s->m->object[slot].cq;
	uint32_t wait = s->b->in.event.timeout_ms;

	if (cq->late_ms <= wait)
		return false;
	cq->late_ms -= wait;
	return true;
}

/* Returns the queue of the event to hand out: the one seen, else the first. */
static uint16_t next_queue(struct step *s)
{
	uint64_t seen = answer_seen(s, F_cq_event_cq, NO_OBJ);

	if (is_on(s, seen))
		adopt_overrun(s, &s->m->object[seen].cq, true);
	if (is_on(s, seen) && is_watched(s, (uint16_t)seen) &&
	    !s->m->object[seen].cq.events)
		choose_end_of_event(s, (uint16_t)seen);
	while (is_on(s, seen) && !s->m->object[seen].cq.events &&
	       retry_any_migration(s))
		; /* the event is the first sign that a send went on */
	if (is_on(s, seen) && s->m->object[seen].cq.events)
		return (uint16_t)seen;
	for (uint16_t i = first_of(s->m, OBJ_CQ); i != NO_OBJ;
	     i = next_of(s->m, OBJ_CQ, i)) {
		if (!is_on(s, i))
			continue;
		adopt_overrun(s, &s->m->object[i].cq, false);
		if (s->m->object[i].cq.events && !is_late(s, i))
			return i;
	}
	return NO_OBJ;
}

/* Returns true if only a send that was given up too soon explains the event. */
static bool is_too_early(const struct step *s, uint16_t cq)
{
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp)) {
		const struct model_wr *w =
			wr_next_posted(s->m, wr_list_at(s->m, qp, 0));

		if (w && ends_in(s, qp, cq) &&
		    retry_untimely_row(s, w) == ROW_RETRY_PATIENT)
			return true;
	}
	return false;
}

/* Returns the row that an unexpected event violates. */
static enum row unexpected_row(const struct step *s)
{
	uint64_t seen = answer_seen(s, F_cq_event_context, NO_OBJ);

	if (seen < s->m->top && s->m->object[seen].kind == OBJ_CQ &&
	    !s->m->object[seen].alive)
		return ROW_NOTIFY_GONE;
	if (!is_on(s, seen))
		return ROW_NOTIFY_NONE;
	if (s->m->object[seen].cq.armed_behind)
		return ROW_NOTIFY_PRESENT;
	if (is_watched(s, (uint16_t)seen) && is_too_early(s, (uint16_t)seen))
		return ROW_RETRY_PATIENT;
	return broken_rule_event(s,
				 s->m->object[seen].cq.armed == ARMED_SOLICITED
					 ? ROW_NOTIFY_SOLICITED
					 : ROW_NOTIFY_NONE);
}

/* Returns the row that asks for the event of a queue. */
static enum row due_row(const struct model_cq *cq)
{
	return cq->count && cq->behind >= cq->count &&
			       cq->event_row == ROW_NOTIFY_EVENT
		       ? ROW_MODERATE_COUNT
		       : (enum row)cq->event_row;
}

void do_get_cq_event(struct step *s)
{
	uint16_t at = next_queue(s);
	struct model_cq *cq;

	answer_accept(s, at == NO_OBJ ? unexpected_row(s)
				      : due_row(&s->m->object[at].cq));
	record_row(s, s->a->row);
	answer_define(s, F_cq_event_count, at != NO_OBJ, s->a->row);
	if (at == NO_OBJ) {
		answer_define(s, F_cq_event_cq, NO_OBJ, ROW_NOTIFY_NONE);
		answer_define(s, F_cq_event_context, NO_OBJ, ROW_NOTIFY_NONE);
		return;
	}
	record_row(s, ROW_NOTIFY_CONTEXT);
	answer_define(s, F_cq_event_cq, at, ROW_NOTIFY_CONTEXT);
	cq = &s->m->object[at].cq;
	answer_define(s, F_cq_event_context, cq->no_context ? NO_OBJ : at,
		      ROW_NOTIFY_CONTEXT);
	cq->told = true;
	cq->unacked++;
	if (!mutant_repeats(s->mutant, V_get_cq_event))
		cq->events--;
}

void do_ack_cq_events(struct step *s)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;
	uint32_t n = s->b->in.ack.count;

	if (n > cq->unacked) {
		answer_refuse(s, ROW_ACK_WAITS, EINVAL);
		return;
	}
	answer_accept(s, ROW_ACK_WAITS);
	if (n > 1 && mutant_has_quirk(s->mutant, QUIRK_ACK_ONE)) {
		cq->acks_lost = true;
		n = 1;
	}
	cq->unacked = (uint8_t)(cq->unacked - n);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Does to the requests of a queue pair what its new state demands: ERR flushes
 * them, SQE flushes the sends, RESET drops them, and any other state may let
 * them go on. After ERR and RESET its peer's requests get no answer any more.
 */
#include "model/cntr/cntr.h"
#include "model/events/events.h"
#include "model/unseen/optional_completion.h"

/* Makes the requests that were posted too early outstanding, so that they are
 * flushed. A device may leave them alone instead. */
static void flush_early(struct model *m, struct wr_list *list)
{
	each_wr(m, list, w)
	{
		if (w->stage != WR_EARLY)
			continue;
		w->optional_row = ROW_POLL_FLUSH_LATE;
		wr_set_stage(m, w, WR_POSTED);
	}
}

/* Completes the outstanding requests of a list with WR_FLUSH_ERR. */
static void flush_list(struct step *s, struct wr_list *list)
{
	bool unseen = mutant_skips(s->m->mutant, ROW_POLL_FLUSH);
	struct model_wr *w;

	lost_message_flush(s, list);
	flush_early(s->m, list);
	while ((w = wr_next_posted(s->m, list)) != NULL) {
		if (w->passed) {
			in_flight_flush_passed(s, w);
			continue;
		}
		w->status_before_flush = retry_status_before_flush(s, w);
		w->status = w->unflushed ? IBV_WC_SUCCESS : IBV_WC_WR_FLUSH_ERR;
		wr_set_stage(s->m, w,
			     unseen && !w->recv && !w->signaled ? WR_RETIRED
								: WR_DONE);
		completion_added(s, w);
	}
}

/* RESET or ERR explains that messages did not come, except for those that a
 * poll of a second did not bring before. */
static void excuse_unheard(struct step *s, uint16_t qp)
{
	s->m->object[qp].qp.unheard = s->m->object[qp].qp.waited;
}

void wr_flush_qp(struct step *s, uint16_t qp, bool sends_only)
{
	flush_list(s, wr_list_at(s->m, qp, 0));
	if (sends_only)
		return;
	flush_list(s, wr_list_at(s->m, qp, 1));
	excuse_unheard(s, qp);
}

/* Flushes a request of an iWARP queue pair that is destroyed, since the device
 * may take the queue pair through ERROR. Returns false elsewhere. */
static bool flush_if_destroyed(struct step *s, struct model_wr *w)
{
	if (!is_oracle(s) || !device_iwarp(s->d) || w->stage > WR_EARLY ||
	    s->b->verb == V_modify_qp)
		return false;
	w->status = IBV_WC_WR_FLUSH_ERR;
	wr_set_stage(s->m, w, WR_DONE);
	w->optional_row = ROW_LIFE_CQE;
	completion_added(s, w);
	return true;
}

/* Decides what becomes of a request when its queue pair is reset or destroyed.
 * Returns true if the request stays in its list. A device may keep a completion
 * that can be polled or clear it out (ROW_LIFE_CQE); an oracle keeps it as an
 * optional completion. */
static bool keep_or_discard(struct step *s, struct model_wr *w)
{
	if (flush_if_destroyed(s, w))
		return true;
	record_row(s, ROW_POLL_RESET);
	if (is_oracle(s) && w->stage <= WR_EARLY)
		wr_discard(s->m, w, ROW_POLL_RESET);
	if (w->stage == WR_DISCARDED || (w->stage == WR_BUILT && !w->left_over))
		return true;
	if (w->stage != WR_DONE)
		return w->stage == WR_POSTED &&
		       mutant_skips(s->m->mutant, ROW_POLL_RESET);
	record_row(s, ROW_LIFE_CQE);
	if (is_oracle(s))
		w->optional_row = ROW_LIFE_CQE;
	if (s->b->verb == V_destroy_qp &&
	    mutant_repeats(s->mutant, V_destroy_qp)) {
		w->wr_id = 0;
		return true;
	}
	return is_oracle(s) ||
	       mutant_choice(s->m->mutant, ROW_LIFE_CQE) == OUT_KEPT;
}

/* Notes what the library does to the ring of a completion queue when a queue
 * pair is gone: it removes the entries of the queue pair and moves the others
 * together, so that the entry polled last is unknown. If a program reads the
 * ring itself, the library leaves the entries, and the queue is stale. */
static void note_ring_changes(struct model *m, const struct model_wr *w)
{
	struct model_cq *cq;

	if (w->cq == NO_OBJ)
		return;
	cq = &m->object[w->cq].cq;
	cq->last_cqe.state = CQE_UNKNOWN;
	cq->stale |= cq->shown;
}

static void drop_list(struct step *s, struct wr_list *list)
{
	struct model_wr *next;

	for (struct model_wr *w = wr_first(s->m, list); w; w = next) {
		next = wr_after(s->m, w);
		note_ring_changes(s->m, w);
		if (!keep_or_discard(s, w))
			wr_remove(s->m, w);
	}
}

/* Notes that an SRQ may have lost room for good: if an overrun dropped the
 * completion of a receive, nobody can poll it and free the room. */
static void lose_srq_room(struct step *s, uint16_t qp)
{
	each_wr(s->m, wr_list_at(s->m, qp, 1), r)
	{
		if (r->srq != NO_OBJ && r->cq != NO_OBJ &&
		    s->m->object[r->cq].cq.overrun)
			s->m->object[r->srq].srq.lost = true;
	}
}

void wr_drop_qp(struct step *s, uint16_t qp)
{
	cq_note_overrun(s, s->m->object[qp].qp.init.send_cq);
	cq_note_overrun(s, s->m->object[qp].qp.init.recv_cq);
	lose_srq_room(s, qp);
	in_flight_doubt_receives(s, qp);
	excuse_unheard(s, qp);
	cntr_requests_dropped(s, qp);
	drop_list(s, wr_list_at(s->m, qp, 0));
	drop_list(s, wr_list_at(s->m, qp, 1));
}

/* Notes that the queue pair was set to ERR and so has to be found there,
 * although failures of its sends were not seen. */
static void note_set_to_err(struct model *m, uint16_t qp)
{
	each_wr(m, wr_list_at(m, qp, 0), w)
	{
		w->failure_seen = true;
	}
}

void wr_apply_qp_state(struct step *s, uint16_t qp)
{
	if (s->m->object[qp].qp.state == IBV_QPS_ERR)
		async_qp_in_err(s, qp);
	if (!s->m->wrs.used)
		return;
	switch (s->m->object[qp].qp.state) {
	case IBV_QPS_RESET:
		if (!s->m->object[qp].qp.reset_keeps_work)
			wr_drop_qp(s, qp);
		transfer(s);
		break;
	case IBV_QPS_ERR:
		in_flight_doubt_all(s, qp);
		wr_flush_qp(s, qp, false);
		note_set_to_err(s->m, qp);
		transfer(s);
		break;
	case IBV_QPS_SQE:
		wr_flush_qp(s, qp, true);
		break;
	default:
		transfer(s);
		break;
	}
}

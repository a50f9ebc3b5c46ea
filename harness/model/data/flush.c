/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What becomes of work when its queue pair changes the state: flushed in ERR,
 * dropped in RESET, carried on elsewhere.
 */
#include "model/unseen/optional_completion.h"

/* Requests that may have been left alone. */
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

static void flush_list(struct step *s, struct wr_list *list)
{
	bool unseen = mutant_skips(s->m->mutant, ROW_POLL_FLUSH);
	struct model_wr *w;

	lost_message_flush(s, list);
	flush_early(s->m, list);
	while ((w = wr_next_posted(s->m, list)) != NULL) {
		w->status_before_flush = retry_status_before_flush(s, w);
		w->status = IBV_WC_WR_FLUSH_ERR;
		wr_set_stage(s->m, w,
			     unseen && !w->recv && !w->signaled ? WR_RETIRED
								: WR_DONE);
		notify(s, w);
	}
}

void wr_flush_qp(struct step *s, uint16_t qp, bool sends_only)
{
	flush_list(s, wr_list_at(s->m, qp, 0));
	if (sends_only)
		return;
	flush_list(s, wr_list_at(s->m, qp, 1));
	s->m->object[qp].qp.unheard = 0;
}

/* An iWARP queue pair that is destroyed may pass through ERROR. */
static bool flushed_by_destroy(struct step *s, struct model_wr *w)
{
	if (!is_oracle(s) || !device_iwarp(s->d) || w->stage > WR_EARLY ||
	    s->b->verb == V_modify_qp)
		return false;
	w->status = IBV_WC_WR_FLUSH_ERR;
	wr_set_stage(s->m, w, WR_DONE);
	w->optional_row = ROW_LIFE_CQE;
	notify(s, w);
	return true;
}

/* Completions that wait already: a device may keep them, or clear them out. */
static bool stays(struct step *s, struct model_wr *w)
{
	if (flushed_by_destroy(s, w))
		return true;
	meet(s, ROW_POLL_RESET);
	if (is_oracle(s) && w->stage <= WR_EARLY)
		wr_discard(s->m, w, ROW_POLL_RESET);
	if (w->stage == WR_DISCARDED || w->stage == WR_BUILT)
		return true;
	if (w->stage != WR_DONE)
		return w->stage == WR_POSTED &&
		       mutant_skips(s->m->mutant, ROW_POLL_RESET);
	meet(s, ROW_LIFE_CQE);
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

/* Libraries take out of a ring what is of a queue pair that is gone, and move
 * the others together; or leave it there, where a program looks as well. */
static void leaves_ring(struct model *m, const struct model_wr *w)
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
		leaves_ring(s->m, w);
		if (!stays(s, w))
			wr_remove(s->m, w);
	}
}

/* What a queue that was overrun had no room for nobody can poll, so that a
 * receive of an SRQ may keep its place for good. */
static void lose_places(struct step *s, uint16_t qp)
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
	optional_note_overrun(s, s->m->object[qp].qp.init.send_cq);
	optional_note_overrun(s, s->m->object[qp].qp.init.recv_cq);
	lose_places(s, qp);
	in_flight_doubt_receives(s, qp);
	s->m->object[qp].qp.unheard = 0;
	drop_list(s, wr_list_at(s->m, qp, 0));
	drop_list(s, wr_list_at(s->m, qp, 1));
}

/* Where it was told to go, whatever its sends had not shown yet. */
static void is_in_err(struct model *m, uint16_t qp)
{
	each_wr(m, wr_list_at(m, qp, 0), w)
	{
		w->failure_seen = true;
	}
}

void wr_apply_qp_state(struct step *s, uint16_t qp)
{
	if (s->m->object[qp].qp.state == IBV_QPS_ERR)
		enters_err(s, qp);
	if (!s->m->wrs.used)
		return;
	switch (s->m->object[qp].qp.state) {
	case IBV_QPS_RESET:
		if (!s->m->object[qp].qp.keeps)
			wr_drop_qp(s, qp);
		break;
	case IBV_QPS_ERR:
		in_flight_doubt_all(s, qp);
		wr_flush_qp(s, qp, false);
		is_in_err(s->m, qp);
		break;
	case IBV_QPS_SQE:
		wr_flush_qp(s, qp, true);
		break;
	default:
		transfer(s);
		break;
	}
}

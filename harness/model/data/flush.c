/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What becomes of work when its queue pair changes the state: flushed in ERR,
 * dropped in RESET, carried on elsewhere.
 */
#include "model/unseen/optional_completion.h"

/* Requests that may have been left alone. */
static void flush_early(struct model *m, struct work_list *list)
{
	each_work(m, list, w)
	{
		if (w->stage != WORK_EARLY)
			continue;
		w->late = ROW_POLL_FLUSH_LATE;
		work_stage(m, w, WORK_POSTED);
	}
}

static void flush_list(struct step *s, struct work_list *list)
{
	bool unseen = mutant_skips(s->m->mutant, ROW_POLL_FLUSH);
	struct model_work *w;

	flush_lossy(s, list);
	flush_early(s->m, list);
	while ((w = work_next(s->m, list)) != NULL) {
		w->instead = retry_instead(s, w);
		w->status = IBV_WC_WR_FLUSH_ERR;
		work_stage(s->m, w,
			   unseen && !w->recv && !w->signaled ? WORK_RETIRED
							      : WORK_DONE);
		notify(s, w);
	}
}

void work_flush(struct step *s, uint16_t qp, bool sends_only)
{
	flush_list(s, work_queue(s->m, qp, 0));
	if (sends_only)
		return;
	flush_list(s, work_queue(s->m, qp, 1));
	s->m->object[qp].qp.unheard = 0;
}

/* An iWARP queue pair that is destroyed may pass through ERROR. */
static bool flushed_by_destroy(struct step *s, struct model_work *w)
{
	if (!is_oracle(s) || !device_iwarp(s->d) || w->stage > WORK_EARLY ||
	    s->b->verb == V_modify_qp)
		return false;
	w->status = IBV_WC_WR_FLUSH_ERR;
	work_stage(s->m, w, WORK_DONE);
	w->late = ROW_LIFE_CQE;
	notify(s, w);
	return true;
}

/* Completions that wait already: a device may keep them, or clear them out. */
static bool stays(struct step *s, struct model_work *w)
{
	if (flushed_by_destroy(s, w))
		return true;
	meet(s, ROW_POLL_RESET);
	if (is_oracle(s) && w->stage <= WORK_EARLY)
		work_gone(s->m, w, ROW_POLL_RESET);
	if (w->stage == WORK_GONE || w->stage == WORK_BUILT)
		return true;
	if (w->stage != WORK_DONE)
		return w->stage == WORK_POSTED &&
		       mutant_skips(s->m->mutant, ROW_POLL_RESET);
	meet(s, ROW_LIFE_CQE);
	if (is_oracle(s))
		w->late = ROW_LIFE_CQE;
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
static void leaves_ring(struct model *m, const struct model_work *w)
{
	struct model_cq *cq;

	if (w->cq == NO_OBJ)
		return;
	cq = &m->object[w->cq].cq;
	cq->entry.state = ENTRY_UNKNOWN;
	cq->stale |= cq->shown;
}

static void drop_list(struct step *s, struct work_list *list)
{
	struct model_work *next;

	for (struct model_work *w = work_first(s->m, list); w; w = next) {
		next = work_after(s->m, w);
		leaves_ring(s->m, w);
		if (!stays(s, w))
			work_remove(s->m, w);
	}
}

/* What a queue that was overrun had no room for nobody can poll, so that a
 * receive of an SRQ may keep its place for good. */
static void lose_places(struct step *s, uint16_t qp)
{
	each_work(s->m, work_queue(s->m, qp, 1), r)
	{
		if (r->srq != NO_OBJ && r->cq != NO_OBJ &&
		    s->m->object[r->cq].cq.overrun)
			s->m->object[r->srq].srq.lost = true;
	}
}

void work_drop(struct step *s, uint16_t qp)
{
	note_crowd(s, s->m->object[qp].qp.init.send_cq);
	note_crowd(s, s->m->object[qp].qp.init.recv_cq);
	lose_places(s, qp);
	leave_in_flight(s, qp);
	s->m->object[qp].qp.unheard = 0;
	drop_list(s, work_queue(s->m, qp, 0));
	drop_list(s, work_queue(s->m, qp, 1));
}

/* Where it was told to go, whatever its sends had not shown yet. */
static void is_in_err(struct model *m, uint16_t qp)
{
	each_work(m, work_queue(m, qp, 0), w)
	{
		w->told = true;
	}
}

void work_moved(struct step *s, uint16_t qp)
{
	if (s->m->object[qp].qp.state == IBV_QPS_ERR)
		enters_err(s, qp);
	if (!s->m->work.used)
		return;
	switch (s->m->object[qp].qp.state) {
	case IBV_QPS_RESET:
		if (!s->m->object[qp].qp.keeps)
			work_drop(s, qp);
		break;
	case IBV_QPS_ERR:
		stop_in_flight(s, qp);
		work_flush(s, qp, false);
		is_in_err(s->m, qp);
		break;
	case IBV_QPS_SQE:
		work_flush(s, qp, true);
		break;
	default:
		transfer(s);
		break;
	}
}

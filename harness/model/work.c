/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work queues: one list of all requests, those of one queue in the order of
 * posting, and what becomes of them when a queue pair changes its state.
 */
#include "model/internal.h"

struct model_work *work_add(struct model *m)
{
	struct model_work *w;

	if (m->nwork == MODEL_MAX_WORK)
		return NULL;
	w = &m->work[m->nwork++];
	memset(w, 0, sizeof(*w));
	w->owner = w->srq = w->cq = w->ah = NO_OBJ;
	return w;
}

void work_remove(struct model *m, unsigned int at)
{
	m->nwork--;
	memmove(&m->work[at], &m->work[at + 1],
		(m->nwork - at) * sizeof(m->work[0]));
}

static bool in_queue(const struct model_work *w, const struct queue *q)
{
	if (q->srq != NO_OBJ)
		return w->srq == q->srq;
	return w->owner == q->owner && w->recv == q->recv && w->srq == NO_OBJ;
}

unsigned int work_count(const struct model *m, const struct queue *q,
			bool outstanding)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->nwork; i++)
		n += in_queue(&m->work[i], q) &&
		     m->work[i].stage != WORK_GONE &&
		     (!outstanding || m->work[i].stage == WORK_POSTED);
	return n;
}

bool work_is_first(const struct model *m, unsigned int at)
{
	const struct model_work *w = &m->work[at];

	for (unsigned int i = 0; i < at; i++) {
		const struct model_work *before = &m->work[i];

		if (before->owner == w->owner && before->recv == w->recv &&
		    before->stage == w->stage && before->late == ROW_NONE)
			return false;
	}
	return true;
}

void work_forget(struct model *m, uint8_t slot)
{
	for (unsigned int i = m->nwork; i-- > 0;)
		if (m->work[i].cq == slot || m->work[i].srq == slot)
			work_remove(m, i);
}

static void flush(struct model_work *w)
{
	w->stage = WORK_DONE;
	w->status = IBV_WC_WR_FLUSH_ERR;
}

void work_flush(struct step *s, uint8_t qp, bool sends_only)
{
	for (unsigned int i = 0; i < s->m->nwork; i++) {
		struct model_work *w = &s->m->work[i];
		bool unseen = !w->recv && !w->signaled &&
			      mutant_skips(s->m->mutant, ROW_POLL_FLUSH);

		if (w->owner != qp || w->stage != WORK_POSTED ||
		    (sends_only && w->recv))
			continue;
		flush(w);
		if (unseen)
			w->stage = WORK_RETIRED;
	}
}

/* Completions that wait already: a device may keep them, or clear them out. */
static bool stays(const struct step *s, struct model_work *w)
{
	meet(s, ROW_POLL_RESET);
	if (is_oracle(s) && w->stage == WORK_POSTED) {
		w->stage = WORK_GONE;
		w->late = ROW_POLL_RESET;
	}
	if (w->stage == WORK_GONE)
		return true;
	if (w->stage != WORK_DONE)
		return w->stage == WORK_POSTED &&
		       mutant_skips(s->m->mutant, ROW_POLL_RESET);
	meet(s, ROW_LIFE_CQE);
	if (is_oracle(s))
		w->late = ROW_LIFE_CQE;
	return is_oracle(s) ||
	       mutant_choice(s->m->mutant, ROW_LIFE_CQE) == OUT_KEPT;
}

void work_drop(struct step *s, uint8_t qp)
{
	for (unsigned int i = s->m->nwork; i-- > 0;)
		if (s->m->work[i].owner == qp && !stays(s, &s->m->work[i]))
			work_remove(s->m, i);
}

void work_moved(struct step *s, uint8_t qp)
{
	if (!s->m->nwork)
		return;
	switch (s->m->object[qp].qp.state) {
	case IBV_QPS_RESET:
		work_drop(s, qp);
		break;
	case IBV_QPS_ERR:
		work_flush(s, qp, false);
		break;
	case IBV_QPS_SQE:
		work_flush(s, qp, true);
		break;
	default:
		transfer(s);
		break;
	}
}

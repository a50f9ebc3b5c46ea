/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completions that may wait in a queue and need not: kept over a RESET, flushed
 * though posted late or under way. An oracle learns which by what shows them or
 * leaves them out. Decides what it takes them for where something else hangs on
 * them: whether a queue is full, and whether an event was due.
 */
#include "model/unseen/optional_completion.h"

bool held_is_there(struct step *s, enum row late)
{
	enum out out = settle_hidden(s, late);

	if (late == ROW_POLL_FLUSH_LATE)
		return out == OUT_FLUSHED;
	return out != rule(late)->out[0];
}

static bool may_be_there(const struct model_work *w, uint16_t cq)
{
	return w->stage == WORK_DONE && w->cq == cq && w->late != ROW_NONE;
}

int held_at_least(struct model *m, uint16_t cq)
{
	int n = work_slot(m, cq)->ready;
	struct work_list *list;

	for (unsigned int i = 0; (list = work_of_cq(m, cq, &i));)
		each_work(m, list, w) n -= may_be_there(w, cq);
	return n;
}

/* Of a queue pair that complete here, once its sends have failed. */
static int outstanding(struct model *m, uint16_t qp, uint16_t cq)
{
	int n = 0;

	for (int recv = 0; recv < 2; recv++)
		each_work(m, work_queue(m, qp, recv), w) n +=
			w->stage <= WORK_EARLY && w->cq == cq;
	return n;
}

int held_at_most(struct step *s, uint16_t cq)
{
	int n = work_slot(s->m, cq)->ready;

	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp))
		if (retry_ends(s, qp))
			n += outstanding(s->m, qp, cq);
	return n;
}

void held_gone(const struct step *s, uint16_t cq)
{
	struct work_list *list;
	struct model_work *next;

	for (unsigned int i = 0; (list = work_of_cq(s->m, cq, &i));)
		for (struct model_work *w = work_first(s->m, list); w;
		     w = next) {
			next = work_after(s->m, w);
			if (may_be_there(w, cq) && w->late == ROW_LIFE_CQE)
				work_unseen(s->m, w);
		}
}

/* The first of them by this row, but for one. */
static struct model_work *find(struct model *m, uint16_t cq, enum row late,
			       const struct model_work *but)
{
	struct work_list *list;

	for (unsigned int i = 0; (list = work_of_cq(m, cq, &i));)
		each_work(m, list, w)
		{
			if (w != but && w->late == late && may_be_there(w, cq))
				return w;
		}
	return NULL;
}

bool held_makes_room(struct step *s, uint16_t cq, const struct model_work *but)
{
	static const enum row rows[] = {ROW_LIFE_CQE, ROW_POLL_IN_FLIGHT,
					ROW_POLL_FLUSH_LATE};
	const struct work_slot *of = work_slot(s->m, cq);
	struct model_work *w;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (of->ready <= s->m->object[cq].cq.cqe)
			break;
		w = find(s->m, cq, rows[i], but);
		if (!w || held_is_there(s, rows[i]))
			continue;
		for (; w; w = find(s->m, cq, rows[i], but))
			work_unseen(s->m, w);
	}
	return of->ready <= s->m->object[cq].cq.cqe;
}

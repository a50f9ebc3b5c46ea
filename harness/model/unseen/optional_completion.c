/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Optional completions: they may be in a queue, or not. They belong to a queue
 * pair that was reset or is gone, to a request posted in ERR, or to a send in
 * flight. An oracle learns which are there when the device shows them or leaves
 * them out. This file decides earlier if something depends on them: whether a
 * queue is full, or an event was due.
 */
#include "model/unseen/optional_completion.h"
#include "model/cntr/cntr.h"

bool optional_is_there(struct step *s, enum row row)
{
	enum out out = choose_hidden(s, row);

	if (row == ROW_POLL_FLUSH_LATE)
		return out == OUT_FLUSHED;
	return out != rule(row)->out[0];
}

/* Returns true if a request has an optional completion in a queue. */
static bool is_optional_in(const struct model_wr *w, uint16_t cq)
{
	return w->stage == WR_DONE && w->cq == cq &&
	       w->optional_row != ROW_NONE;
}

int optional_least(struct model *m, uint16_t cq)
{
	int n = wr_slot(m, cq)->ready;
	struct wr_list *list;

	for (unsigned int i = 0; (list = wr_next_list_of_cq(m, cq, &i));)
		each_wr(m, list, w) n -= is_optional_in(w, cq);
	return n;
}

/* Counts the outstanding requests of a queue pair that complete in a queue: a
 * failure flushes them. */
static int outstanding(struct model *m, uint16_t qp, uint16_t cq)
{
	int n = 0;

	for (int recv = 0; recv < 2; recv++)
		each_wr(m, wr_list_at(m, qp, recv), w) n +=
			w->stage <= WR_EARLY && w->cq == cq;
	return n;
}

int optional_most(struct step *s, uint16_t cq)
{
	int n = wr_slot(s->m, cq)->ready;

	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp))
		if (retry_ways_to_end(s, qp))
			n += outstanding(s->m, qp, cq);
	return n;
}

void optional_none_left(const struct step *s, uint16_t cq)
{
	struct wr_list *list;
	struct model_wr *next;

	for (unsigned int i = 0; (list = wr_next_list_of_cq(s->m, cq, &i));)
		for (struct model_wr *w = wr_first(s->m, list); w; w = next) {
			next = wr_after(s->m, w);
			if (is_optional_in(w, cq) &&
			    w->optional_row == ROW_LIFE_CQE)
				wr_remove_unseen(s->m, w);
		}
}

/* Returns the first completion that a row makes optional, other than `but`; or
 * NULL. */
static struct model_wr *find_optional(struct model *m, uint16_t cq,
				      enum row row, const struct model_wr *but)
{
	struct wr_list *list;

	for (unsigned int i = 0; (list = wr_next_list_of_cq(m, cq, &i));)
		each_wr(m, list, w)
		{
			if (w != but && w->optional_row == row &&
			    is_optional_in(w, cq))
				return w;
		}
	return NULL;
}

bool optional_leaves_room(struct step *s, uint16_t cq,
			  const struct model_wr *but)
{
	static const enum row rows[] = {ROW_LIFE_CQE, ROW_POLL_IN_FLIGHT,
					ROW_POLL_FLUSH_LATE};
	const struct wr_slot *of = wr_slot(s->m, cq);
	struct model_wr *w;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (of->ready <= s->m->object[cq].cq.cqe)
			break;
		w = find_optional(s->m, cq, rows[i], but);
		if (!w || optional_is_there(s, rows[i]))
			continue;
		for (; w; w = find_optional(s->m, cq, rows[i], but)) {
			cntr_request_unseen(s, w);
			wr_remove_unseen(s->m, w);
		}
	}
	return of->ready <= s->m->object[cq].cq.cqe;
}

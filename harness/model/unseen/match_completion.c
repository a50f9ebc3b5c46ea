/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Of which request a completion is that a device shows: of one of its number,
 * as far as the queue tells the rest. Two that nothing tells apart are both
 * followed; what comes next may tell.
 */
#include "model/data/poll.h"

static bool is_it(const struct step *s, const struct model_wr *w,
		  const struct polled_wc *wc)
{
	bool named = !wc_reports(s, IBV_WC_EX_WITH_QP_NUM) ||
		     !s->m->object[w->owner].alive ||
		     obj(s->m, w->owner)->real == wc->qp;

	return w->wr_id == wc->wr_id && named;
}

static bool same_status(const struct model_wr *w, const struct polled_wc *wc)
{
	if (iwarp_permits_status(w, wc->status) ||
	    in_flight_permits_status(w, wc->status))
		return true;
	if (!w->any_error)
		return w->status == wc->status ||
		       (w->status_before_flush &&
			w->status_before_flush == wc->status) ||
		       lost_message_permits_status(w, wc->status);
	if (fault_tells(w))
		return fault_permits(w, wc->status);
	return wc->status != IBV_WC_SUCCESS &&
	       wc->status != IBV_WC_WR_FLUSH_ERR;
}

#define ALIKE_MAX MODEL_MAX_ALTERNATIVES

/* Requests that a completion may be of; `near`: those with another status;
 * `end`: queue pairs a send of which would have come to its end. */
struct alike {
	unsigned int n, nnear, nends;
	struct model_wr *at[ALIKE_MAX], *near[ALIKE_MAX];
	uint16_t end[ALIKE_MAX];
};

/* One that is there for certain is meant before all that are found later, where
 * the queue pair is told, and all that is said is of it. */
static bool is_settled(const struct step *s, const struct alike *all,
		       const struct polled_wc *wc)
{
	const struct model_wr *last = all->n ? all->at[all->n - 1] : NULL;

	return last && last->optional_row == ROW_NONE &&
	       wc->status == IBV_WC_SUCCESS && wc_describes(s, last, wc) &&
	       wc_reports(s, IBV_WC_EX_WITH_QP_NUM);
}

static void add_alike(struct step *s, struct alike *all, struct model_wr *w,
		      bool near)
{
	unsigned int *n = near ? &all->nnear : &all->n;

	if (*n == ALIKE_MAX)
		settle_without(s);
	else
		(near ? all->near : all->at)[(*n)++] = w;
}

static void find_in(struct step *s, struct wr_list *list,
		    const struct polled_wc *wc, struct alike *all)
{
	each_wr(s->m, list, w)
	{
		if (w->stage != WR_DONE || w->cq != s->b->on)
			continue;
		if (is_it(s, w, wc))
			add_alike(s, all, w, !same_status(w, wc));
		if (w->optional_row == ROW_NONE)
			break; /* nothing behind it may come first */
	}
}

/* The message that came to it may be a later one than was taken for it. */
static bool may_be_meant(const struct step *s, const struct model_wr *w,
			 const struct polled_wc *wc)
{
	return w->maybe_lost || wc_describes(s, w, wc);
}

/* Where any is as the completion says, the others are not meant. */
static void keep_like(const struct step *s, struct alike *all,
		      wc_likeness is_like, const struct polled_wc *wc)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < all->n; i++)
		if (is_like(s, all->at[i], wc))
			all->at[n++] = all->at[i];
	all->n = n ? n : all->n;
}

static void find_done(struct step *s, const struct polled_wc *wc,
		      struct alike *all)
{
	struct wr_list *list;

	for (unsigned int i = 0;
	     !is_settled(s, all, wc) &&
	     (list = wr_next_list_of_cq(s->m, s->b->on, &i));)
		find_in(s, list, wc, all);
	keep_like(s, all, may_be_meant, wc);
	keep_like(s, all, wc_same_direction, wc);
}

/* A send that waits comes to its end in time: the device says when. What is
 * flushed in a queue of receives tells that a send of its queue pair did, which
 * nobody has polled yet. */
static bool tells_of_end(struct step *s, uint16_t qp,
			 const struct polled_wc *wc)
{
	bool flushed = wc->status == IBV_WC_WR_FLUSH_ERR;
	const struct model_wr *w =
		wr_next_posted(s->m, wr_list_at(s->m, qp, flushed));

	if (!w || !is_it(s, w, wc) || w->cq != s->b->on)
		return false;
	return wc->status != IBV_WC_SUCCESS || w->waits_for == WAITS_DUPLICATE;
}

static void find_ends(struct step *s, const struct polled_wc *wc,
		      struct alike *all)
{
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp)) {
		if (!tells_of_end(s, qp, wc))
			continue;
		if (all->nends == ALIKE_MAX)
			settle_without(s);
		else
			all->end[all->nends++] = qp;
	}
}

static bool is_behind(const struct step *s, const struct model_wr *w,
		      const struct polled_wc *wc)
{
	while ((w = wr_after(s->m, w)) && !is_it(s, w, wc))
		;
	return w && w->stage == WR_POSTED && w->cq == s->b->on;
}

/* A duplicate that completes unseen has passed once one behind it shows. */
static bool pass_unseen(struct step *s, const struct polled_wc *wc)
{
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp)) {
		struct model_wr *w =
			wr_next_posted(s->m, wr_list_at(s->m, qp, 0));

		if (w->waits_for == WAITS_DUPLICATE && !w->signaled &&
		    is_behind(s, w, wc))
			return retry_end_shown(s, w, IBV_WC_SUCCESS);
	}
	return false;
}

static bool ends(struct step *s, uint16_t qp, uint32_t status)
{
	if (status == IBV_WC_WR_FLUSH_ERR)
		return retry_end_noticed(s, qp);
	return retry_end_shown(s, wr_next_posted(s->m, wr_list_at(s->m, qp, 0)),
			       status);
}

static struct model_wr *find_shown(struct step *s, unsigned int n)
{
	const struct polled_wc *wc = seen_wc(s, n);
	struct alike all = {.n = 0, .nnear = 0, .nends = 0};
	unsigned int which;

	find_done(s, wc, &all);
	find_ends(s, wc, &all);
	if (!all.n && !all.nends && pass_unseen(s, wc))
		return find_shown(s, n);
	which = settle_which(s, all.n + all.nends);
	if (which < all.n)
		return all.at[which];
	if (all.nends && ends(s, all.end[which - all.n], wc->status)) {
		all = (struct alike){.n = 0, .nnear = 0, .nends = 0};
		find_done(s, wc, &all);
		if (all.n)
			return all.at[settle_which(s, all.n)];
	}
	return all.nnear ? all.near[settle_which(s, all.nnear)] : NULL;
}

static bool is_shown(const struct model_wr *w, const struct polled_wc *wc)
{
	return w && same_status(w, wc);
}

/* What has the number of a completion and another status is the last resort. */
struct model_wr *match_completion(struct step *s, unsigned int n)
{
	const struct polled_wc *wc = seen_wc(s, n);
	struct model_wr *w = find_shown(s, n);

	if (w && !is_shown(w, wc) &&
	    (in_flight_was_unanswered(s, w) ||
	     in_flight_lost_all_tries(s, w, wc->status)))
		w = find_shown(s, n);
	if (!is_shown(w, wc) && srq_order_try_other(s, wc))
		w = find_shown(s, n);
	return w;
}

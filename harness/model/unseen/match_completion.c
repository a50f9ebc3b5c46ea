/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the request that a completion of the device under test belongs to: one
 * with its wr_id that fits in whatever else the completion queue reports. Where
 * two requests fit alike the oracle follows both; a later call may tell.
 */
#include "model/data/poll.h"
#include "model/memory/access_fault.h"

/* Returns true if a request has the wr_id, and the queue pair, of a
 * completion. */
static bool has_its_wr_id(const struct step *s, const struct model_wr *w,
			  const struct polled_wc *wc)
{
	bool named = !wc_reports(s, IBV_WC_EX_WITH_QP_NUM) ||
		     !s->m->object[w->owner].alive || !wc_names_qp(s->m, w) ||
		     obj(s->m, w->owner)->real == wc->qp;

	return w->wr_id == wc->wr_id && named;
}

/* Returns true if a request may end with the status of a completion. */
static bool may_have_status(const struct model_wr *w,
			    const struct polled_wc *wc)
{
	if (iwarp_permits_status(w, wc->status) ||
	    in_flight_permits_status(w, wc->status))
		return true;
	if (!w->any_error)
		return w->status == wc->status ||
		       (w->status_before_flush &&
			w->status_before_flush == wc->status) ||
		       lost_message_permits_status(w, wc->status);
	if (fault_row_has_status(w))
		return fault_row_permits(w, wc->status);
	return wc->status != IBV_WC_SUCCESS &&
	       wc->status != IBV_WC_WR_FLUSH_ERR;
}

#define MAX_CANDIDATES MODEL_MAX_ALTERNATIVES

/* The requests that a completion may belong to. `at`: requests that fit.
 * `near`: requests with another status. `end`: queue pairs whose first
 * outstanding send has ended if the completion is theirs. */
struct candidates {
	unsigned int n, nnear, nends;
	struct model_wr *at[MAX_CANDIDATES], *near[MAX_CANDIDATES];
	uint16_t end[MAX_CANDIDATES];
};

/* Returns true if the search is over: the completion of the last request found
 * is certain, and all members of the completion fit that request. */
static bool is_certain(const struct step *s, const struct candidates *all,
		       const struct polled_wc *wc)
{
	const struct model_wr *last = all->n ? all->at[all->n - 1] : NULL;

	return last && last->optional_row == ROW_NONE &&
	       wc->status == IBV_WC_SUCCESS && wc_describes(s, last, wc) &&
	       wc_reports(s, IBV_WC_EX_WITH_QP_NUM);
}

/* Adds a request. A request beyond MAX_CANDIDATES is not followed. */
static void add_candidate(struct step *s, struct candidates *all,
			  struct model_wr *w, bool near)
{
	unsigned int *n = near ? &all->nnear : &all->n;

	if (*n == MAX_CANDIDATES)
		choices_overflow(s);
	else
		(near ? all->near : all->at)[(*n)++] = w;
}

/* Adds the requests of a list that the completion may belong to. */
static void find_in(struct step *s, struct wr_list *list,
		    const struct polled_wc *wc, struct candidates *all)
{
	each_wr(s->m, list, w)
	{
		if (w->stage != WR_DONE || w->cq != s->b->on)
			continue;
		if (has_its_wr_id(s, w, wc))
			add_candidate(s, all, w, !may_have_status(w, wc));
		if (w->optional_row == ROW_NONE)
			break; /* no request behind it completes before it */
	}
}

/* Returns true if a completion fits a request, or the request is a receive that
 * may hold a later message than the model assumes. */
static bool may_fit(const struct step *s, const struct model_wr *w,
		    const struct polled_wc *wc)
{
	return w->maybe_lost || wc_describes(s, w, wc);
}

/* Keeps the requests that are like the completion, if there are any. */
static void keep_like(const struct step *s, struct candidates *all,
		      wc_likeness is_like, const struct polled_wc *wc)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < all->n; i++)
		if (is_like(s, all->at[i], wc))
			all->at[n++] = all->at[i];
	all->n = n ? n : all->n;
}

/* Collects the requests that are done. */
static void find_done(struct step *s, const struct polled_wc *wc,
		      struct candidates *all)
{
	struct wr_list *list;

	for (unsigned int i = 0;
	     !is_certain(s, all, wc) &&
	     (list = wr_next_list_of_cq(s->m, s->b->on, &i));)
		find_in(s, list, wc, all);
	keep_like(s, all, may_fit, wc);
	keep_like(s, all, wc_same_direction, wc);
}

/* Returns true if a completion tells that the first outstanding send of a queue
 * pair has ended: the completion is of that send, or it flushes the first
 * receive, which means that the send has failed. */
static bool tells_of_end(struct step *s, uint16_t qp,
			 const struct polled_wc *wc)
{
	bool flushed = wc->status == IBV_WC_WR_FLUSH_ERR;
	const struct model_wr *w =
		wr_next_posted(s->m, wr_list_at(s->m, qp, flushed));

	if (!w || !has_its_wr_id(s, w, wc) || w->cq != s->b->on)
		return false;
	return wc->status != IBV_WC_SUCCESS || w->waits_for == WAITS_DUPLICATE;
}

/* Collects the queue pairs with a waiting send that a completion may end. */
static void find_ends(struct step *s, const struct polled_wc *wc,
		      struct candidates *all)
{
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp)) {
		if (!tells_of_end(s, qp, wc))
			continue;
		if (all->nends == MAX_CANDIDATES)
			choices_overflow(s);
		else
			all->end[all->nends++] = qp;
	}
}

/* Returns true if the request of a completion is outstanding behind `w`. */
static bool is_behind(const struct step *s, const struct model_wr *w,
		      const struct polled_wc *wc)
{
	while ((w = wr_after(s->m, w)) && !has_its_wr_id(s, w, wc))
		;
	return w && w->stage == WR_POSTED && w->cq == s->b->on;
}

/* Ends an unsignaled duplicate once a completion shows a request behind it.
 * Returns false if there is none. */
static bool end_duplicate(struct step *s, const struct polled_wc *wc)
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

/* Ends the first outstanding send of a queue pair, as the status of a
 * completion says. */
static bool end_first_send(struct step *s, uint16_t qp, uint32_t status)
{
	if (status == IBV_WC_WR_FLUSH_ERR)
		return retry_end_noticed(s, qp);
	return retry_end_shown(s, wr_next_posted(s->m, wr_list_at(s->m, qp, 0)),
			       status);
}

/* Finds the request of a completion: a request that fits or a waiting send that
 * the completion ends, else a request with another status. */
static struct model_wr *find_request(struct step *s, unsigned int n)
{
	const struct polled_wc *wc = seen_wc(s, n);
	struct candidates all = {.n = 0, .nnear = 0, .nends = 0};
	unsigned int which;

	find_done(s, wc, &all);
	find_ends(s, wc, &all);
	if (!all.n && !all.nends &&
	    (end_duplicate(s, wc) || retry_any_migration(s)))
		return find_request(s, n);
	which = choose_among(s, all.n + all.nends);
	if (which < all.n)
		return all.at[which];
	if (all.nends &&
	    end_first_send(s, all.end[which - all.n], wc->status)) {
		all = (struct candidates){.n = 0, .nnear = 0, .nends = 0};
		find_done(s, wc, &all);
		if (all.n)
			return all.at[choose_among(s, all.n)];
	}
	return all.nnear ? all.near[choose_among(s, all.nnear)] : NULL;
}

static bool is_explained(const struct model_wr *w, const struct polled_wc *wc)
{
	return w && may_have_status(w, wc);
}

/* If no request fits, an open question may explain the completion: the answer
 * changes the requests, and the search is repeated. The last resort is a
 * request with its wr_id and another status. */
struct model_wr *match_completion(struct step *s, unsigned int n)
{
	const struct polled_wc *wc = seen_wc(s, n);
	struct model_wr *w = find_request(s, n);

	if (w && !is_explained(w, wc) &&
	    (in_flight_was_unanswered(s, w) ||
	     in_flight_lost_all_tries(s, w, wc->status)))
		w = find_request(s, n);
	if (!is_explained(w, wc) && srq_order_try_other(s, wc))
		w = find_request(s, n);
	return w;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Polling: the completions of one work queue come in the order of posting,
 * those of different work queues in any order. A device hands them out in the
 * order in which they were done; an oracle follows the order that the device
 * under test shows.
 */
#include "model/cntr/cntr.h"
#include "model/unseen/optional_completion.h"
#include "model/data/migration.h"
#include "model/data/poll.h"
#include "model/data/seeded.h"
#include "model/data/tag.h"
#include "model/events/events.h"
#include "model/memory/seeded_copy.h"
#include "model/memory/untold.h"
#include "model/memory/window.h"
#include "model/unseen/failed_qp.h"
#include "model/vendor.h"

/* Returns true if a request has a completion. Where the completion is optional
 * its row decides: `seen` is what an oracle has seen. */
static bool has_completion(struct step *s, const struct model_wr *w, bool seen)
{
	static const uint64_t flushed[2] = {1, 0}, gone[2] = {0, 1};

	if (w->optional_row == ROW_NONE)
		return true;
	return choose_value(s, (enum row)w->optional_row,
			    w->optional_row == ROW_POLL_FLUSH_LATE ? flushed
								   : gone,
			    2, seen);
}

/* Returns true if a completion is certain. A device decides now whether it has
 * an optional one. */
static bool is_due(struct step *s, const struct model_wr *w)
{
	return is_oracle(s) ? w->optional_row == ROW_NONE
			    : has_completion(s, w, true);
}

/* Returns the first completion of a list that is due in the polled queue, or
 * NULL. */
static struct model_wr *first_due(struct step *s, struct wr_list *list)
{
	each_wr(s->m, list, w)
	{
		if (w->stage == WR_DONE && w->cq == s->b->on && is_due(s, w))
			return w;
	}
	return NULL;
}

/* Returns the due completion that was done first, or NULL. */
static struct model_wr *find_next(struct step *s)
{
	struct model_wr *first = NULL, *w = wr_only_completion(s->m, s->b->on);
	struct wr_list *list;

	if (w || !wr_slot(s->m, s->b->on)->ready)
		return w && is_due(s, w) ? w : NULL;
	for (unsigned int i = 0;
	     (list = wr_next_list_of_cq(s->m, s->b->on, &i));) {
		w = first_due(s, list);
		if (w && (!first || w->done_order < first->done_order))
			first = w;
	}
	return first;
}

/* Returns true if a completion is optional. Once a completion behind it in the
 * work queue was polled, an optional completion never comes. */
static bool may_be_left_out(const struct model_wr *w)
{
	return w->stage == WR_DONE && w->optional_row != ROW_NONE;
}

/* Takes a completion out of the queue. Requests in front of it that were done
 * without a completion give their room back. */
static void take_completion(struct step *s, struct model_wr *w)
{
	struct model *m = s->m;
	struct wr_queue q = {w->owner, NO_OBJ, w->recv};
	struct wr_list *list = wr_list_of(m, &q);
	struct model_wr *next;

	for (struct model_wr *i = wr_first(m, list); i != w; i = next) {
		next = wr_after(m, i);
		if (i->stage == WR_RETIRED && i->tm != TM_OP) {
			in_flight_note_end(m, i);
			window_bind_late(m, i);
			seeded_keep_place(s, i, w);
		}
		if (i->stage != WR_RETIRED && i->stage != WR_STRAY &&
		    !may_be_left_out(i))
			continue;
		cntr_request_unseen(s, i);
		wr_remove_unseen(m, i);
	}
	if (w->tm == TM_OP) {
		wr_remove(m, w);
		return;
	}
	in_flight_note_end(m, w);
	migration_note_polled(m, w);
	window_note_bound(m, w);
	if (w->tm == TM_NONE && w->status != IBV_WC_SUCCESS)
		failed_qp_note_seen(m, w->owner);
	wr_remove(m, w);
	untold_polled(m, q.owner, q.recv);
}

/* Returns the request of the next completion: for an oracle the one that the
 * device shows as number n, after taking over what the completion tells of open
 * questions. */
static struct model_wr *next_completion(struct step *s, unsigned int n)
{
	struct model_wr *w;

	if (!is_oracle(s))
		return find_next(s);
	w = match_completion(s, n);
	if (!w)
		return find_next(s);
	lost_message_take_completion(s, w, seen_wc(s, n));
	iwarp_take_status(s, w, seen_wc(s, n));
	in_flight_take_status(s, w, seen_wc(s, n));
	return w;
}

/* Keeps what is known of the entry (CQE) that the completion was read from. If
 * the completion queue does not report the queue pair, the request may be
 * another with the same wr_id, so that the entry is unknown. */
static void keep_cqe(struct step *s, unsigned int n, const struct model_wr *w)
{
	if (s->polled)
		return;
	cntr_completion_seen(s, w, s->a->outcome.out.polled.wc[n].status);
	if (w->tm != TM_NONE)
		return;
	vendor_completed(s, w, &s->a->outcome.out.polled.wc[n]);
	if (!wc_reports(s, IBV_WC_EX_WITH_QP_NUM))
		s->m->object[s->b->on].cq.last_cqe.state = CQE_UNKNOWN;
}

/* Seeded fault: returns up to which number a call hands completions out, whose
 * number `n` is next: not past the end of the ring. */
static unsigned int up_to_end(const struct step *s, unsigned int n,
			      unsigned int most)
{
	const struct model_cq *cq = &s->m->object[s->b->on].cq;
	uint32_t left;

	if (!mutant_has_quirk(s->m->mutant, QUIRK_POLL_WRAP) ||
	    s->b->verb != V_poll_cq || n >= most)
		return most;
	left = (uint32_t)cq->cqe - cq->taken % (uint32_t)cq->cqe;
	return most - n > left ? n + left : most;
}

/* Seeded fault: hands out the completion that was polled last again. */
static unsigned int takes_again(struct step *s, unsigned int n,
				unsigned int most)
{
	struct model_cq *cq = &s->m->object[s->b->on].cq;

	if (!cq->comes_again || n >= most || s->polled)
		return 0;
	cq->comes_again = false;
	s->a->outcome.out.polled.wc[n] = cq->last_wc;
	return 1;
}

/* Hands out up to `most` completions, of which `n` were handed out before.
 * Returns how many there are. */
static unsigned int hand_out(struct step *s, unsigned int n, unsigned int most)
{
	unsigned int first = n;

	if (s->m->mutant && seeded_finds_none(s))
		return n;
	cq_note_overrun(s, s->b->on);
	if (s->m->mutant)
		s->m->object[s->b->on].cq.flushed = 0;
	most = up_to_end(s, n, most);
	n += takes_again(s, n, most);
	while (n < most) {
		struct model_wr *w = next_completion(s, n);

		if (!w)
			break;
		if (is_oracle(s))
			has_completion(s, w, true);
		ud_reply_keep(s, n, w);
		if (s->m->mutant) {
			seeded_srq_polled(s, w);
			seeded_cache_srq(s, w);
			seeded_note_polled(s, w);
		}
		define_wc(s, n, w);
		if (s->m->mutant && !s->polled && n > first)
			seeded_keep_imm(s, n);
		if (s->polled && tm_tell_ring(s, n, w))
			most = n + 1; /* there is room for one tag */
		keep_cqe(s, n++, w);
		s->m->object[s->b->on].cq.taken += s->m->mutant != NULL;
		if (s->m->mutant && !s->polled)
			s->m->object[s->b->on].cq.last_wc =
				s->a->outcome.out.polled.wc[n - 1];
		take_completion(s, w);
	}
	if (s->m->mutant)
		seeded_note_turn(s, n > first);
	return n;
}

/* Returns true if a completion had to be there and the device shows no more. */
static bool is_missing(struct step *s, struct model_wr *w)
{
	if (w->stage != WR_DONE || w->cq != s->b->on ||
	    iwarp_flush_may_come_later(s, w))
		return false;
	if (w->optional_row == ROW_POLL_FLUSH_LATE)
		has_completion(s, w, false);
	return w->optional_row == ROW_NONE && !lost_message_was_missing(s, w) &&
	       !in_flight_was_unanswered(s, w);
}

/* Returns the row that a missing completion breaks. */
static enum row missing_row(const struct step *s, const struct model_wr *w)
{
	if (w->tm != TM_NONE)
		return tm_row(w);
	if (w->status_row == ROW_UD_QKEY_OWN)
		return ROW_UD_QKEY_OWN;
	if (w->maybe_lost == MAYBE_LOST_POSTED)
		return w->comes_row ? (enum row)w->comes_row : ROW_POLL_ARRIVES;
	if (w->status == IBV_WC_WR_FLUSH_ERR || w->maybe_lost)
		return flush_row(s, w);
	if (w->held_in_sqd && !fails_by_choice(w))
		return ROW_POST_SQD;
	return w->status_row && w->status != IBV_WC_SUCCESS
		       ? (enum row)w->status_row
		       : broken_rule_missing(s, w);
}

/* Returns how long a step polls. A single call of ibv_poll_cq waits for
 * nothing. */
static uint32_t wait_ms(const struct step *s)
{
	const struct poll_args *in = &s->b->in.poll;

	return s->b->verb == V_poll_cq && poll_is_single(in) ? 0
							     : in->timeout_ms;
}

/* Counts completions, up to `room`, that had to be there and that the device
 * does not show; *row is the row that the first of them breaks. A send that
 * should have been given up within the time of the poll counts as well. */
static unsigned int count_missing(struct step *s, unsigned int room,
				  enum row *row)
{
	struct wr_list *list;
	unsigned int n = 0;

	for (unsigned int i = 0;
	     (list = wr_next_list_of_cq(s->m, s->b->on, &i));)
		each_wr(s->m, list, w)
		{
			if (n < room && is_missing(s, w) && !n++)
				*row = missing_row(s, w);
		}
	for (uint16_t qp = first_of(s->m, SET_SENDING);
	     qp != NO_OBJ && !n && room; qp = next_of(s->m, SET_SENDING, qp)) {
		struct model_wr *w =
			wr_next_posted(s->m, wr_list_at(s->m, qp, 0));

		if (w->cq != s->b->on)
			continue;
		n += retry_is_overdue(s, w, wait_ms(s), row);
	}
	return n;
}

/* Makes fields undefined that the queue's creator did not ask for. */
static void undefine_unasked(struct step *s)
{
	static const struct {
		enum field field;
		uint32_t flag;
	} optional[] = {
		{F_wc0_byte_len, IBV_WC_EX_WITH_BYTE_LEN},
		{F_wc0_imm_data, IBV_WC_EX_WITH_IMM},
		{F_wc0_invalidated_rkey, IBV_WC_EX_WITH_IMM},
		{F_wc0_qp, IBV_WC_EX_WITH_QP_NUM},
		{F_wc0_src_qp, IBV_WC_EX_WITH_SRC_QP},
		{F_wc0_slid, IBV_WC_EX_WITH_SLID},
		{F_wc0_sl, IBV_WC_EX_WITH_SL},
		{F_wc0_path_bits, IBV_WC_EX_WITH_DLID_PATH_BITS},
	};

	for (size_t i = 0; i < COUNT(optional); i++)
		if (!wc_reports(s, optional[i].flag))
			answer_undefine(s, optional[i].field);
}

bool poll_one(struct step *s, enum row *row)
{
	unsigned int n = hand_out(s, 0, is_oracle(s) ? seen_wc_count(s) : 1);

	if (!n && !is_oracle(s) && s->b->verb == V_start_poll &&
	    retry_expire(s, s->b->in.poll.timeout_ms))
		n = hand_out(s, 0, 1);

	*row = ROW_POLL_NONE;
	if (is_oracle(s) && n < seen_wc_count(s) &&
	    broken_rule_untimely(s, 0) != ROW_NONE)
		*row = broken_rule_untimely(s, 0);
	if (n)
		undefine_unasked(s);
	s->a->outcome.out.polled.count = n;
	return n;
}

void poll_skip(struct step *s)
{
	struct model_wr *w;

	while (!is_oracle(s) && (w = find_next(s)) && seeded_was_there(s, w))
		take_completion(s, w);
}

bool poll_is_overdue(struct step *s, enum row *row)
{
	return count_missing(s, 1, row) != 0;
}

bool poll_has_next(struct step *s)
{
	return find_next(s) != NULL;
}

unsigned int poll_ring(struct step *s, unsigned int most)
{
	unsigned int n;

	most = most < POLL_MAX ? most : POLL_MAX;
	memset(s->polled->wc, 0, most * sizeof(s->polled->wc[0]));
	n = hand_out(s, 0, most);
	if (n)
		record_row(s, ROW_POLL_EACH);
	if (n > 1)
		record_row(s, ROW_POLL_ORDER);
	return n;
}

static void reverse(struct answer *a, unsigned int n)
{
	struct polled_wc *wc = a->outcome.out.polled.wc, first = wc[0];

	if (n < 2)
		return;
	wc[0] = wc[n - 1];
	wc[n - 1] = first;
}

/* Tells the oracle that time has passed: a device that returns fewer
 * completions than were asked for has waited for more. */
static void time_passes(struct step *s, unsigned int most)
{
	if (s->seen->ret != 0 || seen_wc_count(s) >= most)
		return;
	optional_none_left(s, s->b->on);
	retry_end_overdue(s, wait_ms(s));
}

/* Returns true if an oracle cannot say anything of a queue: it was overrun, or
 * holds entries of queue pairs that are gone. */
static bool is_undefined(struct step *s, unsigned int most)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;
	int late;

	if (!is_oracle(s) || (!cq->overrun && !cq->stale))
		return false;
	cq->last_cqe.state = CQE_UNKNOWN;
	late = overrun_late(s, s->b->on);
	if (late >= 0)
		answer_define(s, F_wc_count, (uint64_t)late, ROW_OVERRUN_SHUT);
	if (cq->stale) /* libraries fail over unknown queue pairs */
		s->a->outcome.ret = s->seen->ret;
	time_passes(s, most);
	return true;
}

/* Judges the completions that an oracle was shown. Returns how many there had
 * to be; *row is the row that another number of them breaks. */
static unsigned int check_seen(struct step *s, unsigned int most, enum row *row)
{
	unsigned int limit = poll_limit(&s->b->in.poll);
	unsigned int n = hand_out(
		s, 0, seen_wc_count(s) < limit ? seen_wc_count(s) : limit);

	if (n == seen_wc_count(s) && n < most)
		n += count_missing(s, most - n, row);
	else if (broken_rule_untimely(s, n) != ROW_NONE)
		*row = broken_rule_untimely(s, n);
	*row = broken_rule_count(s, n, *row);
	if (seen_wc_count(s) && poll_is_single(&s->b->in.poll))
		*row = ROW_POLL_ALL;
	return n;
}

/* Hands out what calls of ibv_poll_cq bring until `most` completions came.
 * Returns how many there are. */
static unsigned int hand_out_calls(struct step *s, unsigned int n,
				   unsigned int most)
{
	const struct poll_args *in = &s->b->in.poll;
	unsigned int before;

	if (poll_is_single(in)) {
		record_row(s, in->entries ? ROW_POLL_ALL : ROW_POLL_NO_ENTRIES);
		if (most > 1 && mutant_skips(s->mutant, ROW_POLL_ALL))
			most = 1;
		return hand_out(s, n, most);
	}
	do {
		before = n;
		if (n < most)
			n = hand_out(s, n, n + poll_entries(in, n));
	} while (n > before);
	return n;
}

/* Defines what a call with room for another number of completions than one
 * returns, and that it writes no more than that. */
static void define_array(struct step *s, unsigned int n, enum row row)
{
	if (!s->b->in.poll.entries) {
		row = ROW_POLL_NO_ENTRIES;
		n = mutant_skips(s->mutant, row);
	}
	answer_define(s, F_wc_count, n, row);
	record_row(s, ROW_POLL_ARRAY);
	answer_define(s, F_wc_spilled, mutant_skips(s->mutant, ROW_POLL_ARRAY),
		      ROW_POLL_ARRAY);
}

/* A request that waits may end while the poll waits, and flush others. */
uint32_t model_most_completions(struct model *m, const struct bound *b)
{
	struct model_cq *cq = &obj(m, b->on)->cq;
	struct wr_list *list;
	uint32_t n = 0;

	if (first_of(m, SET_SENDING) != NO_OBJ || cq->overrun || cq->stale ||
	    model_may_differ(m, b) || model_lost_track(m))
		return UINT32_MAX;
	for (unsigned int i = 0; (list = wr_next_list_of_cq(m, b->on, &i));)
		each_wr(m, list, w) n += w->stage == WR_DONE && w->cq == b->on;
	return n;
}

void do_poll_cq(struct step *s)
{
	unsigned int most = poll_most(&s->b->in.poll), n;
	enum row row = ROW_POLL_NONE;

	seeded_copy_tail(s->m);
	if (s->b->result != NO_OBJ)
		object_add(s, OBJ_WC);
	answer_accept(s, ROW_CQ_OVERRUN);
	if (is_undefined(s, most))
		return;
	if (!is_oracle(s)) {
		n = hand_out_calls(s, 0, most);
		if (n < most && retry_expire(s, wait_ms(s)))
			n = hand_out_calls(s, n, most);
	} else {
		n = check_seen(s, most, &row);
		time_passes(s, most);
	}
	if (n < most) {
		failed_qp_time_passed(s, wait_ms(s));
		vendor_found_empty(s);
	}
	answer_accept(s, n ? ROW_POLL_EACH : ROW_POLL_NONE);
	record_row(s, s->a->row);
	if (n > 1)
		record_row(s, ROW_POLL_ORDER);
	if (s->b->in.poll.entries == 1)
		answer_define(s, F_wc_count, n, row);
	else
		define_array(s, n, row);
	if (mutant_skips(s->mutant, ROW_POLL_ORDER))
		reverse(s->a, n);
}

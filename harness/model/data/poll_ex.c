/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Polling an extended completion queue: ibv_start_poll, ibv_next_poll and
 * ibv_end_poll hand out one completion at a time, with the fields that were
 * asked for at creation.
 */
#include <errno.h>
#include "model/unseen/optional_completion.h"
#include "model/data/poll.h"
#include "model/memory/seeded_copy.h"

/* Vouches for a time that the device tells. An `orderly` clock never goes
 * back. */
static uint64_t define_time(struct step *s, enum field f, uint64_t last,
			    bool orderly)
{
	bool back = mutant_skips(s->mutant, ROW_CQ_EX_TIME);
	uint64_t time = answer_seen_written(s, f, back ? last - 1 : last + 1);

	record_row(s, ROW_CQ_EX_TIME);
	if (is_oracle(s) && orderly && time < last)
		time = last;
	answer_define(s, f, time, ROW_CQ_EX_TIME);
	return time;
}

/* Vouches for the times of a completion. The clock of the device goes forward;
 * the wall clock may be set back. */
static void define_times(struct step *s, struct model_cq *cq)
{
	if (cq->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cq->last_ts =
			define_time(s, F_wc_completion_ts, cq->last_ts, true);
	if (cq->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		cq->last_wallclock = define_time(s, F_wc_wallclock_ns,
						 cq->last_wallclock, false);
}

/* Vouches for the tag that a rule gave a packet. Returns false for any other
 * field, and if there is no tag. */
static bool define_flow_tag(struct step *s, enum field f)
{
	bool wrong = mutant_skips(s->mutant, ROW_FLOW_TAG_READ);

	if (f != F_wc_flow_tag || !s->flow_tagged)
		return false;
	record_row(s, ROW_FLOW_TAG_READ);
	answer_define(s, f, s->flow_tag + wrong, ROW_FLOW_TAG_READ);
	return true;
}

/* Vouches for granted fields that mean nothing for the messages of ibvet: they
 * may have any value, but have to be written. */
static void define_more(struct step *s, const struct model_cq *cq)
{
	static const struct {
		uint32_t flag;
		enum field field;
	} more[] = {
		{IBV_WC_EX_WITH_CVLAN, F_wc_cvlan},
		{IBV_WC_EX_WITH_FLOW_TAG, F_wc_flow_tag},
		{IBV_WC_EX_WITH_TM_INFO, F_wc_tm_tag},
		{IBV_WC_EX_WITH_TM_INFO, F_wc_tm_priv},
	};

	for (size_t i = 0; i < COUNT(more); i++) {
		enum field f = more[i].field;

		if (!(cq->wc_flags & more[i].flag))
			continue;
		record_row(s, ROW_CQ_EX_MORE);
		if (define_flow_tag(s, f))
			continue;
		if (s->tm_told && more[i].flag == IBV_WC_EX_WITH_TM_INFO)
			answer_define(s, f,
				      f == F_wc_tm_tag ? s->tm_tag : s->tm_data,
				      ROW_TM_INFO);
		else
			answer_define(s, f, answer_seen_written(s, f, 0),
				      ROW_CQ_EX_MORE);
	}
}

/* Accepts a call that returns a completion. */
static void accept_completion(struct step *s, enum row row)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;

	answer_accept(s, row == ROW_POLL_NONE ? ROW_POLL_EACH : row);
	record_row(s, s->a->row);
	if (s->a->outcome.out.polled.wc[0].status != IBV_WC_SUCCESS)
		return;
	define_times(s, cq);
	define_more(s, cq);
}

/* Judges a call where no completion is due. `row` is the row that a completion
 * would break. */
static void check_empty(struct step *s, enum row row)
{
	enum out effect;
	int err;

	record_row(s, ROW_POLL_NONE);
	if (is_oracle(s) && !s->seen_error) {
		answer_refuse(s, row, ENOENT);
		return;
	}
	err = choose_for_row(s, ROW_CQ_EX_EMPTY, &effect);
	if (err)
		answer_refuse(s, ROW_CQ_EX_EMPTY, err);
	else
		answer_accept(s, ROW_CQ_EX_EMPTY);
}

/* Returns true if ibv_start_poll is refused for its comp_mask. ENOENT means
 * that the mask was accepted and the queue is empty. */
static bool refuses_mask(struct step *s)
{
	int seen = s->seen_error;
	enum out effect;
	int err;

	if (!s->b->in.poll.comp_mask)
		return false;
	if (seen == ENOENT)
		s->seen_error = 0;
	err = choose_for_row(s, ROW_CQ_EX_MASK, &effect);
	s->seen_error = seen;
	if (err)
		answer_refuse(s, ROW_CQ_EX_MASK, err);
	return err != 0;
}

/* Accepts whatever an oracle sees of a queue that was overrun, or that holds
 * entries of queue pairs that are gone. Returns false for any other queue. */
static bool is_unknown(struct step *s)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;

	if (!is_oracle(s) || (!cq->overrun && !cq->stale))
		return false;
	cq->last_cqe.state = CQE_UNKNOWN;
	answer_accept(s, ROW_CQ_OVERRUN);
	if (s->seen_error > 0)
		answer_refuse(s, ROW_CQ_OVERRUN, s->seen_error);
	return true;
}

/* Takes the next completion. Returns true if there was a completion, or, in an
 * oracle, if the call has failed although a completion had to be there. */
static bool take_due(struct step *s, enum row *row)
{
	return poll_one(s, row) ||
	       (is_oracle(s) && s->seen_error && poll_is_overdue(s, row));
}

/* Seeded fault: WITH_IMM stays set until the end of the batch. */
static void keep_imm_flag(struct step *s)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;
	unsigned int *flags = &s->a->outcome.out.polled.wc[0].wc_flags;

	if (!mutant_has_quirk(s->m->mutant, QUIRK_IMM_STAYS))
		return;
	if (cq->in_batch == 1)
		cq->batch_imm = false;
	cq->batch_imm |= (*flags & IBV_WC_WITH_IMM) != 0;
	if (cq->batch_imm)
		*flags |= IBV_WC_WITH_IMM;
}

static void poll_first(struct step *s)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;
	enum row row = ROW_POLL_NONE;

	if (s->m->mutant)
		cq->done_before = wr_last_done(s->m);
	if (take_due(s, &row)) {
		accept_completion(s, row);
		cq->in_batch = 1;
		cq->batch_fine =
			s->m->mutant &&
			s->a->outcome.out.polled.wc[0].status == IBV_WC_SUCCESS;
		if (s->m->mutant)
			cq->first_imm = s->a->outcome.out.polled.wc[0].imm_data;
		cq->first_qp = s->a->outcome.out.polled.wc[0].qp;
		cq->shown_status = s->a->outcome.out.polled.wc[0].status;
		keep_imm_flag(s);
		return;
	}
	cq->stuck = mutant_breaks_object(s->mutant, ROW_CQ_EX_EMPTY);
	if (is_oracle(s) && s->seen_error == ENOENT)
		optional_none_left(s, s->b->on);
	if (is_oracle(s) && s->seen_error)
		retry_end_overdue(s, s->b->in.poll.timeout_ms);
	check_empty(s, row);
}

void do_start_poll(struct step *s)
{
	const struct model_cq *cq = &obj(s->m, s->b->on)->cq;
	enum out effect;
	int err;

	seeded_copy_tail(s->m);
	if (cq->stuck) {
		answer_refuse(s, ROW_CQ_EX_EMPTY, EBUSY);
		return;
	}
	if (!cq->extended) {
		err = choose_for_row(s, ROW_CQ_EX_PLAIN, &effect);
		if (err)
			answer_refuse(s, ROW_CQ_EX_PLAIN, err);
		else
			check_empty(s, ROW_CQ_EX_PLAIN);
		return;
	}
	if (!refuses_mask(s) && !is_unknown(s))
		poll_first(s);
}

/* Seeded fault: the status stays that of the first completion of the batch, if
 * that succeeded. */
static void keep_status(struct step *s)
{
	if (mutant_has_quirk(s->m->mutant, QUIRK_STATUS_FIRST) &&
	    obj(s->m, s->b->on)->cq.batch_fine)
		s->a->outcome.out.polled.wc[0].status = IBV_WC_SUCCESS;
	if (mutant_has_quirk(s->m->mutant, QUIRK_STATUS_STAYS)) {
		struct model_cq *cq = &obj(s->m, s->b->on)->cq;
		struct polled_wc *wc = &s->a->outcome.out.polled.wc[0];

		if (wc->status != IBV_WC_SUCCESS)
			cq->shown_status = wc->status;
		else
			wc->status = cq->shown_status;
	}
	if (mutant_has_quirk(s->m->mutant, QUIRK_IMM_FIRST))
		s->a->outcome.out.polled.wc[0].imm_data =
			obj(s->m, s->b->on)->cq.first_imm;
	if (mutant_has_quirk(s->m->mutant, QUIRK_QP_FIRST))
		s->a->outcome.out.polled.wc[0].qp =
			obj(s->m, s->b->on)->cq.first_qp;
}

static void give_next(struct step *s)
{
	enum row row = ROW_POLL_NONE;

	if (poll_one(s, &row)) {
		accept_completion(s, row);
		obj(s->m, s->b->on)->cq.in_batch++;
		keep_status(s);
		keep_imm_flag(s);
	} else {
		check_empty(s, row);
	}
}

/* A completion that is due may not be there yet: ibv_next_poll does not wait, a
 * later ibv_start_poll does. */
void do_next_poll(struct step *s)
{
	enum out effect;
	int err = 0;

	if (is_unknown(s))
		return;
	if ((!is_oracle(s) || s->seen_error) && poll_has_next(s))
		err = choose_for_row(s, ROW_CQ_EX_NEXT, &effect);
	if (err)
		answer_refuse(s, ROW_CQ_EX_NEXT, err);
	else
		give_next(s);
}

void do_end_poll(struct step *s)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;

	if (cq->last_cqe.state == CQE_OPEN)
		cq->last_cqe.state = CQE_KNOWN;
	if (cq->in_batch)
		poll_skip(s);
	cq->in_batch = 0;
	answer_accept(s, ROW_POLL_EACH);
}

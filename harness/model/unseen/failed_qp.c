// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs that a failure has stopped, as long as nobody has seen that. The
 * sends and receives of a queue pair do not wait for each other. So a request
 * of the other end may have arrived before the queue pair failed, although it
 * was posted later. And a queue pair that refuses a request may have sent a
 * request of its own before. In both cases the model lets the queue pair run on
 * for this request alone.
 */
#include "model/data/peer.h"
#include "model/events/events.h"
#include "model/unseen/failed_qp.h"

static struct model_qp *qp_at(struct model *m, uint16_t slot)
{
	return &m->object[slot].qp;
}

void failed_qp_stop(struct step *s, uint16_t slot, uint8_t state, bool by_peer)
{
	struct model_qp *qp = qp_at(s->m, slot);

	qp->stopped_row = ROW_NONE;
	retry_duplicate_passed(s, slot);
	if (state == IBV_QPS_ERR && qp->state != IBV_QPS_ERR) {
		qp->unseen = by_peer ? UNSEEN_REFUSED : UNSEEN_OWN;
		qp->stopped_in = qp->state;
	}
	if (state == IBV_QPS_SQE ||
	    !mutant_skips(s->m->mutant, ROW_SEND_ERROR_RC))
		qp->state = state;
	if (state == IBV_QPS_ERR)
		async_qp_in_err(s, slot);
	if (by_peer)
		in_flight_refused_request(s, slot);
	else if (state == IBV_QPS_ERR)
		in_flight_failed_request(s, slot);
	wr_flush_qp(s, slot, state == IBV_QPS_SQE);
}

bool failed_qp_is_unseen(const struct model_qp *qp)
{
	return qp->unseen != UNSEEN_NOT && qp->state == IBV_QPS_ERR;
}

bool failed_qp_may_show(const struct model_qp *qp, uint64_t state)
{
	return failed_qp_is_unseen(qp) && state == qp->stopped_in;
}

/* Returns true if a request was flushed because its queue pair stopped. This
 * excludes completions from before a RESET and sends that perhaps were not
 * flushed. A flush that an overrun dropped is WR_RETIRED. */
static bool is_flushed(const struct model_wr *w)
{
	return (w->stage == WR_DONE || w->stage == WR_RETIRED) &&
	       w->status == IBV_WC_WR_FLUSH_ERR &&
	       (w->optional_row == ROW_NONE ||
		w->optional_row == ROW_POLL_FLUSH_LATE);
}

void failed_qp_run_on(struct step *s, uint16_t slot)
{
	struct model_qp *qp = qp_at(s->m, slot);

	qp->state = qp->stopped_in;
	qp->held_up = true;
	each_wr(s->m, wr_list_at(s->m, slot, true), r)
	{
		if (is_flushed(r) && r->srq == NO_OBJ)
			wr_set_stage(s->m, r, WR_POSTED);
	}
}

/* Flushes again the receives that no message has taken. The first flush has
 * raised their events. */
static void flush_again(struct step *s, uint16_t slot)
{
	struct wr_list *list = wr_list_at(s->m, slot, true);
	struct model_wr *r;

	lost_message_flush(s, list);
	while ((r = wr_next_posted(s->m, list)) != NULL)
		wr_set_stage(s->m, r,
			     s->m->object[r->cq].cq.overrun ? WR_RETIRED
							    : WR_DONE);
}

void failed_qp_stop_again(struct step *s, uint16_t slot)
{
	struct model_qp *qp = qp_at(s->m, slot);

	if (s->m->object[slot].kind != OBJ_QP || !qp->held_up)
		return;
	qp->held_up = false;
	qp->state = IBV_QPS_ERR;
	if (qp->unseen == UNSEEN_REFUSED) {
		in_flight_doubt_sends(s, slot);
		wr_flush_qp(s, slot, true);
	}
	flush_again(s, slot);
}

void failed_qp_end_call(struct step *s)
{
	if (s->b->on != NO_OBJ)
		failed_qp_stop_again(s, obj(s->m, s->b->on)->real);
}

/* Takes the choice whether a request was there before the failure
 * (ROW_STOP_UNSEEN). */
static bool decide_came_first(struct step *s)
{
	return choose_hidden(s, ROW_STOP_UNSEEN) == OUT_OK;
}

/* Returns true if a queue has flushed requests: requests behind them are
 * flushed too. */
static bool has_flushed(struct model *m, uint16_t slot, bool recv)
{
	each_wr(m, wr_list_at(m, slot, recv), w)
	{
		if (is_flushed(w))
			return true;
	}
	return false;
}

/* Returns true if the queue pair would have a receive for a message if it had
 * not stopped. */
static bool has_receive(struct step *s, const struct model_wr *w, uint16_t slot)
{
	uint16_t srq = receiving_srq(s, w->remote_srqn, slot);

	if (srq != NO_OBJ)
		return wr_next_posted(s->m, wr_list_at(s->m, srq, true)) !=
		       NULL;
	return has_flushed(s->m, slot, true);
}

/* Returns true if a device would send the request now: the request has not
 * waited yet, or waited for a receive that is there now. */
static bool is_tried(struct step *s, const struct model_wr *w, uint16_t slot)
{
	return w->waits_for == WAITS_NOT ||
	       (w->waits_for == WAITS_RECEIVE && has_receive(s, w, slot));
}

/* If the request came first, earlier messages of its sender have arrived too.
 */
bool failed_qp_takes_request(struct step *s, const struct model_wr *w,
			     uint16_t slot)
{
	const struct model_qp *qp = qp_at(s->m, slot);

	if (!failed_qp_is_unseen(qp) || qp->unseen != UNSEEN_OWN ||
	    !is_tried(s, w, slot) || !decide_came_first(s))
		return false;
	in_flight_have_arrived(s->m, w->owner, qp_at(s->m, w->owner)->messages);
	failed_qp_run_on(s, slot);
	return true;
}

bool failed_qp_sends_request(struct step *s, const struct model_wr *w)
{
	const struct model_qp *qp = qp_at(s->m, w->owner);

	if (w->recv || !failed_qp_is_unseen(qp) ||
	    qp->unseen != UNSEEN_REFUSED || qp->stopped_in != IBV_QPS_RTS ||
	    has_flushed(s->m, w->owner, false) ||
	    peer_find_failed(s->m, w) == NO_OBJ || !decide_came_first(s))
		return false;
	in_flight_sends_are_done(s->m, w->owner);
	failed_qp_run_on(s, w->owner);
	return true;
}

void failed_qp_note_seen(struct model *m, uint16_t slot)
{
	qp_at(m, slot)->unseen = UNSEEN_NOT;
}

/* within this time each device finds a request that fails */
#define FAILING_MS 1000

void failed_qp_time_passed(struct step *s, uint32_t ms)
{
	if (ms < FAILING_MS)
		return;
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i))
		failed_qp_note_seen(s->m, i);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What a failure stops. A queue pair sends and receives independently of each
 * other, and of any other queue pair: while nobody has seen that one of its
 * requests failed, a request of the other end may have come to it before that,
 * though it was posted behind. The same holds at an end that refuses a request:
 * what is posted there may have been sent before that one came. Then the model
 * lets the queue pair run on for this request alone.
 */
#include "model/data/peer.h"
#include "model/unseen/failed_qp.h"

static struct model_qp *qp_at(struct model *m, uint16_t slot)
{
	return &m->object[slot].qp;
}

void failed_qp_stop(struct step *s, uint16_t slot, uint8_t state, bool by_peer)
{
	struct model_qp *qp = qp_at(s->m, slot);

	if (state == IBV_QPS_ERR && qp->state != IBV_QPS_ERR) {
		qp->unseen = by_peer ? UNSEEN_REFUSED : UNSEEN_OWN;
		qp->stopped_in = qp->state;
	}
	if (state == IBV_QPS_SQE ||
	    !mutant_skips(s->m->mutant, ROW_SEND_ERROR_RC))
		qp->state = state;
	if (state == IBV_QPS_ERR)
		enters_err(s, slot);
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

/* Because its queue pair has stopped: not before a RESET, nor only perhaps. One
 * that a queue has no room for is RETIRED. */
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

/* Those that nothing came to are as they were: their events were raised. */
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

static bool comes_first(struct step *s)
{
	return settle_hidden(s, ROW_STOP_UNSEEN) == OUT_OK;
}

/* What is behind a request that was flushed is as well. */
static bool has_flushed(struct model *m, uint16_t slot, bool recv)
{
	each_wr(m, wr_list_at(m, slot, recv), w)
	{
		if (is_flushed(w))
			return true;
	}
	return false;
}

/* Would a message that waits for a receive find one? */
static bool has_receive(struct step *s, const struct model_wr *w, uint16_t slot)
{
	uint16_t srq = receiving_srq(s, w->remote_srqn, slot);

	if (srq != NO_OBJ)
		return wr_next_posted(s->m, wr_list_at(s->m, srq, true)) !=
		       NULL;
	return has_flushed(s->m, slot, true);
}

/* One that has waited finds something new, or is not tried again. */
static bool is_tried(struct step *s, const struct model_wr *w, uint16_t slot)
{
	return w->waits_for == WAITS_NOT ||
	       (w->waits_for == WAITS_RECEIVE && has_receive(s, w, slot));
}

/* What its sender had sent before has come as well. */
bool failed_qp_takes_request(struct step *s, const struct model_wr *w,
			     uint16_t slot)
{
	const struct model_qp *qp = qp_at(s->m, slot);

	if (!failed_qp_is_unseen(qp) || qp->unseen != UNSEEN_OWN ||
	    !is_tried(s, w, slot) || !comes_first(s))
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
	    peer_find_failed(s->m, w) == NO_OBJ || !comes_first(s))
		return false;
	in_flight_sends_are_done(s->m, w->owner);
	failed_qp_run_on(s, w->owner);
	return true;
}

void failed_qp_note_seen(struct model *m, uint16_t slot)
{
	qp_at(m, slot)->unseen = UNSEEN_NOT;
}

/* In which any device gets to a request that fails. */
#define FAILING_MS 1000

void failed_qp_time_passed(struct step *s, uint32_t ms)
{
	if (ms < FAILING_MS)
		return;
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i))
		failed_qp_note_seen(s->m, i);
}

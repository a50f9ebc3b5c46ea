/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asynchronous events that traffic raises: the first message in RTR, an SRQ
 * below its limit, the last receive of an SRQ in ERR, an overrun completion
 * queue.
 */
#include "model/unseen/optional_completion.h"

void async_message_arrived(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;

	if (qp->state != IBV_QPS_RTR || qp->comm_est)
		return;
	qp->comm_est = true;
	async_add(s->m, IBV_EVENT_COMM_EST, slot, true, ROW_COMM_EST);
}

void async_qp_in_err(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;

	if (s->b->verb == V_modify_qp && mutant_repeats(s->mutant, V_modify_qp))
		async_add(s->m, IBV_EVENT_SQ_DRAINED, slot, false,
			  ROW_SQD_EVENT_ASKED);
	if (qp->init.srq == NO_OBJ || qp->kind == QK_XRC_RECV || qp->rss ||
	    qp->last_wqe)
		return;
	qp->last_wqe = true;
	async_add(s->m, IBV_EVENT_QP_LAST_WQE_REACHED, slot, true,
		  ROW_LAST_WQE);
}

/* Returns how many receives of an SRQ are unused, also those that a virtual
 * device has not read from its ring. */
static unsigned int receives_left(struct model *m, uint16_t srq)
{
	const struct wr_queue q = {NO_OBJ, srq, true};
	const struct model_memory *memory = m->memory;
	unsigned int more = 0;

	if (memory && memory->receives_left)
		more = memory->receives_left(memory->arg, srq);
	more += wr_list_of(m, &q)->posted;
	return (unsigned int)mutant_read_ahead(m->mutant, F_srq_attr_limit,
					       more);
}

/* Returns true if the SRQ has fewer receives than its limit. */
static bool is_low(const struct step *s, uint16_t slot)
{
	uint32_t limit = s->m->object[slot].srq.attr.srq_limit;

	return limit && receives_left(s->m, slot) <
				mutant_limit(s->m->mutant, F_srq_attr_limit,
					     limit, limit);
}

bool srq_runs_low(const struct step *s, uint16_t slot)
{
	uint32_t limit = s->m->object[slot].srq.attr.srq_limit;

	return limit && receives_left(s->m, slot) <= limit;
}

/* Raises the limit event of an SRQ and disarms its limit. */
static void raise_limit_event(struct step *s, uint16_t slot)
{
	struct model_srq *srq = &s->m->object[slot].srq;

	srq->fired = srq->attr.srq_limit;
	if (!mutant_repeats(s->m->mutant, V_modify_srq))
		srq->attr.srq_limit = 0;
	async_add(s->m, IBV_EVENT_SRQ_LIMIT_REACHED, slot, false,
		  ROW_SRQ_LIMIT_EVENT);
}

void async_srq_armed(struct step *s, uint16_t slot)
{
	if (is_low(s, slot) &&
	    choose_hidden(s, ROW_SRQ_ARMING_LATE) == OUT_AT_ONCE)
		raise_limit_event(s, slot);
}

void async_srq_receive_taken(struct step *s, uint16_t slot)
{
	if (is_low(s, slot))
		raise_limit_event(s, slot);
}

/* Returns true if the receives of an XRC SRQ complete to the queue. */
static bool serves_xrc(const struct model *m, uint16_t cq)
{
	for (uint16_t i = first_of(m, OBJ_SRQ); i != NO_OBJ;
	     i = next_of(m, OBJ_SRQ, i)) {
		const struct object *o = &m->object[i];

		if (o->alive && o->srq.type == IBV_SRQT_XRC && o->srq.cq == cq)
			return true;
	}
	return false;
}

static bool uses(const struct model *m, const struct model_qp *qp, uint16_t cq)
{
	return qp->init.send_cq == cq || qp->init.recv_cq == cq ||
	       (qp->kind == QK_XRC_RECV && serves_xrc(m, cq));
}

/* An overrun may take the queue pairs of the completion queue to ERR. */
static void raise_fatal_events(struct step *s, uint16_t cq)
{
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i)) {
		const struct object *o = &s->m->object[i];

		if (o->alive && o->real == i && uses(s->m, &o->qp, cq))
			async_add(s->m, IBV_EVENT_QP_FATAL, i, true,
				  ROW_CQ_OVERRUN);
	}
}

static void overrun(struct step *s, uint16_t slot)
{
	struct model_cq *cq = &s->m->object[slot].cq;

	if (!cq->overrun) {
		async_add(s->m, IBV_EVENT_CQ_ERR, slot, true, ROW_CQ_OVERRUN);
		raise_fatal_events(s, slot);
	}
	cq->overrun = true;
}

bool cq_overruns(struct step *s, const struct model_wr *w)
{
	const struct model_cq *cq = &s->m->object[w->cq].cq;

	if (wr_slot(s->m, w->cq)->ready <=
		    mutant_window(s->m->mutant, F_cqe, (uint64_t)cq->cqe) ||
	    (is_oracle(s) && !cq->overrun && optional_leaves_room(s, w->cq, w)))
		return false;
	overrun(s, w->cq);
	return true;
}

void cq_note_overrun(struct step *s, uint16_t slot)
{
	if (!is_oracle(s) || slot == NO_OBJ || !s->m->wrs.sending ||
	    optional_most(s, slot) <= s->m->object[slot].cq.cqe)
		return;
	s->m->object[slot].cq.maybe_overrun = true;
	s->m->unseen_events = true;
}

static bool may_be_overrun(struct step *s, uint16_t cq)
{
	const struct object *o = &s->m->object[cq];

	cq_note_overrun(s, cq);
	return o->alive && (o->cq.overrun || o->cq.maybe_overrun);
}

/* Returns true if an overrun may have taken a queue pair to ERR. */
static bool may_have_failed(struct step *s, uint16_t qp)
{
	for (uint16_t i = first_of(s->m, OBJ_CQ); i != NO_OBJ;
	     i = next_of(s->m, OBJ_CQ, i))
		if (uses(s->m, &s->m->object[qp].qp, i) && may_be_overrun(s, i))
			return true;
	return false;
}

bool async_overrun_seen(struct step *s)
{
	uint64_t type = answer_seen(s, F_event_type, NO_EVENT);
	uint64_t cq = answer_seen(s, F_event_cq, NO_OBJ);
	uint64_t qp = answer_seen(s, F_event_qp, NO_OBJ);
	int before = s->m->nevents;

	if (type == IBV_EVENT_CQ_ERR && cq < s->m->top &&
	    may_be_overrun(s, (uint16_t)cq))
		overrun(s, (uint16_t)cq);
	else if (type == IBV_EVENT_QP_FATAL && qp < s->m->top &&
		 s->m->object[qp].real == qp &&
		 s->m->object[qp].device == s->device &&
		 may_have_failed(s, (uint16_t)qp))
		async_add(s->m, IBV_EVENT_QP_FATAL, (uint16_t)qp, true,
			  ROW_CQ_OVERRUN);
	return s->m->nevents > before;
}

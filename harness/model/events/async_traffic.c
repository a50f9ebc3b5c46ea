/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asynchronous events that traffic raises: the first message in RTR, an SRQ
 * below its limit, the last receive of an SRQ in ERR.
 */
#include "model/internal.h"
#include "model/events/events.h"

void async_message_arrived(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;

	if (qp->state != IBV_QPS_RTR || qp->comm_est)
		return;
	qp->comm_est = true;
	async_add(s->m, IBV_EVENT_COMM_EST, slot, true, ROW_COMM_EST);
}

/* Returns true if the program itself moves the queue pair, which has been in
 * RTS, to ERR. */
static bool is_moved(const struct step *s, uint16_t slot)
{
	return s->b->verb == V_modify_qp &&
	       s->m->object[s->b->on].real == slot &&
	       s->m->object[slot].qp.set & A_SQ_PSN;
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

/* Seeded fault: returns true if the program moves the queue pair to ERR and no
 * receive of its SRQ is under way. */
static bool is_idle(const struct step *s, uint16_t slot)
{
	if (mutant_has_quirk(s->m->mutant, QUIRK_LAST_WQE_HELD)) {
		each_wr(s->m, wr_list_at(s->m, slot, true), w)
		{
			if (w->srq != NO_OBJ && w->stage == WR_DONE &&
			    w->status != IBV_WC_SUCCESS)
				return false;
		}
		return true;
	}
	if (mutant_has_quirk(s->m->mutant, QUIRK_LAST_WQE_UNUSED) &&
	    s->m->object[slot].qp.took_receive)
		return false;
	if (mutant_has_quirk(s->m->mutant, QUIRK_LAST_WQE_EMPTY))
		return s->b->verb == V_modify_qp &&
		       s->m->object[s->b->on].real == slot &&
		       !receives_left(s->m, s->m->object[slot].qp.init.srq);
	return (mutant_has_quirk(s->m->mutant, QUIRK_LAST_WQE_IDLE) ||
		mutant_has_quirk(s->m->mutant, QUIRK_LAST_WQE_UNUSED)) &&
	       s->b->verb == V_modify_qp && s->m->object[s->b->on].real == slot;
}

/* Seeded fault: returns the newest queue pair of the SRQ. */
static uint16_t named_by_event(const struct step *s, uint16_t slot)
{
	const struct model *m = s->m;
	uint16_t srq = m->object[slot].qp.init.srq;

	if (!mutant_has_quirk(m->mutant, QUIRK_LAST_WQE_NEWEST))
		return slot;
	for (uint16_t i = first_of(m, OBJ_QP); i != NO_OBJ;
	     i = next_of(m, OBJ_QP, i))
		if (i > slot && m->object[i].alive && m->object[i].real == i &&
		    m->object[i].qp.init.srq == srq)
			slot = i;
	return slot;
}

/* Raises QP_LAST_WQE_REACHED. Some devices never do; one that did before has to
 * do so again. */
static void raise_last_wqe(struct step *s, uint16_t slot)
{
	const struct model *m = s->m;
	bool again = m->habit[m->object[slot].device].raises_last_wqe &&
		     is_moved(s, slot);
	enum row row = again ? ROW_LAST_WQE_EACH : ROW_LAST_WQE;

	record_row(s, row);
	if (mutant_has_quirk(s->m->mutant, QUIRK_LAST_WQE_MOVED) &&
	    is_moved(s, slot))
		return;
	if (is_idle(s, slot))
		return;
	async_add(s->m, IBV_EVENT_QP_LAST_WQE_REACHED, named_by_event(s, slot),
		  !again, row);
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
	raise_last_wqe(s, slot);
}

/* Returns true if the SRQ has fewer receives than its limit. */
static bool is_low(const struct step *s, uint16_t slot)
{
	uint32_t limit = s->m->object[slot].srq.attr.srq_limit;

	if (s->m->object[slot].srq.limit_dead)
		return false;
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

/* Seeded fault: returns true if as many receives as the limit are left. */
static bool is_at_limit(const struct step *s, uint16_t slot)
{
	uint32_t limit = s->m->object[slot].srq.attr.srq_limit;

	return mutant_has_quirk(s->m->mutant, QUIRK_LIMIT_EQUAL) && limit &&
	       receives_left(s->m, slot) == limit;
}

void async_srq_receive_taken(struct step *s, uint16_t slot)
{
	if (is_low(s, slot) || is_at_limit(s, slot))
		raise_limit_event(s, slot);
}

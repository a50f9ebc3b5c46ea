/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work queues: ibv_modify_wq. A work queue is kept as a RAW_PACKET queue pair
 * without a send queue, so that its receives are posted, flushed and completed
 * like those of a queue pair.
 */
#include <errno.h>
#include "model/internal.h"
#include "model/raw/looped.h"
#include "model/raw/spread.h"

#define WQ_STATES 3 /* RESET, RDY, ERR */

/* The state of the queue pair that a work queue is kept as. */
static const uint8_t qp_state[WQ_STATES] = {IBV_QPS_RESET, IBV_QPS_RTR,
					    IBV_QPS_ERR};

/* The row of each move, by the old state and the new one. */
static const enum row moves[WQ_STATES][WQ_STATES] = {
	{ROW_WQ_MODIFY_SAME, ROW_NONE, ROW_WQ_MODIFY_PAIR},
	{ROW_NONE, ROW_WQ_MODIFY_SAME, ROW_NONE},
	{ROW_NONE, ROW_WQ_MODIFY_PAIR, ROW_WQ_MODIFY_SAME},
};

/* Returns the create flags of a queue pair that mean the same. */
static uint32_t qp_flags(uint32_t flags)
{
	return (flags & IBV_WQ_FLAGS_CVLAN_STRIPPING
			? IBV_QP_CREATE_CVLAN_STRIPPING
			: 0u) |
	       (flags & IBV_WQ_FLAGS_SCATTER_FCS ? IBV_QP_CREATE_SCATTER_FCS
						 : 0u) |
	       (flags & IBV_WQ_FLAGS_PCI_WRITE_END_PADDING
			? IBV_QP_CREATE_PCI_WRITE_END_PADDING
			: 0u);
}

void wq_init(struct object *o, const struct wq_args *in, bool flags,
	     uint32_t max_wr, uint32_t max_sge)
{
	o->qp.kind = QK_RAW_PACKET;
	o->qp.state = IBV_QPS_RESET;
	o->qp.partner = NO_OBJ;
	o->qp.init.cap.max_recv_wr = max_wr;
	o->qp.init.cap.max_recv_sge = max_sge;
	o->qp.init.pd = in->pd;
	o->qp.init.comp_mask = IBV_QP_INIT_ATTR_CREATE_FLAGS;
	if (flags)
		o->qp.init.create_flags = qp_flags(in->create_flags);
	o->qp.init.send_cq = o->qp.init.recv_cq = in->cq;
	o->qp.init.srq = o->qp.init.xrcd = o->qp.init.rwq_ind_tbl = NO_OBJ;
}

static unsigned int state_of(const struct model_qp *wq)
{
	unsigned int state = 0;

	while (state < WQ_STATES - 1 && qp_state[state] != wq->state)
		state++;
	return state;
}

static void check_flags(struct step *s, struct faults *f,
			const struct ibv_wq_attr *in)
{
	if (!(in->attr_mask & IBV_WQ_ATTR_FLAGS))
		return;
	if (in->flags_mask & ~(IBV_WQ_FLAGS_RESERVED - 1u))
		add_fault(s, f, ROW_WQ_MODIFY_FLAGS_UNKNOWN);
	else
		add_fault(s, f, ROW_WQ_MODIFY_FLAGS);
}

/* Adds the rows of the call; `to` is the state that the queue is moved to. */
static void check_modify(struct step *s, struct faults *f, unsigned int from,
			 unsigned int to)
{
	const struct ibv_wq_attr *in = &s->b->in.wq_attr;
	bool claims = in->attr_mask & IBV_WQ_ATTR_CURR_STATE;

	if (!in->attr_mask || in->attr_mask >= IBV_WQ_ATTR_RESERVED)
		add_fault(s, f, ROW_WQ_MODIFY_MASK);
	check_flags(s, f, in);
	if (to >= WQ_STATES || (claims && in->curr_wq_state >= WQ_STATES))
		add_fault(s, f, ROW_WQ_MODIFY_RANGE);
	else if (claims && in->curr_wq_state != from)
		add_fault(s, f, ROW_WQ_MODIFY_LIE);
	if (in->attr_mask & IBV_WQ_ATTR_STATE && to < WQ_STATES &&
	    moves[from][to] != ROW_NONE)
		add_fault(s, f, moves[from][to]);
}

/* Returns true if the call changes the flags. With the seeded fault also if
 * attr_mask does not name them. */
static bool changes_flags(const struct step *s)
{
	const uint32_t both = IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_FLAGS;

	if ((s->b->in.wq_attr.attr_mask & both) == both &&
	    mutant_has_quirk(s->mutant, QUIRK_WQ_BOTH))
		return false;
	return s->b->in.wq_attr.attr_mask & IBV_WQ_ATTR_FLAGS ||
	       mutant_has_quirk(s->mutant, QUIRK_WQ_UNNAMED);
}

void do_modify_wq(struct step *s)
{
	const struct ibv_wq_attr *in = &s->b->in.wq_attr;
	struct model_qp *wq = qp_of(s->m, s->b->on);
	unsigned int from = state_of(wq), to = from;
	struct faults f = {0};
	enum out effect;
	int err;

	if (in->attr_mask & IBV_WQ_ATTR_STATE)
		to = in->wq_state;
	answer_accept(s, ROW_WQ_MODIFY);
	check_modify(s, &f, from, to);
	err = choose_outcome(s, &f, &effect);
	if (err || obj(s->m, s->b->on)->broken) {
		answer_refuse(s, s->a->row, err ? err : EINVAL);
		return;
	}
	if (changes_flags(s)) {
		uint32_t mask = in->flags_mask;

		looped_forget(s->m, s->b->on);
		if (mutant_has_quirk(s->mutant, QUIRK_WQ_FLAGS))
			mask = UINT32_MAX;
		if (mutant_has_quirk(s->mutant, QUIRK_WQ_FLAGS_FCS) &&
		    mask == IBV_WQ_FLAGS_CVLAN_STRIPPING &&
		    from == IBV_WQS_RDY && to == from)
			mask = UINT32_MAX;
		wq->init.create_flags &= ~qp_flags(mask);
		wq->init.create_flags |= qp_flags(in->flags & mask);
	}
	if (in->attr_mask == IBV_WQ_ATTR_FLAGS &&
	    mutant_has_quirk(s->mutant, QUIRK_WQ_STATE))
		to = in->wq_state;
	if (to >= WQ_STATES || to == from ||
	    mutant_does_nothing(s->mutant, V_modify_wq))
		return;
	if (from == IBV_WQS_RDY && to == IBV_WQS_RESET)
		spread_note_reset(s, s->b->on);
	wq->state = qp_state[to];
	wq->stopped &= to != IBV_WQS_RDY;
	wr_apply_qp_state(s, s->b->on);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_qp and the connect step on an iWARP device: the states of the
 * RDMAC verbs instead of the transition table.
 */
#include <errno.h>
#include "model/modify.h"

void check_iwarp(struct step *s, struct faults *f, const struct model_qp *qp,
		 uint32_t mask)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;
	int to = mask & A_STATE ? (int)in->qp_state : qp->state;
	enum row row = iwarp_row(qp->state, to, mask);

	if (mask & A_STATE && qp->iwarp_ending &&
	    (to != IBV_QPS_RTS || qp->iwarp_ending == ENDS_UNSEEN))
		row = ROW_IWARP_ENDING;
	if (row == ROW_IWARP_CM_MASK)
		record_row(s, row);
	else if (row != ROW_MOD_ACCEPT)
		add_fault(s, f, row);
	if (!iwarp_plain((enum qp_kind)qp->kind, qp->state, to, mask))
		add_fault(s, f, ROW_IWARP_TABLE);
}

/* Moves the queue pair. Once a connection ends only the device knows the state,
 * until the device accepts a move to ERROR or IDLE. */
void move_iwarp(struct step *s, struct model_qp *qp, int to)
{
	bool stays = qp->state <= IBV_QPS_INIT && to == IBV_QPS_RESET;

	qp->reset_keeps_work =
		stays && choose_hidden(s, ROW_IWARP_IDLE_WORK) == OUT_KEPT;
	if (to == IBV_QPS_RTR)
		return;
	qp->iwarp_ending =
		to == IBV_QPS_SQD || to == IBV_QPS_SQE ? ENDS_SEEN : ENDS_NOT;
	qp->state = (uint8_t)to;
}

/* Returns the errno of a connect step. Once a connection has begun to end only
 * the device knows whether it refuses; outside of IDLE no errno is promised. */
static int connect_error(const struct step *s, uint16_t slot)
{
	const struct device_info *d = home_of(s->m, slot);
	const struct model_qp *qp = &s->m->object[slot].qp;

	if (!device_iwarp(d) || !d->can_connect)
		return EOPNOTSUPP;
	if (!qp->iwarp_ending && qp->state <= IBV_QPS_INIT)
		return 0;
	if (is_oracle(s) && (qp->iwarp_ending || s->seen_error > 0))
		return s->seen_error;
	return EINVAL;
}

static void enter_connected(struct model_qp *qp)
{
	qp->state = IBV_QPS_RTS;
	qp->iwarp_ending = ENDS_NOT;
}

static int pair_error(const struct step *s, uint16_t slot, uint16_t peer)
{
	int err = connect_error(s, slot);

	if (err || peer == NO_OBJ)
		return err;
	return peer == slot ? EINVAL : connect_error(s, peer);
}

void do_connect(struct step *s)
{
	uint16_t slot = obj(s->m, s->b->on)->real;
	uint16_t peer = s->b->in.connect.peer;
	int err = pair_error(s, slot, peer);

	answer_accept(s, ROW_IWARP_CONNECT);
	s->a->outcome.ret = err;
	if (err || mutant_does_nothing(s->mutant, V_connect))
		return;
	iwarp_connect(s->m, slot, peer);
	enter_connected(&s->m->object[slot].qp);
	if (peer != NO_OBJ)
		enter_connected(&s->m->object[peer].qp);
}

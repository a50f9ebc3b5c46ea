/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults in what ibv_modify_qp keeps, forgets and stores.
 */
#include "contract/qp_fields.h"
#include "model/modify.h"

/* Seeded fault: returns SQ_PSN if the queue pair takes the PSN that it had
 * before RESET. */
static uint32_t kept_psn(const struct step *s, const struct model_qp *qp,
			 int to)
{
	const struct qp_table *t = s->m->table;

	if (!mutant_has_quirk(s->mutant, QUIRK_PSN_KEPT) || !qp->was_in_rts ||
	    qp->state != IBV_QPS_RTR || to != IBV_QPS_RTS)
		return 0;
	return t->cell[IBV_QPS_RTR][IBV_QPS_RTS][qp->kind].required & A_SQ_PSN;
}

/* Seeded fault: returns DEST_QPN if the queue pair keeps that of before. */
static uint32_t kept_peer(const struct step *s, const struct model_qp *qp,
			  int to)
{
	return mutant_has_quirk(s->mutant, QUIRK_PEER_KEPT) &&
			       qp->kind == QK_RC && qp->was_in_err &&
			       qp->state == IBV_QPS_INIT && to == IBV_QPS_RTR
		       ? A_DEST_QPN
		       : 0;
}

/* Seeded fault: returns the required attributes that a life before had. */
static uint32_t kept_attributes(const struct step *s, const struct model_qp *qp,
				int to)
{
	bool up = (qp->state == IBV_QPS_INIT && to == IBV_QPS_RTR) ||
		  (qp->state == IBV_QPS_RTR && to == IBV_QPS_RTS);

	if (!mutant_has_quirk(s->mutant, QUIRK_ATTRS_KEPT) ||
	    !qp->second_life || !up)
		return 0;
	return s->m->table->cell[qp->state][to][qp->kind].required & qp->ever;
}

uint32_t seeded_kept(const struct step *s, const struct model_qp *qp, int to)
{
	return kept_psn(s, qp, to) | kept_peer(s, qp, to) |
	       kept_attributes(s, qp, to);
}

void seeded_forget(const struct step *s, struct model_qp *qp)
{
	const uint32_t self = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;

	if (mutant_has_quirk(s->mutant, QUIRK_SELF_AFTER_RESET))
		qp->init.create_flags &= ~self;
	if (mutant_has_quirk(s->mutant, QUIRK_FLAGS_AFTER_ERR) &&
	    qp->state == IBV_QPS_ERR)
		qp->init.create_flags &= self;
}

void seeded_keep_psn(const struct step *s, const struct model_qp *qp,
		     struct ibv_qp_attr *attr)
{
	if (!mutant_has_quirk(s->mutant, QUIRK_PSN_ZERO))
		return;
	attr->rq_psn = attr->rq_psn ? attr->rq_psn : qp->attr.rq_psn;
	attr->sq_psn = attr->sq_psn ? attr->sq_psn : qp->attr.sq_psn;
}

void seeded_note_timer(struct model_qp *qp, bool to_rtr)
{
	qp->timer_stale = to_rtr && qp->timer_set && qp->timer_again;
	if (!to_rtr || qp->timer_set)
		return;
	qp->timer_set = true;
	qp->timer_first = qp->attr.min_rnr_timer;
}

void seeded_note_set(const struct step *s, struct model_qp *qp,
		     const struct qp_attr_args *in, uint32_t mask)
{
	bool stays = qp->state == IBV_QPS_RTS &&
		     (!(mask & A_STATE) || in->attr.qp_state == IBV_QPS_RTS);

	if (!s->mutant || qp->kind != QK_RC)
		return;
	if (mask & A_MIN_RNR_TIMER) {
		if (mask & A_STATE && in->attr.qp_state == IBV_QPS_RTR)
			qp->timer_rtr = in->attr.min_rnr_timer;
		qp->timer_rts = stays;
	}
	if (stays && mask & A_ALT_PATH && !(mask & A_TIMEOUT) &&
	    mutant_has_quirk(s->mutant, QUIRK_ALT_TIMEOUT) &&
	    device_flag(s->d, IBV_DEVICE_AUTO_PATH_MIG))
		qp->attr.timeout = in->attr.alt_timeout;
}

/* Seeded fault: returns true if a call is refused in RTS for the value of an
 * attribute other than the access flags, which it changes as well. */
static bool has_other_bad_value(const struct step *s, const struct model_qp *qp)
{
	const struct qp_attr_args *in = &s->b->in.qp_attr;
	bool stays = !(in->mask & A_STATE) || in->attr.qp_state == IBV_QPS_RTS;
	bool true_state = !(in->mask & A_CUR_STATE) ||
			  in->attr.cur_qp_state == IBV_QPS_RTS;

	if (!mutant_has_quirk(s->mutant, QUIRK_RIGHTS_VALUE) ||
	    qp->state != IBV_QPS_RTS || !(in->mask & A_ACCESS_FLAGS))
		return false;
	return stays && true_state && !(in->mask & ~(uint32_t)A_DEFINED) &&
	       !qp_fields_offend(&in->attr, A_ACCESS_FLAGS, s->d) &&
	       table_allows(s, qp, IBV_QPS_RTS, IBV_QPS_RTS, in->mask);
}

/* Seeded faults: returns true if an RC queue pair that stays in INIT is refused
 * the value of `attribute`, and the access flags of the call have been stored
 * before. */
static bool stored_before(const struct step *s, const struct model_qp *qp,
			  enum quirk quirk, uint32_t attribute, bool refused)
{
	const struct qp_attr_args *in = &s->b->in.qp_attr;
	const uint32_t both = A_ACCESS_FLAGS | attribute;
	bool stays = !(in->mask & A_STATE) || in->attr.qp_state == IBV_QPS_INIT;
	bool true_state = !(in->mask & A_CUR_STATE) ||
			  in->attr.cur_qp_state == IBV_QPS_INIT;

	if (!mutant_has_quirk(s->mutant, quirk) || !refused ||
	    qp->kind != QK_RC || qp->state != IBV_QPS_INIT || !stays ||
	    !true_state || (in->mask & both) != both ||
	    in->mask & ~(uint32_t)A_DEFINED)
		return false;
	return table_allows(s, qp, IBV_QPS_INIT, IBV_QPS_INIT, in->mask) &&
	       !qp_fields_offend(&in->attr, A_ACCESS_FLAGS, s->d);
}

static bool stored_before_pkey(const struct step *s, const struct model_qp *qp)
{
	return stored_before(s, qp, QUIRK_RIGHTS_PKEY, A_PKEY_INDEX,
			     qp_fields_offend(&s->b->in.qp_attr.attr,
					      A_PKEY_INDEX, s->d));
}

static bool stored_before_port(const struct step *s, const struct model_qp *qp)
{
	const uint8_t port = s->b->in.qp_attr.attr.port_num;

	return stored_before(s, qp, QUIRK_RIGHTS_PORT, A_PORT,
			     port < 1 || port > s->d->nports);
}

/* Seeded fault: the pkey_index is just past the table. */
static bool stored_before_end(const struct step *s, const struct model_qp *qp)
{
	const struct qp_attr_args *in = &s->b->in.qp_attr;

	if (!mutant_has_quirk(s->mutant, QUIRK_RIGHTS_PKEY_LEN) ||
	    (qp->kind != QK_RC && qp->kind != QK_UC) ||
	    qp->state != IBV_QPS_INIT ||
	    (in->mask & ~(uint32_t)A_STATE) != (A_ACCESS_FLAGS | A_PKEY_INDEX))
		return false;
	return (!(in->mask & A_STATE) || in->attr.qp_state == IBV_QPS_INIT) &&
	       in->attr.pkey_index == device_port(s->d)->attr.pkey_tbl_len &&
	       !qp_fields_offend(&in->attr, A_ACCESS_FLAGS, s->d);
}

void seeded_take_unmasked(const struct step *s, struct model_qp *qp)
{
	const struct qp_attr_args *in = &s->b->in.qp_attr;

	if (!s->mutant)
		return;
	if (in->mask & A_SQ_PSN)
		qp->psn_sent = 0;
	if (mutant_has_quirk(s->mutant, QUIRK_TIMER_WORD) &&
	    qp->kind == QK_RC && qp->state == IBV_QPS_RTS &&
	    in->mask == A_MIN_RNR_TIMER)
		qp->attr.qp_access_flags = in->attr.qp_access_flags;
	if (!(in->mask & A_QKEY) ||
	    !mutant_has_quirk(s->mutant, QUIRK_QKEY_RTS))
		return;
	if (qp->kind == QK_UD && qp->state == IBV_QPS_RTS &&
	    in->mask == A_QKEY) {
		if (!qp->qkey_stale)
			qp->recv_qkey = qp->attr.qkey;
		qp->qkey_stale = true;
	} else {
		qp->qkey_stale = false;
	}
}

/* Seeded fault: returns the attributes that an RC queue pair has taken before
 * max_dest_rd_atomic alone is refused. */
static uint32_t stored_before_depth(const struct step *s,
				    const struct model_qp *qp)
{
	const struct qp_attr_args *in = &s->b->in.qp_attr;
	struct faults f = {0};
	struct bound right;
	struct step alone;

	if (!mutant_has_quirk(s->mutant, QUIRK_DEPTH_LAST) ||
	    qp->kind != QK_RC || qp->state != IBV_QPS_INIT ||
	    !(in->mask & A_STATE) || in->attr.qp_state != IBV_QPS_RTR ||
	    !(in->mask & A_MAX_DEST_RD_ATOMIC))
		return 0;
	right = *s->b;
	alone = *s;
	right.in.qp_attr.attr.max_dest_rd_atomic = 1;
	alone.b = &right;
	check_modify(&alone, &f, qp);
	return faults_errno(&f) ? 0 : in->mask;
}

uint32_t seeded_partial(const struct step *s, const struct model_qp *qp)
{
	uint32_t partial = mutant_partial(s->mutant) & s->b->in.qp_attr.mask;

	if (mutant_has_quirk(s->mutant, QUIRK_FALSE_STATE) &&
	    s->b->in.qp_attr.mask & A_CUR_STATE &&
	    s->b->in.qp_attr.attr.cur_qp_state != qp->state)
		partial |= A_QKEY & s->b->in.qp_attr.mask;
	if (mutant_has_quirk(s->mutant, QUIRK_RIGHTS_REFUSED) &&
	    qp->state == IBV_QPS_RTS && s->b->in.qp_attr.mask & A_PATH_MTU)
		partial |= A_ACCESS_FLAGS & s->b->in.qp_attr.mask;
	if (has_other_bad_value(s, qp) || stored_before_pkey(s, qp) ||
	    stored_before_port(s, qp) || stored_before_end(s, qp))
		partial |= A_ACCESS_FLAGS;
	partial |= stored_before_depth(s, qp);
	if (mutant_has_quirk(s->mutant, QUIRK_RIGHTS_STATELESS) &&
	    !(s->b->in.qp_attr.mask & A_STATE))
		partial |= A_ACCESS_FLAGS & s->b->in.qp_attr.mask;
	return partial;
}

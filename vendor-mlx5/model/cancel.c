// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * mlx5dv_qp_cancel_posted_send_wrs in the model. Requests that SQD holds are
 * canceled: later they complete without having been carried out.
 */
#include <infiniband/mlx5dv.h>
#include "model/vendor.h"
#include "vendor-mlx5/mlx5.h"

static bool pipelines(const struct model_qp *qp)
{
	return mlx5_create_flags(&qp->init) & MLX5DV_QP_CREATE_SIG_PIPELINING;
}

/* Seeded fault: returns true for a send behind the end of the ring, seen from
 * the first one that waits. */
static bool is_beyond(const struct step *s, const struct model_wr *w)
{
	if (!mutant_has_quirk(s->m->mutant, QUIRK_CANCEL_WRAP))
		return false;
	each_wr(s->m, wr_list_at(s->m, w->owner, false), first)
	{
		if (first->stage == WR_POSTED)
			return seeded_ring_turn(s->m, w) !=
			       seeded_ring_turn(s->m, first);
	}
	return false;
}

/* Returns true if a send can be canceled: it has the wr_id and has not begun.
 */
static bool is_meant(const struct step *s, const struct model_wr *w)
{
	return w->stage == WR_POSTED && !w->waits_for &&
	       w->wr_id == s->b->in.cancel.wr_id && !is_beyond(s, w);
}

/* Counts the requests that can be canceled. Returns true if one of them was
 * canceled before. */
static bool count_meant(struct step *s, uint16_t slot, uint32_t *n)
{
	bool again = false;

	*n = 0;
	each_wr(s->m, wr_list_at(s->m, slot, false), w)
	{
		if (!is_meant(s, w))
			continue;
		again |= w->canceled_row != ROW_NONE;
		++*n;
		if (mutant_has_quirk(s->m->mutant, QUIRK_CANCEL_FIRST))
			break;
	}
	return again;
}

static void judge(struct step *s, struct faults *f, const struct model_qp *qp,
		  uint16_t slot, bool again)
{
	if (!claim_holds(CLAIM_DV, s->d) || !claim_holds(CLAIM_MLX5_MKEY, s->d))
		add_fault(s, f, ROW_CANCEL_CLAIM);
	else if (!(qp->init.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		add_fault(s, f, ROW_CANCEL_NO_OPS);
	else if (qp->state != IBV_QPS_SQD)
		add_fault(s, f, ROW_CANCEL_STATE);
	else if (retry_is_under_way(s->m, slot))
		add_fault(s, f, ROW_CANCEL_DRAINING);
	else if (again)
		add_fault(s, f, ROW_CANCEL_AGAIN);
	else if (!pipelines(qp))
		add_fault(s, f, ROW_CANCEL_FLAG);
}

void do_mlx5dv_qp_cancel_posted_send_wrs(struct step *s)
{
	uint16_t slot = obj(s->m, s->b->on)->real;
	const struct model_qp *qp = &s->m->object[slot].qp;
	struct faults f = {0};
	enum out effect;
	uint32_t n;
	bool again = count_meant(s, slot, &n);
	int err;

	answer_accept(s, ROW_CANCEL);
	judge(s, &f, qp, slot, again);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	answer_define(s, F_canceled_count, n, ROW_CANCEL);
	if (again)
		answer_undefine(s, F_canceled_count);
	if (mutant_does_nothing(s->mutant, s->b->verb))
		return;
	each_wr(s->m, wr_list_at(s->m, slot, false), w)
	{
		if (!is_meant(s, w))
			continue;
		w->canceled_row = ROW_CANCEL_NOP;
		w->unflushed =
			mutant_has_quirk(s->mutant, QUIRK_CANCEL_SUCCEEDS);
		if (mutant_has_quirk(s->mutant, QUIRK_CANCEL_FIRST))
			break;
	}
}

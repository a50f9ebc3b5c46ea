// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A DCT in the model: which queries it accepts, when it gets its number, and
 * which requests it refuses.
 */
#include "model/create.h"
#include "vendor-mlx5/mlx5.h"

void mlx5_check_query(struct step *s, struct faults *f,
		      const struct model_qp *qp, uint32_t mask)
{
	if (qp->kind != QK_DCT)
		return;
	if (qp->state != IBV_QPS_RTR)
		add_fault(s, f, ROW_DCT_QUERY_STATE);
	if (mask & ~kind_traits(QK_DCT)->queried)
		add_fault(s, f, ROW_DCT_QUERY_MASK);
}

/* A DCT gets its number on its way to RTR; the first query shows the number. */
void mlx5_define_query(struct step *s, struct model_qp *qp)
{
	uint16_t slot = obj(s->m, s->b->on)->real;

	if (qp->kind != QK_DCT)
		return;
	if (qp->init.qp_num) {
		answer_define(s, F_qp_num, qp->init.qp_num, ROW_DCT_NUMBER);
		return;
	}
	index_unname(s->m, slot);
	qp->init.qp_num = create_qp_number(s, 1, ROW_DCT_NUMBER);
	index_name(s->m, slot);
}

/* A DCT refuses requests with an access key that is not its own. */
enum row mlx5_refuse(const struct step *s, const struct model_wr *w,
		     uint16_t peer)
{
	const struct model_qp *to = &s->m->object[peer].qp;

	if (to->kind != QK_DCT ||
	    w->vendor.mlx5.dc_key == to->init.vendor.mlx5.dct_access_key)
		return ROW_NONE;
	record_row(s, ROW_DC_KEY);
	return mutant_skips(s->m->mutant, ROW_DC_KEY) ? ROW_NONE : ROW_DC_KEY;
}

/* A DCT has no error state: a faulty request does not stop the DCT. */
bool mlx5_stops_peer(const struct step *s, uint16_t peer)
{
	if (s->m->object[peer].qp.kind != QK_DCT)
		return true;
	record_row(s, ROW_DCT_LASTS);
	return mutant_skips(s->m->mutant, ROW_DCT_LASTS);
}

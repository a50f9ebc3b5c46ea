// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Raw WQEs in the model (mlx5dv_wr_raw_wqe): requests with the operations of
 * verbs that the caller has built in the form of the device. The library does
 * not look at them, so it refuses them for want of room in the queue alone.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include "contract/opcodes.h"
#include "model/data/post.h"
#include "model/memory/access_fault.h"
#include "vendor-mlx5/mlx5.h"

#define WQE_FLAGS                                                              \
	((uint32_t)(IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_FENCE |  \
		    IBV_SEND_INLINE))

/* Counts the raw WQEs of the open batch. Stores the wr_id of its last request,
 * and returns the number. */
static unsigned int count_raw(const struct step *s, uint64_t *last)
{
	uint16_t slot = obj(s->m, s->b->on)->real;
	unsigned int n = 0;

	each_wr(s->m, wr_list_at(s->m, slot, false), w)
	{
		if (w->stage != WR_BUILT)
			continue;
		n += w->opcode_row == ROW_RAW_OPCODE;
		*last = w->wr_id;
	}
	return n;
}

/* Seeded faults. Returns false if the request is lost. */
static bool break_wqe(const struct step *s, struct wr_args *wr)
{
	const struct mutant *m = s->mutant;
	uint64_t last = wr->wr_id;
	unsigned int before = count_raw(s, &last);

	if (mutant_has_quirk(m, QUIRK_RAW_OPCODE) ||
	    (wr->opcode == IBV_WR_RDMA_READ &&
	     mutant_has_quirk(m, QUIRK_RAW_READ)))
		wr->completion = 0;
	if (mutant_skips(m, ROW_RAW_FLAGS))
		wr->send_flags |= wr->vendor.mlx5.wr_flags & WQE_FLAGS;
	if (mutant_skips(m, ROW_RAW_SIGNALED))
		wr->flags_alone = false;
	if (mutant_has_quirk(m, QUIRK_RAW_WR_ID))
		wr->wr_id = last;
	if (mutant_has_quirk(m, QUIRK_RAW_SILENT))
		wr->send_flags &= ~(uint32_t)IBV_SEND_SIGNALED;
	return !(before == 1 && mutant_has_quirk(m, QUIRK_RAW_SECOND));
}

/* Builds one raw WQE, whose faults only the device finds. */
static void build_wqe(struct step *s, const struct wr_args *asked)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	struct bound request = *s->b;
	struct wr_args *wr = &request.in.wr;
	struct step alone = *s;
	struct faults f = {0};
	enum row row;

	*wr = *asked;
	wr->more = wr->odd = 0;
	wr->send_flags &= WQE_FLAGS;
	wr->completion = IBV_WC_DRIVER2;
	wr->completion_row = ROW_RAW_OPCODE;
	wr->flags_alone = true;
	if (s->mutant && !break_wqe(s, wr))
		return;
	row = fault_of_post(s, qp, wr, request_bytes(wr));
	if (row != ROW_NONE)
		add_fault(s, &f, row);
	alone.b = &request;
	post_build_own(&alone, &f);
}

/* A WQE that is longer than any request which the queue pair was made for may
 * write over others in the ring. */
static void check_room(struct step *s, const struct wr_args *one)
{
	const struct ibv_qp_cap *cap = &qp_of(s->m, s->b->on)->init.cap;
	bool copies = one->send_flags & IBV_SEND_INLINE;

	if (copies ? request_bytes(one) > cap->max_inline_data
		   : one->num_sge > cap->max_send_sge)
		s->m->lost_track |= is_oracle(s);
}

void do_mlx5dv_wr_raw_wqe(struct step *s)
{
	const struct wr_args *in = &s->b->in.wr;
	struct wr_args copy;

	if (qp_of(s->m, s->b->on)->kind == QK_RAW_PACKET) {
		answer_refuse(s, ROW_DV_WR_NOT_ASKED, EOPNOTSUPP);
		return; /* by raw_wqe.h */
	}
	if (!mlx5_is_built(s, MLX5DV_QP_EX_WITH_RAW_WQE))
		return;
	record_row(s, ROW_RAW_SAME);
	record_row(s, ROW_RAW_OPCODE);
	if (in->vendor.mlx5.wr_flags)
		record_row(s, ROW_RAW_FLAGS);
	if (qp_of(s->m, s->b->on)->init.sq_sig_all)
		record_row(s, ROW_RAW_SIGNALED);
	for (uint32_t at = 0; at <= in->more; at++) {
		const struct wr_args *one = request_in(in, at, &copy);

		check_room(s, one);
		build_wqe(s, one);
	}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for copies of memory by the device (mlx5dv_wr_memcpy).
 */
#include "vendor-mlx5/cases/mkey.h"

static void copy(struct gen *g, const char *name, enum row row, uint64_t length,
		 const char *limit)
{
	struct post p;

	if (!post_case_with(g, QK_RC, IBV_QPS_RTS, CLAIM_MLX5_MEMCPY, row,
			    "A copy of memory", "%s", name))
		return;
	p = post_parents(g, QK_RC);
	p.a = g->qp = mkey_qp(g, MLX5DV_QP_EX_WITH_MEMCPY);
	p.b = mkey_qp(g, MLX5DV_QP_EX_WITH_MEMCPY);
	post_both(&p, 0);
	gen_fill(g, p.mr, 1);
	mkey_begin(&p, V_mlx5dv_wr_memcpy, false);
	prog_num(g->p, F_copy_wr_id, 1);
	prog_num(g->p, F_copy_flags, IBV_SEND_SIGNALED);
	prog_obj(g->p, F_copy_src, p.mr);
	prog_num(g->p, F_copy_src_offset, 100);
	prog_obj(g->p, F_copy_dest, p.mr);
	prog_num(g->p, F_copy_dest_offset, 2001);
	if (limit)
		prog_sym(g->p, F_copy_length, limit, 1);
	else
		prog_num(g->p, F_copy_length, length);
	post_poll_for(&p, 1, row == ROW_MEMCPY_BYTES ? POST_WAIT : POST_QUIET);
	gen_call(g, V_read_mr, p.mr);
	post_finish(&p);
}

void mlx5_gen_memcpy(struct gen *g)
{
	gen_prefix(g, "mlx5/memcpy/");
	g->wr = true;
	copy(g, "bytes-1", ROW_MEMCPY_BYTES, 1, NULL);
	copy(g, "bytes-1000", ROW_MEMCPY_BYTES, 1000, NULL);
	copy(g, "none", ROW_MEMCPY_LENGTH, 0, NULL);
	copy(g, "over", ROW_MEMCPY_LENGTH, 0, "mlx5_max_wr_memcpy_length");
	g->wr = false;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Generates the cases of a device that libmlx5 drives, the creations with
 * mlx5dv_create_qp first, and makes queue pairs by that call for other cases.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/cases/cases.h"
#include "vendor-mlx5/mlx5.h"

static void put_dc(struct gen *g, enum qp_kind kind)
{
	prog_obj(g->p, F_send_cq, g->cq);
	prog_obj(g->p, F_recv_cq, g->cq);
	if (kind == QK_DCI) {
		prog_num(g->p, F_dc_type, MLX5DV_DCTYPE_DCI);
		return;
	}
	prog_num(g->p, F_dc_type, MLX5DV_DCTYPE_DCT);
	prog_num(g->p, F_dct_access_key, DC_ACCESS_KEY);
}

static uint8_t srq_or_new(struct gen *g)
{
	return g->srq == NO_OBJ ? gen_srq(g, g->pd) : g->srq;
}

void mlx5_gen_put_ops(struct gen *g, enum qp_kind kind)
{
	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_num(g->p, F_send_ops_flags, gen_send_ops(g, kind));
}

void mlx5_generate_receiver(struct gen *g)
{
	prog_num(g->p, F_send_dc_key, DC_ACCESS_KEY);
}

uint8_t mlx5_gen_qp(struct gen *g, enum qp_kind kind, uint64_t more)
{
	bool recv = kind == QK_XRC_RECV;
	uint8_t srq = kind == QK_DCT ? srq_or_new(g) : NO_OBJ;
	uint8_t qp = gen_make(g, V_mlx5dv_create_qp, NO_OBJ);

	prog_num(g->p, F_comp_mask,
		 recv ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD);
	if (kind == QK_DCI && g->wr)
		mlx5_gen_put_ops(g, kind);
	if (kind == QK_DCT && qp < 64)
		g->receivers |= UINT64_C(1) << qp;
	prog_obj(g->p, recv ? F_xrcd : F_pd, recv ? g->xrcd : g->pd);
	gen_qp_parents(g, kind);
	gen_qp_caps(g, kind);
	if (srq != NO_OBJ)
		prog_obj(g->p, F_srq, srq);
	if (kind_is_vendors(kind)) {
		more |= MLX5DV_QP_INIT_ATTR_MASK_DC;
		put_dc(g, kind);
	}
	if (more)
		prog_num(g->p, F_dv_comp_mask, more);
	return qp;
}

uint8_t mlx5_gen_qp_flags(struct gen *g, enum qp_kind kind, uint64_t flags)
{
	uint8_t qp = mlx5_gen_qp(
		g, kind, flags ? MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS : 0);

	if (flags)
		prog_num(g->p, F_dv_create_flags, flags);
	return qp;
}

uint8_t mlx5_generate_qp(struct gen *g, enum qp_kind kind)
{
	return mlx5_gen_qp(g, kind, 0);
}

void mlx5_gen_create_prefix(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "mlx5/create/%s/", qp_kind_slug(kind));
}

void mlx5_gen_created(struct gen *g, enum qp_kind kind, uint8_t qp,
		      enum row row)
{
	gen_created(g, kind, qp, row_accepts(row));
}

static void plain_qp(struct gen *g, enum qp_kind kind)
{
	mlx5_gen_create_prefix(g, kind);
	if (!gen_id(g, "plain") ||
	    !gen_says(g, ROW_DV_ACCEPT, gen_claim(g, kind, 0, 0),
		      "mlx5dv_create_qp makes a %s queue pair.",
		      qp_kind_name(kind)))
		return;
	gen_parents(g, kind);
	mlx5_gen_created(g, kind, mlx5_gen_qp(g, kind, 0), ROW_DV_ACCEPT);
}

/* Takes one DCI twice from RESET through RTS and ERR back to RESET. */
static void lifecycle_twice(struct gen *g)
{
	static const int steps[] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
				    IBV_QPS_ERR, IBV_QPS_RESET};
	int from = IBV_QPS_RESET;

	gen_prefix(g, "modify/dci/lifecycle/");
	if (!gen_id(g, "twice") ||
	    !gen_says(g, ROW_MOD_ACCEPT, gen_claim(g, QK_DCI, 0, 0),
		      "One DCI moves twice from RESET to RTS, to ERR and back "
		      "to RESET."))
		return;
	gen_qp(g, QK_DCI);
	for (int i = 0; i < 10; i++) {
		gen_step(g, g->qp, from, steps[i % 5]);
		gen_query(g, g->qp);
		from = steps[i % 5];
	}
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

static void modifications(struct gen *g, enum qp_kind kind)
{
	gen_modify_masks(g, kind);
	gen_modify_values(g, kind);
}

void mlx5_generate(struct gen *g)
{
	for (int k = 0; k < QK_END && !g->stop; k++) {
		if (k == QK_NR ||
		    !vendor_takes_kind(&vendor_mlx5, (enum qp_kind)k))
			continue;
		plain_qp(g, (enum qp_kind)k);
		mlx5_gen_create_bits(g, (enum qp_kind)k);
	}
	mlx5_gen_rss(g);
	mlx5_gen_raw_packet(g);
	mlx5_gen_create_dc(g);
	modifications(g, QK_DCI);
	modifications(g, QK_DCT);
	lifecycle_twice(g);
	mlx5_gen_dct(g);
	mlx5_gen_dc_traffic(g);
	mlx5_gen_scatter_to_cqe(g);
	mlx5_gen_cq(g);
	mlx5_gen_mkey(g);
	mlx5_gen_combined_mkeys(g);
	mlx5_gen_signature(g);
	mlx5_gen_dek(g);
	mlx5_gen_crypto(g);
	mlx5_gen_memcpy(g);
	mlx5_gen_raw_wqe(g);
	mlx5_gen_credits(g);
	mlx5_gen_path(g);
	mlx5_gen_cancel(g);
	mlx5_gen_sched(g);
	mlx5_gen_reserved_qpn(g);
	mlx5_gen_map_ah(g);
}

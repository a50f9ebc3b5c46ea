// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for mlx5dv_create_qp with an indirection table: each create flag, a
 * hash over the inner packet, and send operations, which are refused.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/model/create_bits.h"
#include "vendor-mlx5/cases/cases.h"

#define FLAGS	     8 /* create flags that are defined */
#define HASH_KEY_LEN 40
#define RSS_MASK                                                               \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |                    \
	 IBV_QP_INIT_ATTR_RX_HASH)

static enum claim rss_claim(const struct gen *g)
{
	const enum claim claims[] = {CLAIM_TYPE_RAW_PACKET, CLAIM_WQ, CLAIM_RSS,
				     CLAIM_NONE};

	return gen_missing(g, claims);
}

static uint8_t rss_qp(struct gen *g, uint8_t ind, uint32_t comp_mask)
{
	uint8_t qp = gen_make(g, V_mlx5dv_create_qp, NO_OBJ);

	prog_num(g->p, F_comp_mask, comp_mask);
	prog_obj(g->p, F_pd, g->pd);
	prog_num(g->p, F_qp_type, IBV_QPT_RAW_PACKET);
	prog_obj(g->p, F_rwq_ind_tbl, ind);
	prog_num(g->p, F_rx_hash_function, IBV_RX_HASH_FUNC_TOEPLITZ);
	prog_num(g->p, F_rx_hash_key_len, HASH_KEY_LEN);
	prog_num(g->p, F_rx_hash_fields_mask, RX_HASH_IPV4);
	return qp;
}

static uint8_t table(struct gen *g)
{
	gen_parents(g, QK_RAW_PACKET);
	return gen_ind(g, gen_wq(g, g->pd, g->cq));
}

static void rss_done(struct gen *g, uint8_t qp, uint8_t ind, enum row row)
{
	if (row_accepts(row))
		gen_call(g, V_destroy_qp, qp);
	gen_call(g, V_destroy_rwq_ind_table, ind);
	gen_done(g);
}

static enum row flag_row(const struct gen *g, uint64_t bit)
{
	if (bit == MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE)
		return ROW_DV_RSS_SCATTER;
	return mlx5_create_bit_row(g->d, QK_RAW_PACKET, F_dv_create_flags, bit,
				   false);
}

static void flag(struct gen *g, uint64_t bit)
{
	const char *name = mlx5_create_bit(F_dv_create_flags, bit)->name;
	enum row row = flag_row(g, bit);
	uint8_t qp, ind;

	if (!gen_id(g, "flag/%s", name) ||
	    !gen_says_rule(g, row, rss_claim(g),
			   "An indirection table and create flag %s", name))
		return;
	ind = table(g);
	qp = rss_qp(g, ind, RSS_MASK);
	prog_num(g->p, F_dv_comp_mask,
		 MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS);
	prog_num(g->p, F_dv_create_flags, bit);
	rss_done(g, qp, ind, row);
}

static void send_ops(struct gen *g)
{
	uint8_t qp, ind;

	if (!gen_id(g, "send-ops") ||
	    !gen_says(g, ROW_DV_RSS_OPS, rss_claim(g), "%s",
		      rule(ROW_DV_RSS_OPS)->text))
		return;
	ind = table(g);
	qp = rss_qp(g, ind, RSS_MASK | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_num(g->p, F_send_ops_flags, IBV_QP_EX_WITH_SEND);
	rss_done(g, qp, ind, ROW_DV_RSS_OPS);
}

/* With tunnel offloads the inner packet is hashed like any other. */
static void inner(struct gen *g)
{
	const enum claim claims[] = {CLAIM_TYPE_RAW_PACKET, CLAIM_WQ, CLAIM_RSS,
				     CLAIM_MLX5_TUNNEL, CLAIM_NONE};
	bool offered = g->d->limit[LIM_rx_hash_fields_mask] & IBV_RX_HASH_INNER;
	enum row row = offered ? ROW_DV_FLAG : ROW_CRE_RSS_HASH;
	uint8_t qp, ind;

	if (!gen_id(g, "inner") ||
	    !gen_says_rule(g, row, gen_missing(g, claims),
			   "A hash over the inner packet with TUNNEL_OFFLOADS"))
		return;
	ind = table(g);
	qp = rss_qp(g, ind, RSS_MASK);
	prog_num(g->p, F_rx_hash_fields_mask, RX_HASH_IPV4 | IBV_RX_HASH_INNER);
	prog_num(g->p, F_dv_comp_mask,
		 MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS);
	prog_num(g->p, F_dv_create_flags, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS);
	rss_done(g, qp, ind, row);
}

void mlx5_gen_rss(struct gen *g)
{
	gen_prefix(g, "mlx5/create/raw_packet/rss/");
	for (int bit = 0; bit < FLAGS; bit++)
		flag(g, UINT64_C(1) << bit);
	inner(g);
	send_ops(g);
}

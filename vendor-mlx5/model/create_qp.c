// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The model's answer to mlx5dv_create_qp: the checks of ibv_create_qp_ex, and
 * checks of struct mlx5dv_qp_init_attr.
 */
#include <infiniband/mlx5dv.h>
#include "model/create.h"
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/model/create_bits.h"

#define VERBS_COMP_MASK 0x7fu /* the bits that verbs define */
#define DV_COMP_MASK                                                           \
	(MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS |                            \
	 MLX5DV_QP_INIT_ATTR_MASK_DC |                                         \
	 MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS |                             \
	 MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS)
#define DCT_COMP_MASK                                                          \
	(MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS | MLX5DV_QP_INIT_ATTR_MASK_DC)
#define SCATTER_BOTH                                                           \
	(MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE |                             \
	 MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE)

/* Adds a fault for each bit that is set; neighbours with one row share it. */
static void check_bits(struct step *s, struct faults *f, enum qp_kind kind,
		       enum field field, uint64_t bits)
{
	enum row last = ROW_NONE;

	for (int i = 0; i < 64; i++) {
		uint64_t bit = UINT64_C(1) << i;
		enum row row;

		if (!(bits & bit))
			continue;
		row = mlx5_create_bit_row(s->d, kind, field, bit,
					  mutant_flips(s->mutant, kind, field,
						       bit));
		if (row != last)
			add_fault(s, f, row);
		last = row;
	}
}

static void check_ops(struct step *s, struct faults *f, enum qp_kind kind,
		      uint64_t ops)
{
	if (kind == QK_XRC_RECV && !ops)
		add_fault(s, f, ROW_DV_OPS_TYPE);
	check_bits(s, f, kind, F_dv_send_ops_flags, ops);
}

/* A seeded fault reads a member that comp_mask does not name. */
static bool reads(const struct step *s, uint64_t mask, uint64_t bit,
		  enum field member)
{
	return mask & bit || mutant_checks_unmasked(s->mutant, member);
}

static void check_flags(struct step *s, struct faults *f, enum qp_kind kind,
			uint32_t flags)
{
	check_bits(s, f, kind, F_dv_create_flags, flags);
	if ((flags & SCATTER_BOTH) == SCATTER_BOTH)
		add_fault(s, f, ROW_DV_SCATTER_BOTH);
	if (!(flags & (flags - 1)))
		return;
	record_row(s, ROW_DV_FLAG_PAIR);
	if (mutant_skips(s->mutant, ROW_DV_FLAG_PAIR))
		add_fault(s, f, ROW_DV_FLAG_UNKNOWN);
}

/* Checks that are the same for every type. */
static void check_vendor(struct step *s, struct faults *f, enum qp_kind kind,
			 const struct mlx5_qp_args *in)
{
	uint64_t mask = in->comp_mask;

	if (mask & ~(uint64_t)DV_COMP_MASK)
		add_fault(s, f, ROW_DV_COMP_MASK);
	if (reads(s, mask, MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		  F_dv_create_flags))
		check_flags(s, f, kind, in->create_flags);
	if (kind != QK_DCT &&
	    reads(s, mask, MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		  F_dv_send_ops_flags))
		check_ops(s, f, kind, in->send_ops_flags);
}

static void check_streams(struct step *s, struct faults *f,
			  const struct mlx5_qp_args *in)
{
	const uint64_t *limit = s->d->limit;
	uint64_t most = limit[LIM_mlx5_dci_log_num_concurent];
	uint64_t errored = limit[LIM_mlx5_dci_log_num_errored];

	if (in->log_num_concurent > mutant_limit(s->mutant, F_dci_log_concurent,
						 in->log_num_concurent, most) ||
	    in->log_num_errored > mutant_limit(s->mutant, F_dci_log_errored,
					       in->log_num_errored, errored))
		add_fault(s, f, ROW_DCI_STREAMS_OVER);
	else if (!most)
		add_fault(s, f, ROW_DCI_STREAMS_NONE);
	else
		add_fault(s, f, ROW_DCI_STREAMS);
}

static void check_dci(struct step *s, struct faults *f,
		      const struct qp_init_args *in)
{
	const struct mlx5_qp_args *v = &in->vendor.mlx5;

	if (in->cap.max_recv_wr || in->cap.max_recv_sge)
		add_fault(s, f, ROW_DCI_RECV);
	if (v->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS)
		check_streams(s, f, v);
	else if (v->log_num_concurent || v->log_num_errored)
		add_fault(s, f, ROW_DCI_STREAMS_UNSAID);
	if (!claim_holds(CLAIM_TYPE_DCI, s->d))
		add_fault(s, f, ROW_DC_CLAIM);
}

static void check_dct(struct step *s, struct faults *f,
		      const struct qp_init_args *in)
{
	if (in->comp_mask & VERBS_COMP_MASK & ~(uint32_t)IBV_QP_INIT_ATTR_PD)
		add_fault(s, f, ROW_DCT_VERBS_MASK);
	if (in->vendor.mlx5.comp_mask & DV_COMP_MASK & ~(uint64_t)DCT_COMP_MASK)
		add_fault(s, f, ROW_DCT_MASK);
	if (in->srq == NO_OBJ)
		add_fault(s, f, ROW_DCT_SRQ);
	if (in->recv_cq == NO_OBJ)
		add_fault(s, f, ROW_DCT_CQ);
	if (!claim_holds(CLAIM_TYPE_DCT, s->d))
		add_fault(s, f, ROW_DC_CLAIM);
}

static void check_rss(struct step *s, struct faults *f,
		      const struct qp_init_args *in)
{
	if (mlx5_create_flags(in) & MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE &&
	    in->rwq_ind_tbl != NO_OBJ)
		add_fault(s, f, ROW_DV_RSS_SCATTER);
	if (in->comp_mask & IBV_QP_INIT_ATTR_RX_HASH &&
	    in->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		add_fault(s, f, ROW_DV_RSS_OPS);
}

/* IBV_QPT_DRIVER and DC belong together. */
static void check_type(struct step *s, struct faults *f,
		       const struct qp_init_args *in)
{
	bool dc = in->vendor.mlx5.comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DC;
	bool driver = in->qp_type == IBV_QPT_DRIVER;

	if (dc != driver)
		add_fault(s, f, ROW_DC_DRIVER);
	else if (driver && mlx5_kind_of_dc(in->vendor.mlx5.dc_type) == QK_NR)
		add_fault(s, f, ROW_DC_TYPE);
	if (!driver &&
	    in->vendor.mlx5.comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS)
		add_fault(s, f, ROW_DC_STREAMS_OTHER);
	if (!driver && qp_kind_of((int)in->qp_type) == QK_NR)
		add_fault(s, f, ROW_CRE_TYPE_UNKNOWN);
	else if (!driver && !device_makes(s->d, in->qp_type))
		add_fault(s, f, ROW_CRE_TYPE);
}

/* Returns true if tunnel offloads were asked for and the device has them, so
 * that a hash over the inner packet is a hash like any other. */
static bool asks_tunnels(const struct device_info *d,
			 const struct qp_init_args *in)
{
	return mlx5_create_flags(in) & MLX5DV_QP_CREATE_TUNNEL_OFFLOADS &&
	       claim_holds(CLAIM_MLX5_TUNNEL, d) &&
	       d->limit[LIM_rx_hash_fields_mask] & IBV_RX_HASH_INNER;
}

/* Checks the verbs attributes. libmlx5 refuses the first two without setting
 * errno; the rest is judged as for ibv_create_qp_ex. */
static void check_verbs(struct step *s, struct faults *f, enum qp_kind kind,
			const struct qp_init_args *asked)
{
	struct qp_init_args in = *asked;

	if (in.comp_mask & ~VERBS_COMP_MASK)
		add_fault(s, f, ROW_DV_VERBS_MASK);
	in.comp_mask &= VERBS_COMP_MASK;
	if (in.comp_mask & IBV_QP_INIT_ATTR_MAX_TSO_HEADER &&
	    kind != QK_RAW_PACKET) {
		add_fault(s, f, ROW_DV_TSO);
		in.comp_mask &= ~(uint32_t)IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
	}
	if (asks_tunnels(s->d, &in))
		in.rx_hash_fields_mask &= ~(uint64_t)IBV_RX_HASH_INNER;
	if (kind == QK_DCT) /* DCT_VERBS_MASK refuses the other bits */
		in.comp_mask &= IBV_QP_INIT_ATTR_PD;
	if (kind != QK_NR)
		check_creation(s, f, kind, &in);
}

void do_mlx5dv_create_qp(struct step *s)
{
	struct qp_init_args in = create_named_args(s);
	enum qp_kind kind = qp_init_kind(&in);
	struct faults f = {0};

	answer_accept(s, ROW_DV_ACCEPT);
	if (!claim_holds(CLAIM_DV, s->d)) {
		add_fault(s, &f, ROW_DV_DEVICE);
		create_decide(s, &f, kind, &in);
		return;
	}
	check_number(s, &f, OBJ_QP, ROW_DV_ACCEPT);
	check_verbs(s, &f, kind, &in);
	check_vendor(s, &f, kind, &in.vendor.mlx5);
	check_rss(s, &f, &in);
	check_type(s, &f, &in);
	if (kind == QK_DCI)
		check_dci(s, &f, &in);
	if (kind == QK_DCT)
		check_dct(s, &f, &in);
	create_decide(s, &f, kind, &in);
}

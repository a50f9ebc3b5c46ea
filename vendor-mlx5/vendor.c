// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The struct vendor_ops of mlx5: the functions that the harness calls for
 * devices, types and calls of libmlx5.
 */
#include <infiniband/mlx5dv.h>
#include <string.h>
#include "program/text.h"
#include "vendor-mlx5/mlx5.h"

enum qp_kind mlx5_kind_of_dc(unsigned int dc_type)
{
	switch (dc_type) {
	case MLX5DV_DCTYPE_DCT:
		return QK_DCT;
	case MLX5DV_DCTYPE_DCI:
		return QK_DCI;
	default:
		return QK_NR;
	}
}

static enum qp_kind created_kind(const struct qp_init_args *in)
{
	const struct mlx5_qp_args *mlx5 = &in->vendor.mlx5;

	return mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DC
		       ? mlx5_kind_of_dc(mlx5->dc_type)
		       : QK_NR;
}

static enum qp_kind kind_of_setting(enum field f, uint64_t value)
{
	return f == F_dc_type ? mlx5_kind_of_dc((unsigned int)value) : QK_NR;
}

static bool needs_mkey(enum field f)
{
	return f == F_umr_mkey;
}

/* C programs need numbers for what their headers lack: OOO_DP in rdma-core 44,
 * and the operations that only ibvet numbers. */
static bool c_is_newer(const struct name *n)
{
	return (n->set == NS_DV_CREATE_FLAGS && !strcmp(n->text, "OOO_DP")) ||
	       (n->set == NS_WR_OPCODE && n->value == MLX5_WR_NOP);
}

/* DV_DEVICE is about devices that libmlx5 does not drive, and no case makes a
 * DCT without a completion queue. CRYPTO_SINGLE and DEK_WRAPPED exclude the
 * claims of the other cases of crypto: no device of `ibvet mutants` has them.
 */
static bool unreached(enum row row)
{
	return row == ROW_DV_DEVICE || row == ROW_DCT_CQ ||
	       row == ROW_CRYPTO_SINGLE || row == ROW_DEK_WRAPPED;
}

/* A DCT is refused all send operations at once. */
static bool ignores_bit(enum qp_kind kind, enum field bits)
{
	return kind == QK_DCT && bits == F_dv_send_ops_flags;
}

/* The exponents that dci_streams_caps bounds. */
static const enum field sizes[] = {F_dci_log_concurent, F_dci_log_errored,
				   FIELD_NR};

const struct vendor_ops vendor_mlx5 = {
	.name = "mlx5",
	.drives = LIM_mlx5_dv,
	.claim = CLAIM_DV,
	.created_kind = created_kind,
	.setting_kind = kind_of_setting,
	.needs_indirect = needs_mkey,
	.c_call = mlx5_c_call,
	.c_request = mlx5_c_request,
	.c_is_newer = c_is_newer,
	.c_receiver = "set_dc_receiver",
	.describe = mlx5_describe,
	.address = mlx5_address,
	.model_device = mlx5_model_device,
	.check_query = mlx5_check_query,
	.define_query = mlx5_define_query,
	.refuse = mlx5_refuse,
	.flushes = mlx5_flushes,
	.passes = mlx5_passes,
	.withholds = mlx5_withholds,
	.survives = mlx5_survives,
	.posted = mlx5_take_place,
	.loses_read = mlx5_loses_read,
	.stops_peer = mlx5_stops_peer,
	.unanswered = ROW_DC_NOBODY,
	.own_packets = mlx5_own_packets,
	.tunnel_checksum = mlx5_tunnel_checksum,
	.carry_out = mlx5_carry_out,
	.convert = mlx5_convert,
	.succeeded = mlx5_succeeded,
	.found_empty = mlx5_found_empty,
	.runs_on = mlx5_runs_on,
	.completed = mlx5_completed,
	.sizes = sizes,
	.make_mutants = mlx5_make_mutants,
	.unreached = unreached,
	.ignores_bit = ignores_bit,
	.hidden_below = mlx5_hidden_below,
	.generate = mlx5_generate,
	.generate_qp = mlx5_generate_qp,
	.generate_receiver = mlx5_generate_receiver,
	.virtual_driver = &mlx5_virtual_driver,
	.devices = "vendor-mlx5/devices",
};

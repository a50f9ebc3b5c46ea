// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the row that judges a create flag or an mlx5 send operation, from the
 * queue pair's type and the device's claims, and the row that decides whether
 * completion queue entries hold data.
 */
#include <infiniband/mlx5dv.h>
#include <string.h>
#include "vendor-mlx5/model/create_bits.h"

const struct create_bit *mlx5_create_bit(enum field field, uint64_t bit)
{
	size_t n;
	const struct create_bit *bits = create_bits(&n);

	for (size_t i = 0; i < n; i++)
		if (bits[i].bit == bit &&
		    !strcmp(bits[i].what, field_info(field)->text))
			return &bits[i];
	return NULL;
}

static enum row flag_row(const struct device_info *d, enum qp_kind kind,
			 const struct create_bit *b, bool has)
{
	if (!has)
		return kind == QK_DCT ? ROW_DV_FLAG_DCT : ROW_DV_FLAG_TYPE;
	if (b->bit == MLX5DV_QP_CREATE_SIG_PIPELINING)
		return ROW_DV_SIG;
	if (b->bit == DV_OOO_DP)
		return ROW_DV_OOO;
	return claim_holds(b->claim, d) ? ROW_DV_FLAG : ROW_DV_FLAG_CLAIM;
}

enum row mlx5_create_bit_row(const struct device_info *d, enum qp_kind kind,
			     enum field field, uint64_t bit, bool flipped)
{
	const struct create_bit *b = mlx5_create_bit(field, bit);
	bool flag = field == F_dv_create_flags;
	bool has;

	if (!b)
		return flag ? ROW_DV_FLAG_UNKNOWN : ROW_DV_OPS_UNKNOWN;
	has = (b->types >> kind & 1) != flipped;
	if (flag)
		return flag_row(d, kind, b, has);
	if (!has)
		return ROW_DV_OPS_TYPE;
	return claim_holds(b->claim, d) ? ROW_DV_OPS : ROW_DV_MEMCPY;
}

static bool type_scatters(enum qp_kind kind, bool recv, bool batches)
{
	switch ((int)kind) {
	case QK_RC:
		return true;
	case QK_UC:
	case QK_DCT:
		return recv;
	case QK_DCI:
		return !recv && !batches;
	default:
		return false;
	}
}

enum row mlx5_scatter_row(enum qp_kind kind, bool recv, uint64_t flags,
			  bool all_signaled, bool batches)
{
	bool allowed = flags & MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE;

	if (flags & MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE)
		return ROW_SCATTER_DISABLED;
	if (!type_scatters(kind, recv, batches))
		return ROW_SCATTER_TYPE;
	if (!recv && !allowed && !all_signaled)
		return ROW_SCATTER_SENDS;
	return allowed ? ROW_SCATTER_ALLOWED : ROW_SCATTER_DEFAULT;
}

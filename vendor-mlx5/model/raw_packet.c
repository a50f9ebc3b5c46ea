// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Create flags of mlx5dv_create_qp that decide about raw packets: whether a
 * queue pair gets packets of its own context, and whether the checksums of the
 * inner packet of a tunnel are checked.
 */
#include <infiniband/mlx5dv.h>
#include "model/internal.h"
#include "vendor-mlx5/mlx5.h"

enum row mlx5_own_packets(const struct qp_init_args *to, bool multicast)
{
	uint32_t flag = multicast ? MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC
				  : MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC;

	return mlx5_create_flags(to) & flag ? ROW_DV_LOOPBACK
					    : ROW_DV_LOOPBACK_NONE;
}

enum row mlx5_tunnel_checksum(const struct qp_init_args *to, bool right)
{
	if (!(mlx5_create_flags(to) & MLX5DV_QP_CREATE_TUNNEL_OFFLOADS))
		return ROW_NONE;
	return right ? ROW_DV_TUNNEL_CSUM_OK : ROW_DV_TUNNEL_CSUM;
}

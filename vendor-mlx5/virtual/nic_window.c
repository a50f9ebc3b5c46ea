// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory windows. libmlx5 binds and invalidates a window with the same
 * operation (UMR), which changes a memory key.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/virtual/rings.h"

#define LOW_BYTE 0xffu /* the part of a key that a bind may choose */

static const struct {
	uint8_t bit;
	uint32_t access;
} rights[] = {
	{MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE,
	 IBV_ACCESS_LOCAL_WRITE},
	{MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE,
	 IBV_ACCESS_REMOTE_WRITE},
	{MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ,
	 IBV_ACCESS_REMOTE_READ},
	{MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC},
};

uint32_t mlx5_access_of(uint8_t bits)
{
	uint32_t access = 0;

	for (size_t i = 0; i < COUNT(rights); i++)
		if (bits & rights[i].bit)
			access |= rights[i].access;
	return access;
}

static void bind_to(const struct mlx5_wqe_mkey_context_seg *key,
		    const struct mlx5_wqe_umr_klm_seg *memory,
		    struct nic_request *r)
{
	r->bind_key = be32toh(memory->mkey);
	r->bind_address = be64toh(memory->address);
	r->wr->bind_length = be64toh(key->len);
	r->wr->bind_access = mlx5_access_of(key->access_flags);
	if (!key->start_addr && r->bind_address)
		r->wr->bind_access |= IBV_ACCESS_ZERO_BASED;
}

void mlx5_take_window(const struct mlx5_queue *q, uint16_t index, uint32_t key,
		      struct nic_request *r)
{
	uint32_t at = sizeof(struct mlx5_wqe_ctrl_seg);
	struct mlx5_wqe_umr_ctrl_seg change;
	struct mlx5_wqe_mkey_context_seg context;
	union {
		struct mlx5_wqe_umr_klm_seg memory;
		uint8_t segment[MLX5_SEGMENT];
	} list;

	mlx5_read_segments(q, index, at, &change, sizeof(change));
	at += (uint32_t)sizeof(change);
	mlx5_read_segments(q, index, at, &context, sizeof(context));
	at += (uint32_t)sizeof(context);
	r->wr->imm_data = 0;
	if (context.free & MLX5_WQE_MKEY_CONTEXT_FREE &&
	    change.flags & MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN) {
		r->wr->opcode = IBV_WR_LOCAL_INV;
		r->wr->invalidate_rkey = key;
		return;
	}
	r->wr->opcode = IBV_WR_BIND_MW;
	r->wr->mw_rkey = key;
	r->wr->bind_rkey =
		(key & ~LOW_BYTE) | (be32toh(context.qpn_mkey) & LOW_BYTE);
	if (context.free & MLX5_WQE_MKEY_CONTEXT_FREE)
		return;
	mlx5_read_segments(q, index, at, &list, sizeof(list));
	bind_to(&context, &list.memory, r);
}

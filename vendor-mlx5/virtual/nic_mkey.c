// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads requests that configure an indirect mkey (UMR): a mask of what changes,
 * the new context of the mkey, and its entries. The entries are elements of 16
 * bytes, or a repeat block and as many strided entries as that says.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/virtual/rings.h"

#define CHANGE_AT  ((uint32_t)sizeof(struct mlx5_wqe_ctrl_seg))
#define CONTEXT_AT (CHANGE_AT + (uint32_t)sizeof(struct mlx5_wqe_umr_ctrl_seg))
#define ENTRIES_AT                                                             \
	(CONTEXT_AT + (uint32_t)sizeof(struct mlx5_wqe_mkey_context_seg))
#define REPEAT_BLOCK 0x400u /* mark of a repeat block */
#define SETS_ACCESS                                                            \
	(MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |                      \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |                      \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |                     \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC)

struct umr {
	struct mlx5_wqe_umr_ctrl_seg change;
	struct mlx5_wqe_umr_repeat_block_seg repeat; /* if is_strided() */
};

/* Reads a UMR. Returns false if the UMR is of a window: a bind or invalidation
 * has a translation offset. */
static bool read_umr(const struct mlx5_queue *q, uint16_t index,
		     struct umr *umr)
{
	mlx5_read_segments(q, index, CHANGE_AT, &umr->change,
			   sizeof(umr->change));
	if (umr->change.flags & MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET)
		return false;
	mlx5_read_segments(q, index, ENTRIES_AT, &umr->repeat,
			   sizeof(umr->repeat));
	return true;
}

static bool is_strided(const struct umr *umr)
{
	return umr->change.klm_octowords &&
	       be32toh(umr->repeat.op) == REPEAT_BLOCK;
}

static void strided_entries(const struct mlx5_queue *q, uint16_t index,
			    uint32_t n, struct nic_parts *to)
{
	struct mlx5_wqe_umr_repeat_ent_seg e;
	uint32_t at = ENTRIES_AT;

	while (n--) {
		struct nic_part *part;
		uint32_t length;

		at += (uint32_t)sizeof(e);
		mlx5_read_segments(q, index, at, &e, sizeof(e));
		length = be16toh(e.byte_count);
		part = mlx5_add_part(to, be64toh(e.va), length,
				     be32toh(e.memkey));
		if (part)
			part->skip = (uint16_t)(be16toh(e.stride) - length);
	}
}

static void plain_entries(const struct mlx5_queue *q, uint16_t index,
			  uint32_t n, struct nic_parts *to)
{
	struct mlx5_wqe_umr_klm_seg e;

	for (uint32_t i = 0; i < n; i++) {
		mlx5_read_segments(q, index,
				   ENTRIES_AT + i * (uint32_t)sizeof(e), &e,
				   sizeof(e));
		if (e.byte_count) /* the last block of four is padded */
			mlx5_add_part(to, be64toh(e.address),
				      be32toh(e.byte_count), be32toh(e.mkey));
	}
}

static void add_entries(const struct mlx5_queue *q, uint16_t index,
			const struct umr *umr, struct nic_parts *to)
{
	if (is_strided(umr))
		strided_entries(q, index, be16toh(umr->repeat.num_ent), to);
	else
		plain_entries(q, index, be16toh(umr->change.klm_octowords), to);
}

bool mlx5_entries(const struct mlx5_queue *q, uint16_t index,
		  struct nic_parts *to)
{
	struct umr umr;

	if (!read_umr(q, index, &umr))
		return false;
	add_entries(q, index, &umr, to);
	return true;
}

#define ATTRIBUTES_ON 0x40000000u /* in flags_pd: the mkey has attributes */

/* Fills what the request does to the mkey's signatures and crypto attributes.
 * Both are in blocks behind the entries, the signatures first. */
static void take_attributes(const struct mlx5_queue *q, uint16_t index,
			    const struct umr *umr, uint32_t flags,
			    struct mlx5_send_args *own)
{
	uint64_t mask = be64toh(umr->change.mkey_mask);
	uint32_t at = ENTRIES_AT + be16toh(umr->change.klm_octowords) *
					   (uint32_t)MLX5_SEGMENT;
	uint32_t end = at + be16toh(umr->change.bsf_octowords) *
				    (uint32_t)MLX5_SEGMENT;

	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_SIG_ERR)
		own->setters |= MLX5_SET_ARM;
	if (!(mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE))
		return;
	if (!(flags & ATTRIBUTES_ON)) {
		own->conf_flags = MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR;
		return;
	}
	for (; at < end; at += MLX5_BSF_BYTES)
		if (mlx5_take_crypto(q, index, at, &own->crypto)) {
			own->setters |= MLX5_SET_CRYPTO;
		} else {
			own->setters |= MLX5_SET_SIG_BLOCK;
			mlx5_take_signature(q, index, at, &own->sig);
		}
}

/* Fills the request, less its entries. */
static void take(const struct mlx5_queue *q, uint16_t index,
		 const struct umr *umr, uint32_t key, struct nic_request *r)
{
	struct mlx5_send_args *own = &r->wr->vendor.mlx5;
	uint64_t mask = be64toh(umr->change.mkey_mask);
	struct mlx5_wqe_mkey_context_seg context;

	mlx5_read_segments(q, index, CONTEXT_AT, &context, sizeof(context));
	r->wr->opcode = MLX5_WR_UMR;
	r->wr->imm_data = 0;
	own->mkey_key = key;
	own->access = mlx5_access_of(context.access_flags);
	take_attributes(q, index, umr, be32toh(context.flags_pd), own);
	if (mask & SETS_ACCESS)
		own->setters |= MLX5_SET_ACCESS;
	if (!(mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN))
		return;
	if (is_strided(umr)) {
		own->setters |= MLX5_SET_INTERLEAVED;
		own->repeat_count = be32toh(umr->repeat.repeat_count);
	} else {
		own->setters |= MLX5_SET_LIST;
	}
}

bool mlx5_take_mkey(const struct mlx5_queue *q, uint16_t index, uint32_t key,
		    struct nic_request *r, struct nic_parts *parts)
{
	struct umr umr;

	if (!read_umr(q, index, &umr))
		return false;
	take(q, index, &umr, key, r);
	add_entries(q, index, &umr, parts);
	return true;
}

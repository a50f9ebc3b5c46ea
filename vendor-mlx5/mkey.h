/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes indirect mkeys, and builds the requests that configure them and that
 * copy memory. The target calls these functions, and `repro` writes them into C
 * files.
 */
#pragma once
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdlib.h>
#include "program/repro/parts/request.h"
#include "vendor-mlx5/crypto.h"
#include "vendor-mlx5/signature.h"
/* library: -lmlx5 */

/* part: create_mkey destroy_mkey mkey_of mkey_size */
/* An mkey in the form of a memory region, whose addresses count from 0. */
struct mkey {
	struct ibv_mr mr;
	struct mlx5dv_mkey *of;
	uint32_t flags;
};

/* How many entries an mkey has: asked for, then granted. */
struct mkey_size {
	uint32_t max_entries;
};

static inline struct mlx5dv_mkey *mkey_of(struct ibv_mr *mr)
{
	return ((struct mkey *)mr)->of;
}

static inline struct ibv_mr *create_mkey(struct ibv_pd *pd, uint32_t flags,
					 struct mkey_size *size)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = pd,
		.create_flags = flags,
		.max_entries = (uint16_t)size->max_entries,
	};
	struct mkey *mkey = calloc(1, sizeof(*mkey));

	if (!mkey)
		return NULL;
	mkey->of = mlx5dv_create_mkey(&attr);
	size->max_entries = attr.max_entries;
	if (!mkey->of) {
		int err = errno;

		free(mkey);
		errno = err;
		return NULL;
	}
	mkey->flags = flags;
	mkey->mr.context = pd->context;
	mkey->mr.pd = pd;
	mkey->mr.lkey = mkey->of->lkey;
	mkey->mr.rkey = mkey->of->rkey;
	return &mkey->mr;
}

static inline int destroy_mkey(struct ibv_mr *mr)
{
	int ret = mlx5dv_destroy_mkey(mkey_of(mr));

	if (!ret)
		free(mr);
	return ret;
}

/* part: mkey_request build_list build_interleaved build_configure */
#define MLX5_SET_ACCESS	     0x1
#define MLX5_SET_LIST	     0x2
#define MLX5_SET_INTERLEAVED 0x4
#define MLX5_SET_SIG_BLOCK   0x8
#define MLX5_SET_CRYPTO	     0x10
#define MLX5_SETTERS	     0x1f

/* The members of a request beside its entries. `setters` are called in the
 * order of their bits. */
struct mkey_request {
	struct ibv_mr *mkey;
	uint64_t comp_mask;
	uint32_t setters, access, repeat_count, conf_flags;
	uint32_t bytes_skip, part_skip; /* part_skip: of entry number `part` */
	struct signature sig;
	struct crypto_setter crypto;
};

/* Returns the setters that are called: libmlx5 would follow the null pointer of
 * a crypto setter without a key. */
static inline uint32_t called_setters(const struct mkey_request *k)
{
	const struct mkey *mkey = (const struct mkey *)k->mkey;
	uint32_t used = k->setters & MLX5_SETTERS;

	if (!k->crypto.dek && mkey->flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO)
		used &= ~(uint32_t)MLX5_SET_CRYPTO;
	return used;
}

static inline void fill_interleaved(const struct request *r,
				    const struct mkey_request *k,
				    struct mlx5dv_mr_interleaved *data)
{
	struct ibv_sge sge[POST_MAX_SGE];

	fill_elements(r, sge);
	for (int i = 0; i < POST_MAX_SGE; i++)
		data[i] = (struct mlx5dv_mr_interleaved){
			.addr = sge[i].addr,
			.bytes_count = sge[i].length,
			.bytes_skip = k->bytes_skip,
			.lkey = sge[i].lkey,
		};
	if (r->part && r->part <= POST_MAX_SGE)
		data[r->part - 1].bytes_skip = k->part_skip;
}

static inline struct mlx5dv_qp_ex *begin_mkey(struct ibv_qp *qp,
					      const struct request *r)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp);

	x->wr_id = r->wr_id;
	x->wr_flags = r->send_flags;
	return mlx5dv_qp_ex_from_ibv_qp_ex(x);
}

static inline int build_list(struct ibv_qp *qp, const struct request *r,
			     const struct mkey_request *k)
{
	struct mlx5dv_qp_ex *dv = begin_mkey(qp, r);
	struct ibv_sge sge[POST_MAX_SGE];

	if (!dv->wr_mr_list)
		return EOPNOTSUPP;
	fill_elements(r, sge);
	mlx5dv_wr_mr_list(dv, mkey_of(k->mkey), k->access, (uint16_t)r->num_sge,
			  sge);
	return 0;
}

static inline int build_interleaved(struct ibv_qp *qp, const struct request *r,
				    const struct mkey_request *k)
{
	struct mlx5dv_mr_interleaved data[POST_MAX_SGE];
	struct mlx5dv_qp_ex *dv = begin_mkey(qp, r);

	if (!dv->wr_mr_interleaved)
		return EOPNOTSUPP;
	fill_interleaved(r, k, data);
	mlx5dv_wr_mr_interleaved(dv, mkey_of(k->mkey), k->access,
				 k->repeat_count, (uint16_t)r->num_sge, data);
	return 0;
}

static inline int build_configure(struct ibv_qp *qp, const struct request *r,
				  const struct mkey_request *k)
{
	struct mlx5dv_mkey_conf_attr attr = {
		.conf_flags = k->conf_flags,
		.comp_mask = k->comp_mask,
	};
	uint32_t used = called_setters(k);
	struct mlx5dv_mr_interleaved data[POST_MAX_SGE];
	struct mlx5dv_qp_ex *dv = begin_mkey(qp, r);
	struct ibv_sge sge[POST_MAX_SGE];

	if (!dv->wr_mkey_configure)
		return EOPNOTSUPP;
	fill_elements(r, sge);
	fill_interleaved(r, k, data);
	mlx5dv_wr_mkey_configure(dv, mkey_of(k->mkey),
				 (uint8_t)__builtin_popcount(used), &attr);
	if (used & MLX5_SET_ACCESS)
		mlx5dv_wr_set_mkey_access_flags(dv, k->access);
	if (used & MLX5_SET_LIST)
		mlx5dv_wr_set_mkey_layout_list(dv, (uint16_t)r->num_sge, sge);
	if (used & MLX5_SET_INTERLEAVED)
		mlx5dv_wr_set_mkey_layout_interleaved(
			dv, k->repeat_count, (uint16_t)r->num_sge, data);
	if (used & MLX5_SET_SIG_BLOCK)
		set_signature(dv, &k->sig);
	if (used & MLX5_SET_CRYPTO)
		set_crypto(dv, &k->crypto);
	return 0;
}

/* part: build_copy */
static inline int build_copy(struct ibv_qp *qp, const struct request *r)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp);
	struct mlx5dv_qp_ex *dv = mlx5dv_qp_ex_from_ibv_qp_ex(x);
	const struct ibv_sge src =
		element(r->mr, r->offset, r->length, r->lkey);
	const struct ibv_sge dest =
		element(r->remote, r->remote_offset, r->length, r->rkey);

	if (!dv->wr_memcpy)
		return EOPNOTSUPP;
	x->wr_id = r->wr_id;
	x->wr_flags = r->send_flags;
	mlx5dv_wr_memcpy(dv, dest.lkey, dest.addr, src.lkey, src.addr,
			 src.length);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The setter of an mkey's signatures, and the check for signature errors. The
 * target calls these functions, and `repro` writes them into C files.
 */
#pragma once
#include <infiniband/mlx5dv.h>
#include <stdint.h>
/* library: -lmlx5 */

/* part: signature sig_domain MLX5_SIG_ MLX5_SEED_ set_signature */
#define MLX5_SIG_NONE	       0
#define MLX5_SIG_T10DIF_CRC    1
#define MLX5_SIG_T10DIF_CSUM   2
#define MLX5_SIG_CRC32	       3
#define MLX5_SIG_CRC32C	       4
#define MLX5_SIG_CRC64_XP10    5
#define MLX5_SIG_UNKNOWN_TYPE  6
#define MLX5_SIG_UNKNOWN_GUARD 7
#define MLX5_SIG_UNKNOWN_CRC   8
#define MLX5_SEED_ZEROS	       0
#define MLX5_SEED_ONES	       1
#define MLX5_SEED_OTHER	       2

/* The signature of a domain. `kind` is one of MLX5_SIG_…, `block` an enum
 * mlx5dv_block_size, `seed` one of MLX5_SEED_…. */
struct sig_domain {
	uint32_t kind, block, seed, flags, app_tag, ref_tag;
};

struct signature {
	struct sig_domain mem, wire;
	uint32_t check_mask, copy_mask, flags, comp_mask;
};

/* The structures of libmlx5 for one domain. */
struct sig_structs {
	struct mlx5dv_sig_t10dif dif;
	struct mlx5dv_sig_crc crc;
	struct mlx5dv_sig_block_domain domain;
};

static inline uint64_t sig_seed(const struct sig_domain *d, uint64_t ones)
{
	if (d->seed == MLX5_SEED_OTHER)
		return 0x1234;
	return d->seed == MLX5_SEED_ONES ? ones : 0;
}

static inline void fill_dif(const struct sig_domain *d, struct sig_structs *to)
{
	to->domain.sig_type = MLX5DV_SIG_TYPE_T10DIF;
	to->domain.sig.dif = &to->dif;
	to->dif.bg_type = MLX5DV_SIG_T10DIF_CRC;
	if (d->kind == MLX5_SIG_T10DIF_CSUM)
		to->dif.bg_type = MLX5DV_SIG_T10DIF_CSUM;
	if (d->kind == MLX5_SIG_UNKNOWN_GUARD)
		to->dif.bg_type = (enum mlx5dv_sig_t10dif_bg_type)2;
	to->dif.bg = (uint16_t)sig_seed(d, UINT16_MAX);
	to->dif.app_tag = (uint16_t)d->app_tag;
	to->dif.ref_tag = d->ref_tag;
	to->dif.flags = (uint16_t)d->flags;
}

static inline void fill_crc(const struct sig_domain *d, struct sig_structs *to)
{
	uint64_t ones = UINT32_MAX;

	to->domain.sig_type = MLX5DV_SIG_TYPE_CRC;
	to->domain.sig.crc = &to->crc;
	to->crc.type = MLX5DV_SIG_CRC_TYPE_CRC32;
	if (d->kind == MLX5_SIG_CRC32C)
		to->crc.type = MLX5DV_SIG_CRC_TYPE_CRC32C;
	if (d->kind == MLX5_SIG_CRC64_XP10) {
		to->crc.type = MLX5DV_SIG_CRC_TYPE_CRC64_XP10;
		ones = UINT64_MAX;
	}
	if (d->kind == MLX5_SIG_UNKNOWN_CRC)
		to->crc.type = (enum mlx5dv_sig_crc_type)3;
	to->crc.seed = sig_seed(d, ones);
}

/* Returns NULL for a domain without a signature. */
static inline const struct mlx5dv_sig_block_domain *
fill_domain(const struct sig_domain *d, struct sig_structs *to)
{
	*to = (struct sig_structs){
		.domain.block_size = (enum mlx5dv_block_size)d->block,
	};
	switch (d->kind) {
	case MLX5_SIG_NONE:
		return NULL;
	case MLX5_SIG_T10DIF_CRC:
	case MLX5_SIG_T10DIF_CSUM:
	case MLX5_SIG_UNKNOWN_GUARD:
		fill_dif(d, to);
		break;
	default:
		fill_crc(d, to);
		break;
	}
	if (d->kind == MLX5_SIG_UNKNOWN_TYPE)
		to->domain.sig_type = (enum mlx5dv_sig_type)2;
	return &to->domain;
}

static inline void set_signature(struct mlx5dv_qp_ex *dv,
				 const struct signature *s)
{
	struct sig_structs mem, wire;
	const struct mlx5dv_sig_block_attr attr = {
		.mem = fill_domain(&s->mem, &mem),
		.wire = fill_domain(&s->wire, &wire),
		.flags = s->flags,
		.check_mask = (uint8_t)s->check_mask,
		.copy_mask = (uint8_t)s->copy_mask,
		.comp_mask = s->comp_mask,
	};

	mlx5dv_wr_set_mkey_sig_block(dv, &attr);
}

/* part: check_mkey mkey_error */
struct mkey_error {
	uint64_t actual_value, expected_value, offset;
	uint32_t err_type;
};

static inline int check_mkey(struct mlx5dv_mkey *mkey, struct mkey_error *error)
{
	struct mlx5dv_mkey_err err = {.err_type = MLX5DV_MKEY_NO_ERR};
	int ret = mlx5dv_mkey_check(mkey, &err);

	if (ret)
		return ret;
	*error = (struct mkey_error){.err_type = err.err_type};
	if (err.err_type == MLX5DV_MKEY_NO_ERR)
		return 0;
	error->actual_value = err.err.sig.actual_value;
	error->expected_value = err.err.sig.expected_value;
	error->offset = err.err.sig.offset;
	return 0;
}

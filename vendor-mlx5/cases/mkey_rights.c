// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of an mkey that is configured twice: what the access flags permit after
 * a second request that sets them, or not, beside a layout, signatures or
 * crypto attributes.
 */
#include "vendor-mlx5/cases/crypto.h"

#define LOCAL  IBV_ACCESS_LOCAL_WRITE
#define READ   IBV_ACCESS_REMOTE_READ
#define WRITE  IBV_ACCESS_REMOTE_WRITE
#define SIGNS  MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE
#define CRYPTS MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO
#define BLOCK  512 /* bytes of a layout below signatures or a data unit */
#define DIF    8   /* bytes of a signature, behind the block in memory */

static const struct mkey_shape block = {"", false, 1, BLOCK, 0,	   0,
					0,  0,	   0, 0,     BLOCK};
static const struct mkey_shape signed_block = {
	"", false, 1, BLOCK + DIF, 0, 0, 0, 0, 0, 0, BLOCK};
static const struct crypto_key plain_key = {CRYPTO_KEY, 0, false};

/* A second request: its builder and setters beside the access flags. */
struct second {
	const char *name;
	int by;
	uint32_t setters;
	const struct mkey_shape *first, *shape; /* of the two requests */
	uint32_t flags; /* the mkey is created with, beside INDIRECT */
};

static const struct second seconds[] = {
	{"access", BY_CONFIGURE, 0, &mkey_shapes[SHAPE_LIST],
	 &mkey_shapes[SHAPE_LIST], 0},
	{"list", BY_CONFIGURE, MLX5_SET_LIST, &mkey_shapes[SHAPE_LIST],
	 &mkey_shapes[SHAPE_LIST], 0},
	{"other-list", BY_CONFIGURE, MLX5_SET_LIST, &mkey_shapes[SHAPE_LIST],
	 &mkey_shapes[SHAPE_ONE], 0},
	{"interleaved", BY_CONFIGURE, MLX5_SET_INTERLEAVED,
	 &mkey_shapes[SHAPE_STRIDED], &mkey_shapes[SHAPE_STRIDED], 0},
	{"list-to-interleaved", BY_CONFIGURE, MLX5_SET_INTERLEAVED,
	 &mkey_shapes[SHAPE_LIST], &mkey_shapes[SHAPE_INTERLEAVED], 0},
	{"interleaved-to-list", BY_CONFIGURE, MLX5_SET_LIST,
	 &mkey_shapes[SHAPE_INTERLEAVED], &mkey_shapes[SHAPE_LIST], 0},
	{"mr-list", BY_MR, MLX5_SET_LIST, &mkey_shapes[SHAPE_LIST],
	 &mkey_shapes[SHAPE_LIST], 0},
	{"mr-interleaved", BY_MR, MLX5_SET_INTERLEAVED,
	 &mkey_shapes[SHAPE_LIST], &mkey_shapes[SHAPE_INTERLEAVED], 0},
	{"signature", BY_CONFIGURE, MLX5_SET_SIG_BLOCK, &signed_block,
	 &signed_block, SIGNS},
	{"list-signature", BY_CONFIGURE, MLX5_SET_LIST | MLX5_SET_SIG_BLOCK,
	 &signed_block, &signed_block, SIGNS},
	{"crypto", BY_CONFIGURE, MLX5_SET_CRYPTO, &block, &block, CRYPTS},
	{"list-crypto", BY_CONFIGURE, MLX5_SET_LIST | MLX5_SET_CRYPTO, &block,
	 &block, CRYPTS},
};

/* The access flags of the two requests, and what is tried: a use that the last
 * flags permit, unless it is WAY_NR, and one more. Without MLX5_SET_ACCESS in
 * `access` the flags stay as they were. */
struct rights {
	const char *name;
	uint32_t first, second, access;
	int permitted, way;
};

static const struct rights changes[] = {
	{"read-to-write/read", LOCAL | READ, LOCAL | WRITE, MLX5_SET_ACCESS,
	 WAY_WRITE_TO, WAY_READ_FROM},
	{"write-to-read/write", LOCAL | WRITE, LOCAL | READ, MLX5_SET_ACCESS,
	 WAY_READ_FROM, WAY_WRITE_TO},
	{"local-to-read/local", LOCAL | READ, READ, MLX5_SET_ACCESS,
	 WAY_READ_FROM, WAY_READ_TO},
	{"local-to-all/write", LOCAL, MKEY_RIGHTS, MLX5_SET_ACCESS,
	 WAY_READ_FROM, WAY_WRITE_TO},
	{"read-to-local/local", READ, LOCAL, MLX5_SET_ACCESS, WAY_NR,
	 WAY_READ_TO},
	{"read-kept/write", LOCAL | READ, 0, 0, WAY_READ_FROM, WAY_WRITE_TO},
	{"write-kept/read", LOCAL | WRITE, 0, 0, WAY_WRITE_TO, WAY_READ_FROM},
};

static enum claim claim_of(const struct gen *g, const struct second *second)
{
	if (second->flags & SIGNS)
		return sig_claim(g, &sig_kinds[KIND_DIF]);
	return second->flags & CRYPTS ? crypto_claim(g) : CLAIM_MLX5_MKEY;
}

static struct mkey_stage stage(struct gen *g, const struct second *second)
{
	return second->flags ? sig_stage_of(g, second->flags, 0)
			     : mkey_stage(g, MKEY_OPS);
}

static void configure_again(const struct mkey_stage *s,
			    const struct second *second,
			    const struct rights *rights)
{
	const struct mlx5_signature sig = {
		.mem = sig_domain(&sig_kinds[KIND_DIF]), .check_mask = SIG_ALL};
	struct mlx5_crypto attr = {.encrypts = true};
	struct program *p = s->p.g->p;

	if (second->setters & MLX5_SET_CRYPTO)
		attr.dek = crypto_key(s->p.g, &plain_key);
	mkey_configure(s, &mkey_builders[second->by], second->shape, 2, false);
	prog_num(p, F_umr_access, rights->second);
	if (second->by == BY_CONFIGURE)
		prog_num(p, F_umr_setters, second->setters | rights->access);
	if (second->setters & MLX5_SET_SIG_BLOCK)
		sig_put(s, &sig);
	if (second->setters & MLX5_SET_CRYPTO)
		crypto_put(s, &attr);
	post_poll(&s->p, 1);
}

static void changed(struct gen *g, const struct second *second,
		    const struct rights *rights)
{
	struct mkey_stage s;

	if ((second->by == BY_MR && !rights->access) ||
	    !post_case_with(g, QK_RC, IBV_QPS_RTS, claim_of(g, second),
			    rights->access ? ROW_MKEY_RIGHTS : ROW_MKEY_KEPT,
			    "A second configuration", "rights/%s/%s",
			    second->name, rights->name))
		return;
	s = stage(g, second);
	mkey_configure(&s, &mkey_builders[BY_CONFIGURE], second->first, 1,
		       false);
	prog_num(g->p, F_umr_access, rights->first);
	post_poll(&s.p, 1);
	configure_again(&s, second, rights);
	if (rights->permitted != WAY_NR)
		mkey_go(&s, &mkey_ways[rights->permitted], 3, 0,
			second->shape->bytes);
	mkey_go(&s, &mkey_ways[rights->way], 4, 0, second->shape->bytes);
	mkey_finish(&s);
}

void mlx5_gen_mkey_rights(struct gen *g)
{
	for (size_t i = 0; i < COUNT(seconds); i++)
		for (size_t k = 0; k < COUNT(changes); k++)
			changed(g, &seconds[i], &changes[k]);
}

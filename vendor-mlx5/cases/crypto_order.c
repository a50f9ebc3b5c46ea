// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of mkeys with signatures and crypto attributes: the rows of the table
 * in mlx5dv_wr_set_mkey_crypto(3), which says on which side bytes are crypted.
 */
#include "vendor-mlx5/cases/crypto.h"

#define DATA	(2 * 512)
#define SIGNED	(2 * 520)
#define OF_DATA MLX5DV_BLOCK_SIZE_512
#define OF_BOTH MLX5DV_BLOCK_SIZE_520 /* a block with its signature */
#define AFTER	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX
#define BEFORE	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX

static const struct crypto_key key = {CRYPTO_KEY, 0, false};

/* A row of the table: which domains have a signature. */
static const struct line {
	const char *name;
	bool encrypts;
	uint8_t order, unit;
	bool memory, wire;
} lines[] = {
	{"data-to-enc-sig", true, AFTER, OF_DATA, false, true},
	{"data-to-enc-of-both", true, BEFORE, OF_BOTH, false, true},
	{"sig-to-enc", true, BEFORE, OF_DATA, true, false},
	{"enc-to-sig", false, AFTER, OF_DATA, false, true},
	{"enc-of-both-to-data", false, AFTER, OF_BOTH, true, false},
	{"enc-sig-to-data", false, BEFORE, OF_DATA, true, false},
};

static struct mkey_stage stage(struct gen *g, struct mlx5_crypto *attr)
{
	return crypto_stage(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
			    &key, attr);
}

/* A message goes through the mkey from the side without signatures, and then
 * back. */
static void there_and_back(struct gen *g, const struct line *l)
{
	size_t first = l->memory ? WAY_WRITE_TO : WAY_WRITE_FROM;
	size_t second = l->memory ? WAY_WRITE_FROM : WAY_WRITE_TO;
	const struct mlx5_sig_domain dif = sig_domain(&sig_kinds[KIND_DIF]);
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	struct mlx5_crypto attr = {
		.encrypts = l->encrypts,
		.order = l->order,
		.unit = l->unit,
		.tweak = {5, 0},
	};
	uint32_t length = l->memory ? SIGNED : DATA;
	struct mkey_stage s;

	if (!crypto_opens(g, ROW_CRYPTO_ORDER, "A message with signatures",
			  "order/%s", l->name))
		return;
	s = stage(g, &attr);
	if (l->memory)
		sig.mem = dif;
	else
		sig.wire = dif;
	crypto_configure(&s, length, &sig, &attr);
	mkey_go(&s, &mkey_ways[first], 2, 0, l->wire ? SIGNED : DATA);
	sig_check(&s);
	gen_call(g, V_read_mr, l->memory ? s.second : s.p.mr);
	crypto_configure(&s, length, &sig, &attr);
	mkey_go(&s, &mkey_ways[second], 3, 0, l->wire ? SIGNED : DATA);
	sig_check(&s);
	mkey_finish(&s);
}

/* Both domains have signatures, with different tags. */
static void exchanged(struct gen *g, bool encrypts)
{
	const struct mlx5_sig_domain dif = sig_domain(&sig_kinds[KIND_DIF]);
	struct mlx5_signature sig = {.wire = dif, .check_mask = SIG_ALL};
	struct mlx5_crypto attr = {
		.encrypts = true,
		.order = BEFORE,
		.unit = OF_BOTH,
		.tweak = {5, 0},
	};
	struct mkey_stage s;

	if (!crypto_opens(g, ROW_CRYPTO_ORDER, "A message with signatures",
			  "order/%s",
			  encrypts ? "sig-to-enc-of-both"
				   : "enc-of-both-to-sig"))
		return;
	s = stage(g, &attr);
	/* The other region gets blocks with signatures, encrypted or not. */
	crypto_configure(&s, DATA, &sig, &attr);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 2, 0, SIGNED);
	s = sig_swap(&s);
	sig.mem = dif;
	sig.wire.app_tag++;
	attr.encrypts = encrypts;
	attr.order = encrypts ? BEFORE : AFTER;
	if (encrypts)
		sig.check_mask = 0; /* no plain blocks with signatures there */
	crypto_post(&s, SIGNED, &sig, &attr);
	prog_num(g->p, F_umr_offset, MKEY_PLAIN);
	post_poll(&s.p, 1);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 3, 0, SIGNED);
	sig_check(&s);
	mkey_finish(&s);
}

void mlx5_gen_crypto_order(struct gen *g)
{
	if (!claim_holds(CLAIM_MLX5_SIG, g->d))
		return;
	for (size_t i = 0; i < COUNT(lines); i++)
		there_and_back(g, &lines[i]);
	exchanged(g, true);
	exchanged(g, false);
}

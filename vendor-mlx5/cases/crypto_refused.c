// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of crypto setters that are refused, and of mkeys that give no access
 * for want of crypto attributes or of the right key tag.
 */
#include "vendor-mlx5/cases/crypto.h"

static const struct crypto_key plain_key = {CRYPTO_KEY, 0, false};

/* A refused setter leaves the queue pair usable; a later configuration says
 * anew what the mkey is. */
static void refused(struct gen *g, const char *name, enum row row, enum field f,
		    uint64_t value)
{
	struct mlx5_crypto attr = {.encrypts = true};
	struct mkey_stage s;

	if (!crypto_opens(g, row, "A crypto setter", "refused/%s", name))
		return;
	s = crypto_stage(g, 0, &plain_key, &attr);
	crypto_post(&s, 512, NULL, &attr);
	prog_num(g->p, f, value);
	post_poll_for(&s.p, 1, POST_QUIET);
	crypto_configure(&s, 1024, NULL, &attr);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 2, 0, 1024);
	mkey_finish(&s);
}

/* The engine crypts one data unit of each message. */
static void single_block(struct gen *g)
{
	enum claim claim = claim_holds(CLAIM_MLX5_MKEY, g->d)
				   ? CLAIM_MLX5_CRYPTO_SINGLE
				   : CLAIM_MLX5_MKEY;
	struct mlx5_crypto attr = {.encrypts = true, .tweak = {1, 2}};
	struct mkey_stage s;

	if (!post_case_with(g, QK_RC, IBV_QPS_RTS, claim, ROW_CRYPTO_SINGLE,
			    "A crypto setter", "refused/two-units"))
		return;
	s = crypto_stage(g, 0, &plain_key, &attr);
	crypto_post(&s, 513, NULL, &attr);
	post_poll_for(&s.p, 1, POST_QUIET);
	crypto_configure(&s, 512, NULL, &attr);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 2, 0, 512);
	mkey_finish(&s);
}

/* Signatures in both domains, and an order that crypts between them. */
static void both_signatures(struct gen *g, bool encrypts)
{
	struct mlx5_crypto attr = {
		.encrypts = encrypts,
		.order =
			encrypts
				? MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX
				: MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX,
	};
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	struct mkey_stage s;

	if (!claim_holds(CLAIM_MLX5_SIG, g->d) ||
	    !crypto_opens(g, ROW_CRYPTO_PAIR, "A crypto setter",
			  "refused/signatures-%s",
			  encrypts ? "encrypt" : "decrypt"))
		return;
	sig.mem = sig.wire = sig_domain(&sig_kinds[KIND_DIF]);
	s = crypto_stage(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
			 &plain_key, &attr);
	crypto_post(&s, 1040, &sig, &attr);
	post_poll_for(&s.p, 1, POST_QUIET);
	sig.mem.kind = SIG_NONE;
	crypto_configure(&s, 1024, &sig, &attr);
	mkey_finish(&s);
}

/* An mkey whose attributes were never set, or that have a key tag which differs
 * from `tag` in the bits of `differs`. */
static void no_access(struct gen *g, const char *name, enum row row,
		      const struct mkey_way *way, uint64_t tag,
		      uint64_t differs)
{
	const struct crypto_key tagged = {CRYPTO_KEY, tag, false};
	struct mlx5_crypto attr = {.encrypts = true};
	struct mkey_stage s;

	if (!crypto_opens(g, row, "A message through an mkey", "%s/%s", name,
			  way->name))
		return;
	s = crypto_stage(g, 0, &tagged, &attr);
	attr.keytag ^= differs;
	if (differs) {
		crypto_post(&s, 1024, NULL, &attr);
		post_poll_for(&s.p, 1, POST_WAIT);
	} else {
		crypto_configure(&s, 1024, NULL, NULL);
	}
	mkey_go(&s, way, 2, 0, 1024);
	mkey_finish(&s);
}

/* Tags that differ in their last byte, behind a zero, or in the byte that is
 * zero. */
static void tags_with_zero(struct gen *g)
{
	static const unsigned int bytes[] = {0, 3, 7};
	char name[32];

	for (size_t i = 0; i < COUNT(bytes); i++) {
		snprintf(name, sizeof(name), "wrong-tag-zero-%u", bytes[i]);
		no_access(g, name, ROW_CRYPTO_TAG, &mkey_ways[WAY_WRITE_FROM],
			  crypto_tag_with_zero(bytes[i]), UINT64_C(0x40) << 56);
	}
}

void mlx5_gen_crypto_refused(struct gen *g)
{
	static const size_t ways[] = {WAY_WRITE_FROM, WAY_WRITE_TO};

	refused(g, "standard", ROW_CRYPTO_ATTR, F_crypto_standard, 1);
	refused(g, "order", ROW_CRYPTO_ATTR, F_crypto_order, 2);
	refused(g, "unit", ROW_CRYPTO_ATTR, F_crypto_unit, 5);
	refused(g, "comp_mask", ROW_CRYPTO_ATTR, F_crypto_comp_mask, 1);
	refused(g, "room", ROW_SIG_INLINE, F_umr_entries, 13);
	single_block(g);
	both_signatures(g, true);
	both_signatures(g, false);
	for (size_t w = 0; w < COUNT(ways); w++) {
		const struct mkey_way *way = &mkey_ways[ways[w]];

		no_access(g, "unset", ROW_CRYPTO_NEEDED, way, CRYPTO_TAG, 0);
		no_access(g, "wrong-tag", ROW_CRYPTO_TAG, way, CRYPTO_TAG, 1);
	}
	no_access(g, "wrong-tag", ROW_CRYPTO_TAG_WHEN,
		  &mkey_ways[WAY_READ_FROM], CRYPTO_TAG, 1);
	tags_with_zero(g);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of crypto setters that are refused, and of mkeys that give no access
 * for want of crypto attributes.
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

/* An mkey whose attributes were never set. */
static void unset(struct gen *g, const struct mkey_way *way)
{
	static const struct crypto_key tagged = {CRYPTO_KEY, CRYPTO_TAG, false};
	struct mlx5_crypto attr = {.encrypts = true};
	struct mkey_stage s;

	if (!crypto_opens(g, ROW_CRYPTO_NEEDED, "A message through an mkey",
			  "unset/%s", way->name))
		return;
	s = crypto_stage(g, 0, &tagged, &attr);
	crypto_configure(&s, 1024, NULL, NULL);
	mkey_go(&s, way, 2, 0, 1024);
	mkey_finish(&s);
}

void mlx5_gen_crypto_refused(struct gen *g)
{
	refused(g, "standard", ROW_CRYPTO_ATTR, F_crypto_standard, 1);
	refused(g, "order", ROW_CRYPTO_ATTR, F_crypto_order, 2);
	refused(g, "unit", ROW_CRYPTO_ATTR, F_crypto_unit, 5);
	refused(g, "comp_mask", ROW_CRYPTO_ATTR, F_crypto_comp_mask, 1);
	refused(g, "room", ROW_SIG_INLINE, F_umr_entries, 13);
	single_block(g);
	both_signatures(g, true);
	both_signatures(g, false);
	unset(g, &mkey_ways[WAY_WRITE_FROM]);
	unset(g, &mkey_ways[WAY_WRITE_TO]);
}

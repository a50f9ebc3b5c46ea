/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the cases of crypto attributes: keys, a stage with an mkey that may
 * have them, and the setter.
 */
#ifndef IBVET_MLX5_CASES_CRYPTO_H
#define IBVET_MLX5_CASES_CRYPTO_H

#include "vendor-mlx5/cases/signature.h"

#define CRYPTO_FROM 256 /* where the mkey's bytes begin */
#define CRYPTO_KEY  UINT64_C(0x0123456789abcdef)
#define CRYPTO_TAG  UINT64_C(0xfedcba9876543210)

/* A key, for crypto_key(). */
struct crypto_key {
	uint64_t key, keytag; /* keytag 0: the key has no tag */
	bool is_long;
};

/* Opens a case that needs an engine of AES-XTS. */
#define crypto_opens(g, row, what, ...)                                        \
	post_case_with(g, QK_RC, IBV_QPS_RTS, crypto_claim(g), row, what,      \
		       __VA_ARGS__)

/* Returns a claim that the device lacks, or the last one that cases need. */
enum claim crypto_claim(const struct gen *g);
/* Makes a key in g's protection domain, and returns its object. */
uint8_t crypto_key(struct gen *g, const struct crypto_key *key);
/* Makes two queue pairs in RTS, an mkey with these flags beside INDIRECT, and a
 * key, which it puts into `attr`. */
struct mkey_stage crypto_stage(struct gen *g, uint32_t flags,
			       const struct crypto_key *key,
			       struct mlx5_crypto *attr);
/* Adds the attributes to a request that configures. */
void crypto_put(const struct mkey_stage *s, const struct mlx5_crypto *attr);
/* Configures the mkey: `length` bytes from CRYPTO_FROM on of s.second, these
 * signatures, and these attributes. crypto_configure() waits for the
 * completion. `sig` and `attr` may be NULL. */
void crypto_post(const struct mkey_stage *s, uint32_t length,
		 const struct mlx5_signature *sig,
		 const struct mlx5_crypto *attr);
void crypto_configure(const struct mkey_stage *s, uint32_t length,
		      const struct mlx5_signature *sig,
		      const struct mlx5_crypto *attr);

/* The parts of mlx5_gen_crypto(). */
void mlx5_gen_crypto_tags(struct gen *g);
void mlx5_gen_crypto_refused(struct gen *g);
void mlx5_gen_crypto_order(struct gen *g);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keys for data (DEK), the setter of an mkey's crypto attributes, and login
 * sessions. The target calls these functions, and `repro` writes them into C
 * files.
 */
#pragma once
#include <infiniband/mlx5dv.h>
#include <stdint.h>
/* library: -lmlx5 */

/* part: put_little */
static inline void put_little(char *to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = (char)(value >> (8 * i));
}

/* part: put_key create_dek dek_init */
/* The bytes of the key are derived from the number `key`. */
struct dek_init {
	uint64_t opaque, key, keytag, comp_mask;
	uint32_t key_size, key_purpose, has_keytag;
};

/* Writes the two AES keys of a key. */
static inline void put_key(char *to, uint64_t number, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = (char)(number >> (8 * (i % 8)) ^ (i * 29 + 7));
}

static inline struct mlx5dv_dek *create_dek(struct ibv_pd *pd,
					    const struct dek_init *init)
{
	unsigned int bytes =
		init->key_size == MLX5DV_CRYPTO_KEY_SIZE_128 ? 32 : 64;
	struct mlx5dv_dek_init_attr attr = {
		.key_size = (enum mlx5dv_crypto_key_size)init->key_size,
		.has_keytag = init->has_keytag,
		.key_purpose =
			(enum mlx5dv_crypto_key_purpose)init->key_purpose,
		.pd = pd,
		.comp_mask = init->comp_mask,
	};

	put_little(attr.opaque, init->opaque, 8);
	put_key(attr.key, init->key, bytes);
	if (init->has_keytag)
		put_little(attr.key + bytes, init->keytag, 8);
	return mlx5dv_dek_create(pd->context, &attr);
}

/* part: query_dek dek_answer */
struct dek_answer {
	uint64_t opaque;
	uint32_t state;
};

static inline int query_dek(struct mlx5dv_dek *dek, uint64_t comp_mask,
			    struct dek_answer *answer)
{
	struct mlx5dv_dek_attr attr = {.comp_mask = comp_mask};
	int ret = mlx5dv_dek_query(dek, &attr);

	*answer = (struct dek_answer){.state = attr.state};
	for (unsigned int i = 8; i--;)
		answer->opaque =
			answer->opaque << 8 | (unsigned char)attr.opaque[i];
	return ret;
}

/* part: crypto_login */
/* The credential is of zeros. */
static inline int crypto_login(struct ibv_context *context,
			       uint32_t credential_id, uint32_t import_kek_id,
			       uint64_t comp_mask)
{
	struct mlx5dv_crypto_login_attr attr = {
		.credential_id = credential_id,
		.import_kek_id = import_kek_id,
		.comp_mask = comp_mask,
	};

	return mlx5dv_crypto_login(context, &attr);
}

/* part: login_answer query_login */
struct login_answer {
	uint32_t state;
};

static inline int query_login(struct ibv_context *context,
			      struct login_answer *answer)
{
	enum mlx5dv_crypto_login_state state =
		MLX5DV_CRYPTO_LOGIN_STATE_INVALID;
	int ret = mlx5dv_crypto_login_query_state(context, &state);

	answer->state = state;
	return ret;
}

/* part: crypto_setter set_crypto */
struct crypto_setter {
	struct mlx5dv_dek *dek;
	uint64_t tweak[2], keytag;
	uint32_t standard, encrypts, order, unit, comp_mask;
};

static inline void set_crypto(struct mlx5dv_qp_ex *dv,
			      const struct crypto_setter *c)
{
	struct mlx5dv_crypto_attr attr = {
		.crypto_standard = (enum mlx5dv_crypto_standard)c->standard,
		.encrypt_on_tx = c->encrypts,
		.signature_crypto_order =
			(enum mlx5dv_signature_crypto_order)c->order,
		.data_unit_size = (enum mlx5dv_block_size)c->unit,
		.dek = c->dek,
		.comp_mask = c->comp_mask,
	};

	put_little(attr.initial_tweak, c->tweak[0], 8);
	put_little(attr.initial_tweak + 8, c->tweak[1], 8);
	put_little(attr.keytag, c->keytag, 8);
	mlx5dv_wr_set_mkey_crypto(dv, &attr);
}

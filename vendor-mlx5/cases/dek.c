// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of keys for data: their creation, query and end; and of login sessions,
 * which no case can open, since no program has a credential of the device.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/cases/crypto.h"

static bool opens(struct gen *g, enum row row, const char *name)
{
	enum claim claim = row == ROW_DEK_CLAIM
				   ? CLAIM_NONE
				   : gen_needs(g, CLAIM_MLX5_CRYPTO);

	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, row, claim, "A key, %s", name))
		return false;
	g->pd = gen_pd(g);
	return true;
}

static void end(struct gen *g, uint8_t dek)
{
	gen_call(g, V_mlx5dv_dek_query, dek);
	gen_call(g, V_mlx5dv_dek_destroy, dek);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

static void created(struct gen *g, const char *name, enum row row,
		    const struct crypto_key *key, uint64_t opaque)
{
	uint8_t dek;

	if (!opens(g, row, name))
		return;
	dek = crypto_key(g, key);
	if (opaque)
		prog_num(g->p, F_dek_opaque_in, opaque);
	end(g, dek);
}

static void refused(struct gen *g, const char *name, enum row row, enum field f,
		    uint64_t value)
{
	static const struct crypto_key key = {CRYPTO_KEY, 0, false};

	if (!opens(g, row, name))
		return;
	crypto_key(g, &key);
	prog_num(g->p, f, value);
	end(g, crypto_key(g, &key));
}

static void query_mask(struct gen *g, const char *name, uint64_t mask)
{
	static const struct crypto_key key = {CRYPTO_KEY, 0, false};
	uint8_t dek;

	if (!opens(g, ROW_DEK_QUERY_MASK, name))
		return;
	dek = crypto_key(g, &key);
	gen_call(g, V_mlx5dv_dek_query, dek);
	prog_num(g->p, F_dek_query_mask, mask);
	end(g, dek);
}

/* Opaque bytes of which one is zero, or one is not. */
static void opaques(struct gen *g)
{
	static const struct crypto_key key = {CRYPTO_KEY, 0, false};
	const uint64_t all = UINT64_C(0x8877665544332211);
	char name[24];

	for (unsigned int byte = 0; byte < 8; byte++) {
		uint64_t mask = UINT64_C(0xff) << (8 * byte);

		snprintf(name, sizeof(name), "opaque/zero-%u", byte);
		created(g, name, ROW_DEK_QUERY, &key, all & ~mask);
		snprintf(name, sizeof(name), "opaque/only-%u", byte);
		created(g, name, ROW_DEK_QUERY, &key, all & mask);
	}
}

/* Several keys, each with bytes of its own. */
static void several(struct gen *g)
{
	uint8_t dek[4];

	if (!opens(g, ROW_DEK_QUERY, "several"))
		return;
	for (uint64_t i = 0; i < COUNT(dek); i++) {
		const struct crypto_key key = {i, i, i % 2};

		dek[i] = crypto_key(g, &key);
		prog_num(g->p, F_dek_opaque_in, 0x1111 * (i + 1));
	}
	for (size_t i = 0; i < COUNT(dek); i++)
		gen_call(g, V_mlx5dv_dek_query, dek[i]);
	gen_call(g, V_mlx5dv_dek_destroy, dek[1]);
	for (size_t i = 0; i < COUNT(dek); i++)
		if (i != 1)
			gen_call(g, V_mlx5dv_dek_query, dek[i]);
	gen_done(g);
}

/* A device that imports wrapped keys has no other ones. */
static void wrapped_only(struct gen *g, const char *name,
			 const struct crypto_key *key)
{
	enum claim claim = gen_needs(g, CLAIM_MLX5_WRAPPED);

	if (!gen_id(g, "wrapped-only/%s", name) ||
	    !gen_says_rule(g, ROW_DEK_WRAPPED, claim, "A plaintext key, %s",
			   name))
		return;
	g->pd = gen_pd(g);
	crypto_key(g, key);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

/* The key of an mkey is destroyed, before and after the mkey. */
static void in_use(struct gen *g)
{
	static const struct crypto_key key = {CRYPTO_KEY, 0, false};
	struct mlx5_crypto attr = {.encrypts = true};
	struct mkey_stage s;

	g->wr = true;
	if (crypto_opens(g, ROW_DEK_IN_USE, "The key of an mkey", "in-use")) {
		s = crypto_stage(g, 0, &key, &attr);
		crypto_configure(&s, 512, NULL, &attr);
		gen_call(g, V_mlx5dv_dek_destroy, (uint8_t)attr.dek);
		gen_call(g, V_mlx5dv_destroy_mkey, s.mkey);
		gen_call(g, V_mlx5dv_dek_destroy, (uint8_t)attr.dek);
		gen_done(g);
	}
	if (crypto_opens(g, ROW_DEK_END, "The key of an mkey",
			 "after-its-mkey")) {
		s = crypto_stage(g, 0, &key, &attr);
		crypto_configure(&s, 512, NULL, &attr);
		gen_call(g, V_mlx5dv_destroy_mkey, s.mkey);
		gen_call(g, V_mlx5dv_dek_destroy, (uint8_t)attr.dek);
		gen_done(g);
	}
	g->wr = false;
}

static bool login_opens(struct gen *g, enum row row, const char *name)
{
	return gen_id(g, "%s", name) &&
	       gen_says_rule(g, row, CLAIM_NONE, "A login session, %s", name);
}

static void login(struct gen *g, const char *name, enum row row,
		  uint32_t credential, uint64_t comp_mask)
{
	if (!login_opens(g, row, name))
		return;
	gen_call(g, V_mlx5dv_crypto_login, NO_OBJ);
	if (credential)
		prog_num(g->p, F_login_credential, credential);
	if (comp_mask)
		prog_num(g->p, F_login_comp_mask, comp_mask);
	gen_call(g, V_mlx5dv_crypto_login_query_state, NO_OBJ);
	gen_done(g);
}

static void no_session(struct gen *g)
{
	if (login_opens(g, ROW_LOGIN_NONE, "state")) {
		gen_call(g, V_mlx5dv_crypto_login_query_state, NO_OBJ);
		gen_done(g);
	}
	if (login_opens(g, ROW_LOGOUT_NONE, "logout")) {
		gen_call(g, V_mlx5dv_crypto_logout, NO_OBJ);
		gen_call(g, V_mlx5dv_crypto_login_query_state, NO_OBJ);
		gen_done(g);
	}
}

void mlx5_gen_dek(struct gen *g)
{
	static const struct crypto_key of_128 = {CRYPTO_KEY, 0, false};
	static const struct crypto_key of_256 = {CRYPTO_KEY, 0, true};
	static const struct crypto_key tagged = {CRYPTO_KEY, CRYPTO_TAG, true};
	enum row row = mlx5_may_login(g->d) ? ROW_LOGIN_ATTR : ROW_LOGIN_CLAIM;

	gen_prefix(g, "mlx5/dek/");
	created(g, "128", ROW_DEK_ACCEPT, &of_128, 0);
	created(g, "256", ROW_DEK_ACCEPT, &of_256, 0);
	created(g, "tag", ROW_DEK_END, &tagged, 0);
	created(g, "opaque", ROW_DEK_QUERY, &of_128,
		UINT64_C(0x8877665544332211));
	opaques(g);
	several(g);
	refused(g, "size-2", ROW_DEK_ATTR, F_dek_key_size, 2);
	refused(g, "purpose-1", ROW_DEK_ATTR, F_dek_purpose, 1);
	refused(g, "mask-bit1", ROW_DEK_ATTR, F_dek_comp_mask, 3);
	refused(g, "mask-bit63", ROW_DEK_ATTR, F_dek_comp_mask,
		UINT64_C(1) << 63 | 1);
	refused(g, "no-session", ROW_DEK_LOGIN, F_dek_comp_mask, 0);
	query_mask(g, "query-bit0", 1);
	query_mask(g, "query-bit63", UINT64_C(1) << 63);
	wrapped_only(g, "128", &of_128);
	wrapped_only(g, "256", &of_256);
	wrapped_only(g, "tag", &tagged);
	if (!mlx5_has_engine(g->d) && opens(g, ROW_DEK_CLAIM, "unclaimed")) {
		crypto_key(g, &of_128);
		gen_done(g);
	}
	in_use(g);
	gen_prefix(g, "mlx5/login/");
	login(g, "plain", row, 0, 0);
	login(g, "credential", row, 0xffffff, 0);
	login(g, "mask-bit0", ROW_LOGIN_ATTR, 0, 1);
	login(g, "mask-bit63", ROW_LOGIN_ATTR, 0, UINT64_C(1) << 63);
	no_session(g);
}

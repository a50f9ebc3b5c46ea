// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keys for data (DEK) in the model, and login sessions, of which a device
 * without imported keys has none.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include "model/create.h"
#include "vendor-mlx5/crypto.h"
#include "vendor-mlx5/mlx5.h"

#define ENGINES                                                                \
	((uint64_t)(MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK |           \
		    MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK))

bool mlx5_has_engine(const struct device_info *d)
{
	return d->limit[LIM_mlx5_crypto_engines] & ENGINES;
}

bool mlx5_may_login(const struct device_info *d)
{
	const uint64_t flags = MLX5DV_CRYPTO_CAPS_CRYPTO |
			       MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL;

	return (d->limit[LIM_mlx5_crypto_flags] & flags) == flags;
}

static bool imports_keys(const struct step *s)
{
	return s->d->limit[LIM_mlx5_crypto_wrapped] != 0;
}

/* Adds the fault of a creation, or the row that grants it. */
static void check_dek(struct step *s, struct faults *f)
{
	const struct dek_init_args *in = &s->b->in.dek_init;
	const uint64_t named = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN;

	if (!mlx5_has_engine(s->d))
		add_fault(s, f, ROW_DEK_CLAIM);
	else if (in->key_purpose != MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS ||
		 in->key_size > MLX5DV_CRYPTO_KEY_SIZE_256 ||
		 in->comp_mask & ~named)
		add_fault(s, f, ROW_DEK_ATTR);
	else if (!in->comp_mask)
		add_fault(s, f, ROW_DEK_LOGIN);
	else if (imports_keys(s))
		add_fault(s, f, ROW_DEK_WRAPPED);
	else
		add_fault(s, f, ROW_DEK_ACCEPT);
}

/* Writes zeros behind the first byte that is zero. */
static void cut_at_zero(uint8_t *bytes, size_t n)
{
	size_t end = 0;

	while (end < n && bytes[end])
		end++;
	memset(bytes + end, 0, n - end);
}

/* Seeded faults: bytes end at a zero, as strings do; the tag of a short key is
 * read behind it, where there are zeros. */
static void cut_bytes(const struct model *m, struct mlx5_object_state *st)
{
	if (!st->is_long && mutant_has_quirk(m->mutant, QUIRK_TAG_FAR))
		st->keytag = 0;
	if (mutant_has_quirk(m->mutant, QUIRK_OPAQUE_STRING))
		cut_at_zero((uint8_t *)&st->opaque, sizeof(st->opaque));
	if (mutant_has_quirk(m->mutant, QUIRK_KEY_STRING))
		cut_at_zero(st->key, st->is_long ? 64 : 32);
}

void do_mlx5dv_dek_create(struct step *s)
{
	const struct dek_init_args *in = &s->b->in.dek_init;
	struct mlx5_object_state *st;
	struct faults f = {0};
	struct object *o;

	answer_accept(s, ROW_DEK_ACCEPT);
	check_dek(s, &f);
	if (!mlx5_decide(s, &f))
		return;
	o = object_add(s, OBJ_MLX5_DEK);
	object_add_parent(s->m, o, s->b->on);
	st = &o->vendor.mlx5;
	*st = (struct mlx5_object_state){
		.opaque = in->opaque,
		.keytag = in->keytag,
		.is_long = in->key_size == MLX5DV_CRYPTO_KEY_SIZE_256,
		.has_keytag = in->has_keytag,
	};
	if (in->is_raw)
		memcpy(st->key, in->raw, sizeof(st->key));
	else
		put_key((char *)st->key, in->key, st->is_long ? 64 : 32);
	cut_bytes(s->m, st);
}

void do_mlx5dv_dek_query(struct step *s)
{
	const struct object *o = obj(s->m, s->b->on);
	struct faults f = {0};

	answer_accept(s, ROW_DEK_QUERY);
	if (s->b->in.dek_query.comp_mask)
		add_fault(s, &f, ROW_DEK_QUERY_MASK);
	if (!mlx5_decide(s, &f))
		return;
	record_row(s, ROW_DEK_QUERY);
	answer_define(s, F_dek_state, MLX5DV_DEK_STATE_READY, ROW_DEK_QUERY);
	answer_define(s, F_dek_opaque, o->vendor.mlx5.opaque, ROW_DEK_QUERY);
}

/* Returns the next mkey that is configured with a key, from a slot on. */
static uint16_t next_user(const struct model *m, uint16_t dek, uint16_t from)
{
	for (uint16_t i = from; i < m->top; i++) {
		const struct object *o = &m->object[i];

		if (o->alive && o->kind == OBJ_MR && o->mr.indirect &&
		    o->mr.vendor.mlx5.crypts &&
		    o->mr.vendor.mlx5.crypto.dek == dek)
			return i;
	}
	return NO_OBJ;
}

/* Nothing says what an mkey does whose key is gone. */
static void take_key(struct model *m, uint16_t dek)
{
	for (uint16_t mr = next_user(m, dek, 0); mr != NO_OBJ;
	     mr = next_user(m, dek, (uint16_t)(mr + 1)))
		m->object[mr].mr.vendor.mlx5.crypto.dek = NO_OBJ;
}

void do_mlx5dv_dek_destroy(struct step *s)
{
	bool used = next_user(s->m, s->b->on, 0) != NO_OBJ;
	struct faults f = {0};

	answer_accept(s, ROW_DEK_END);
	add_fault(s, &f, used ? ROW_DEK_IN_USE : ROW_DEK_END);
	if (mlx5_decide(s, &f)) {
		do_destroy_ah(s);
		if (!s->a->outcome.ret)
			answer_accept(s, ROW_DEK_END);
		take_key(s->m, s->b->on);
	} else if (used && mutant_breaks_object(s->mutant, ROW_DEK_IN_USE)) {
		obj(s->m, s->b->on)->broken = true;
	}
}

/* No credential of a program is one that the device has. */
void do_mlx5dv_crypto_login(struct step *s)
{
	struct faults f = {0};

	answer_accept(s, ROW_LOGIN_ATTR);
	add_fault(s, &f,
		  s->b->in.login.comp_mask || mlx5_may_login(s->d)
			  ? ROW_LOGIN_ATTR
			  : ROW_LOGIN_CLAIM);
	mlx5_decide(s, &f);
}

void do_mlx5dv_crypto_login_query_state(struct step *s)
{
	answer_accept(s, ROW_LOGIN_NONE);
	record_row(s, ROW_LOGIN_NONE);
	answer_define(s, F_login_state, MLX5DV_CRYPTO_LOGIN_STATE_NO_LOGIN,
		      ROW_LOGIN_NONE);
}

void do_mlx5dv_crypto_logout(struct step *s)
{
	struct faults f = {0};

	answer_accept(s, ROW_LOGOUT_NONE);
	add_fault(s, &f, ROW_LOGOUT_NONE);
	mlx5_decide(s, &f);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes libmlx5's calls about keys for data and login sessions on a real or
 * virtual device.
 */
#include <infiniband/mlx5dv.h>
#include "target/verbs/verbs_target.h"
#include "vendor-mlx5/crypto.h"
#include "vendor-mlx5/mlx5.h"

static int end_dek(struct verbs_target *t, uint16_t slot)
{
	return mlx5dv_dek_destroy(slot_ptr(t, slot));
}

void real_mlx5dv_dek_create(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	const struct dek_init_args *in = &b->in.dek_init;
	const struct dek_init init = {
		.opaque = in->opaque,
		.key = in->key,
		.keytag = in->keytag,
		.comp_mask = in->comp_mask,
		.key_size = in->key_size,
		.key_purpose = in->key_purpose,
		.has_keytag = in->has_keytag,
	};
	struct verbs_object *object;
	struct mlx5dv_dek *dek;

	RECORD_PTR(o, dek, create_dek(slot_ptr(t, b->on), &init));
	object = slot_fill(t, b, dek);
	if (object)
		object->destroy = end_dek;
}

void real_mlx5dv_dek_query(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	struct dek_answer answer;

	RECORD_INT(o, query_dek(slot_ptr(t, b->on), b->in.dek_query.comp_mask,
				&answer));
	if (!o->ret)
		o->out.dek = (struct dek_args){
			.opaque = answer.opaque,
			.state = answer.state,
		};
}

void real_mlx5dv_dek_destroy(struct verbs_target *t, const struct bound *b,
			     struct outcome *o)
{
	RECORD_INT(o, end_dek(t, b->on));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_mlx5dv_crypto_login(struct verbs_target *t, const struct bound *b,
			      struct outcome *o)
{
	const struct login_args *in = &b->in.login;

	RECORD_INT(o, crypto_login(slot_context(t, b->on), in->credential_id,
				   in->import_kek_id, in->comp_mask));
}

void real_mlx5dv_crypto_login_query_state(struct verbs_target *t,
					  const struct bound *b,
					  struct outcome *o)
{
	struct login_answer answer;

	RECORD_INT(o, query_login(slot_context(t, b->on), &answer));
	if (!o->ret)
		o->out.login_state.state = answer.state;
}

void real_mlx5dv_crypto_logout(struct verbs_target *t, const struct bound *b,
			       struct outcome *o)
{
	RECORD_INT(o, mlx5dv_crypto_logout(slot_context(t, b->on)));
}

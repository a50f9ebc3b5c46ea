// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keys for data (DEK), which libmlx5 makes and queries by firmware commands. A
 * request names a key by its number.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/virtual/device.h"
#include "vendor-mlx5/virtual/general_object.h"
#include "vendor-mlx5/virtual/mailbox.h"

/* Offsets in the mailbox of a creation */
#define SIZE_AT	   26
#define LONG	   0x01 /* AES keys of 256 bits */
#define TAG_AT	   27
#define HAS_TAG	   0x80
#define PURPOSE	   0x0f
#define XTS	   3
#define DOMAIN_AT  28
#define DOMAIN	   0xffffffu
#define OPAQUE_AT  64
#define KEY_AT	   80
#define MAILBOX	   272
#define STATE_AT   24 /* in the answer to a query; 0: ready */
#define ANSWER_END 208
#define NUMBER_AT  8

static uint64_t little(const uint8_t *from)
{
	uint64_t value = 0;

	for (unsigned int i = 8; i--;)
		value = value << 8 | from[i];
	return value;
}

static struct dek_init_args read_dek(const uint8_t *in)
{
	bool is_long = in[SIZE_AT] & LONG;
	unsigned int bytes = is_long ? MLX5_KEY_BYTES : MLX5_KEY_BYTES / 2;
	struct dek_init_args dek = {
		.opaque = little(in + OPAQUE_AT),
		.keytag = little(in + KEY_AT + bytes),
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
		.key_size = is_long ? MLX5DV_CRYPTO_KEY_SIZE_256
				    : MLX5DV_CRYPTO_KEY_SIZE_128,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.has_keytag = (in[TAG_AT] & HAS_TAG) != 0,
		.is_raw = true,
	};

	memcpy(dek.raw, in + KEY_AT, bytes);
	return dek;
}

int mlx5_make_dek(struct command *c)
{
	uint8_t in[MAILBOX], *mailbox;
	struct making w;
	uint16_t pd;
	int err;

	memset(in, 0, sizeof(in));
	command_get(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, sizeof(in));
	pd = mlx5_domain_of(c, mailbox_long(in, DOMAIN_AT) & DOMAIN);
	if (pd == NO_OBJ || (in[TAG_AT] & PURPOSE) != XTS)
		return -EINVAL;
	making_init(&w, MLX5_IB_OBJECT_DEVX_OBJ, V_mlx5dv_dek_create, pd);
	w.end = V_mlx5dv_dek_destroy;
	w.b.in.dek_init = read_dek(in);
	err = object_make(c, &w);
	if (err)
		return err;
	command_attr(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->data = w.handle;
	mailbox = mailbox_answer(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
	mailbox_put_long(mailbox, NUMBER_AT, w.object->slot + 1u);
	return 0;
}

int mlx5_query_dek(struct command *c, uint16_t slot, uint32_t number)
{
	const uint16_t id = MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT;
	const struct virtual_object *o = core_object(c->device, slot);
	struct bound b = {.verb = V_mlx5dv_dek_query, .on = slot};
	uint8_t *mailbox;
	struct answer a;
	int err;

	if (!o || o->end != V_mlx5dv_dek_destroy || number != slot + 1u ||
	    command_attr(c, id)->len < ANSWER_END)
		return -EINVAL;
	b.result = NO_OBJ;
	err = core_call(c->device, &b, &a);
	if (err)
		return err;
	mailbox = mailbox_answer(c, id);
	mailbox[STATE_AT] = (uint8_t)a.outcome.out.dek.state;
	for (unsigned int i = 0; i < 8; i++)
		mailbox[OPAQUE_AT + i] =
			(uint8_t)(a.outcome.out.dek.opaque >> (8 * i));
	return 0;
}

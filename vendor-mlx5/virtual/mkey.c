// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Objects that libmlx5 makes by firmware commands itself (DEVX): indirect mkeys
 * and the first values of their signatures here, general objects in
 * general_object.c. The methods refuse all other objects, as a kernel without
 * them does.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "vendor-mlx5/virtual/device.h"
#include "vendor-mlx5/virtual/general_object.h"
#include "vendor-mlx5/virtual/mailbox.h"

enum {
	CREATE_MKEY = 0x200,
	CREATE_PSV = 0x600,
	CREATE_GENERAL_OBJECT = 0xa00,
};

/* Offsets in the mailbox, and bits of the mkey's context */
#define CONTEXT_AT 16
#define MODE	   0x1c000300u /* how the mkey finds its memory */
#define MODE_KLMS  0x200u      /* by a list of entries */
#define BY_REQUEST 0x8000u     /* requests may configure the mkey */
#define FREE	   0x40000000u
#define DOMAIN_AT  (CONTEXT_AT + 12)
#define BY_REMOTE  0x1000000u  /* a SEND_WITH_INV may invalidate the mkey */
#define SIGNS	   0x40000000u /* the mkey may have signatures */
#define DOMAIN	   0xffffffu
#define ENTRIES_AT (CONTEXT_AT + 52)
#define CRYPTS_AT  (CONTEXT_AT + 60)
#define CRYPTS	   0x08 /* the mkey may have crypto attributes */
#define MAILBOX	   (CONTEXT_AT + 64)
#define INDEX_AT   8 /* in the answer */

uint16_t mlx5_domain_of(const struct command *c, uint32_t number)
{
	const struct virtual_object *o;

	if (number >= MODEL_MAX_PLACES ||
	    core_file(c->device, (uint16_t)number) != c->file)
		return NO_OBJ;
	o = core_object(c->device, (uint16_t)number);
	return o && o->sort == UVERBS_OBJECT_PD ? (uint16_t)number : NO_OBJ;
}

#define PSV_DOMAIN_AT 8	 /* behind a byte with the number of objects */
#define PSV_AT	      16 /* in the answer */

/* The first value of a signature: libmlx5 sets it by requests that say no more
 * than those of the mkey. */
static int make_psv(struct command *c, const uint8_t *in)
{
	uint32_t handle;
	int err;

	if (!claim_holds(CLAIM_MLX5_SIG, &c->device->info))
		return -EPROTONOSUPPORT;
	if (mlx5_domain_of(c, mailbox_long(in, PSV_DOMAIN_AT) & DOMAIN) ==
	    NO_OBJ)
		return -EINVAL;
	err = object_new(c->file, MLX5_IB_OBJECT_DEVX_OBJ, &handle);
	if (err)
		return err;
	command_attr(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->data = handle;
	mailbox_put_long(mailbox_answer(c,
					MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT),
			 PSV_AT, handle & DOMAIN);
	return 0;
}

int mlx5_make_by_firmware(struct command *c)
{
	uint8_t in[MAILBOX], *mailbox;
	struct making w;
	uint32_t domain;
	uint16_t pd;
	int err;

	memset(in, 0, sizeof(in));
	command_get(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, sizeof(in));
	if (mailbox_word(in, 0) == CREATE_PSV)
		return make_psv(c, in);
	if (mailbox_word(in, 0) == CREATE_GENERAL_OBJECT)
		return mlx5_make_general_object(c);
	if (mailbox_word(in, 0) != CREATE_MKEY)
		return -EPROTONOSUPPORT;
	domain = mailbox_long(in, DOMAIN_AT);
	pd = mlx5_domain_of(c, domain & DOMAIN);
	if (pd == NO_OBJ ||
	    (mailbox_long(in, CONTEXT_AT) & MODE) != MODE_KLMS ||
	    !(mailbox_long(in, CONTEXT_AT) & FREE) ||
	    !(mailbox_long(in, CONTEXT_AT) & BY_REQUEST))
		return -EINVAL;
	making_init(&w, MLX5_IB_OBJECT_DEVX_OBJ, V_mlx5dv_create_mkey, pd);
	w.end = V_mlx5dv_destroy_mkey;
	w.b.in.mkey_init.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT;
	if (domain & BY_REMOTE)
		w.b.in.mkey_init.create_flags |=
			MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE;
	if (domain & SIGNS)
		w.b.in.mkey_init.create_flags |=
			MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
	if (in[CRYPTS_AT] & CRYPTS)
		w.b.in.mkey_init.create_flags |=
			MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO;
	w.b.in.mkey_init.max_entries = (uint16_t)mailbox_long(in, ENTRIES_AT);
	err = object_make(c, &w);
	if (err)
		return err;
	command_attr(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->data = w.handle;
	mailbox = mailbox_answer(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
	mailbox_put_long(mailbox, INDEX_AT, w.a.outcome.out.mkey.lkey >> 8);
	return 0;
}

int mlx5_end_by_firmware(struct command *c)
{
	struct events_read read;

	return object_destroy(
		c->file, MLX5_IB_OBJECT_DEVX_OBJ,
		command_attr(c, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE)->data,
		&read);
}

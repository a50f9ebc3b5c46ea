// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * General objects that libmlx5 makes by firmware commands: scheduling elements,
 * blocks of reserved numbers of queue pairs, and mapped address handles; keys
 * for data are made in dek.c. The model knows scheduling elements and keys
 * alone, because libmlx5 gives out the numbers of a block by itself and maps an
 * address handle once.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/virtual/device.h"
#include "vendor-mlx5/virtual/driver.h"
#include "vendor-mlx5/virtual/general_object.h"
#include "vendor-mlx5/virtual/mailbox.h"

/* Offsets in the mailbox: the type of the object in the header, its number in
 * header and answer, and members of a scheduling element */
#define TYPE_AT	     6
#define NUMBER_AT    8
#define SELECT_AT    20 /* which of share and rate are given */
#define HIERARCHY_AT 24
#define OF_NIC	     3
#define ELEMENT_AT   48
#define PARENT_AT    56
#define SHARE_AT     68
#define RATE_AT	     72
#define MAILBOX	     144

enum { ELEMENT_NODE = 0, ELEMENT_LEAF = 4 };

/* The numbers of blocks are above those of queue pairs. */
#define FIRST_RESERVED 0xe00000u
#define BLOCKS	       0x0fffffu

static int put_number(const struct command *c, uint32_t handle, uint32_t number)
{
	uint8_t *mailbox =
		mailbox_answer(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);

	command_attr(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->data = handle;
	mailbox_put_long(mailbox, NUMBER_AT, number);
	return 0;
}

bool mlx5_find_element(const struct command *c, uint32_t number, uint16_t *slot)
{
	const struct virtual_object *o;

	*slot = NO_OBJ;
	if (!number)
		return true;
	if (number > MODEL_MAX_PLACES ||
	    core_file(c->device, (uint16_t)(number - 1)) != c->file)
		return false;
	o = core_object(c->device, (uint16_t)(number - 1));
	if (!o || (o->end != V_mlx5dv_sched_node_destroy &&
		   o->end != V_mlx5dv_sched_leaf_destroy))
		return false;
	*slot = (uint16_t)(number - 1);
	return true;
}

static struct sched_args read_element(const uint8_t *in)
{
	return (struct sched_args){
		.flags = mailbox_long(in, SELECT_AT),
		.bw_share = mailbox_long(in, SHARE_AT),
		.max_avg_bw = mailbox_long(in, RATE_AT),
		.parent = NO_OBJ,
	};
}

static int make_element(struct command *c, const uint8_t *in)
{
	bool leaf = in[ELEMENT_AT] == ELEMENT_LEAF;
	struct making w;
	int err;

	if (in[HIERARCHY_AT] != OF_NIC ||
	    (!leaf && in[ELEMENT_AT] != ELEMENT_NODE))
		return -EINVAL;
	making_init(&w, MLX5_IB_OBJECT_DEVX_OBJ,
		    leaf ? V_mlx5dv_sched_leaf_create
			 : V_mlx5dv_sched_node_create,
		    NO_OBJ);
	w.end = leaf ? V_mlx5dv_sched_leaf_destroy
		     : V_mlx5dv_sched_node_destroy;
	w.b.in.sched = read_element(in);
	if (!mlx5_find_element(c, mailbox_long(in, PARENT_AT),
			       &w.b.in.sched.parent))
		return -EINVAL;
	err = object_make(c, &w);
	return err ? err : put_number(c, w.handle, w.object->slot + 1u);
}

static uint32_t next_block(const struct virtual_device *d)
{
	struct mlx5_device *own = d->own;

	return FIRST_RESERVED + (own->blocks++ << MLX5_LOG_BLOCK & BLOCKS);
}

/* Makes an object that the model does not know. */
static int make_other(struct command *c, bool reserves)
{
	uint32_t handle;

	if (object_new(c->file, MLX5_IB_OBJECT_DEVX_OBJ, &handle))
		return -ENOMEM;
	return put_number(c, handle, reserves ? next_block(c->device) : 0);
}

int mlx5_make_general_object(struct command *c)
{
	const uint64_t *limit = c->device->info.limit;
	uint8_t in[MAILBOX];

	command_get(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, sizeof(in));
	switch (mailbox_word(in, TYPE_AT)) {
	case MLX5_DEK:
		return limit[LIM_mlx5_crypto_engines] ? mlx5_make_dek(c)
						      : -EINVAL;
	case MLX5_SCHED_ELEMENT:
		return limit[LIM_mlx5_sched] ? make_element(c, in) : -EINVAL;
	case MLX5_RESERVED_QPN:
		return limit[LIM_mlx5_reserved_qpns] ? make_other(c, true)
						     : -EINVAL;
	case MLX5_AV_QP_MAPPING:
		return make_other(c, false);
	default:
		return -EINVAL;
	}
}

int mlx5_modify_element(struct command *c, uint16_t slot)
{
	struct bound b = {.on = slot, .result = NO_OBJ};
	uint8_t in[MAILBOX];
	struct answer a;

	command_get(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, in, sizeof(in));
	b.verb = in[ELEMENT_AT] == ELEMENT_LEAF ? V_mlx5dv_sched_leaf_modify
						: V_mlx5dv_sched_node_modify;
	b.in.sched = read_element(in);
	/* A modification does not tell the parent, which libmlx5 has checked.
	 */
	b.in.sched.parent = slot;
	return core_call(c->device, &b, &a);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The ioctl methods that mlx5_ib adds to uverbs or extends with attributes:
 * doorbell pages, firmware commands, device memory, queries.
 */
#include <errno.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "vendor-mlx5/virtual/device.h"
#include "vendor-mlx5/virtual/mailbox.h"

#define UAR_TYPES 2 /* BlueFlame, and not cached */

/* Allocates a doorbell page. The file of the device serves a writable page at
 * the object's offset. */
static int alloc_uar(struct command *c)
{
	uint64_t type = command_number(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	uint32_t length = MLX5_PAGE, handle;
	uint64_t offset;

	if (type >= UAR_TYPES)
		return -EOPNOTSUPP;
	if (object_new(c->file, MLX5_IB_OBJECT_UAR, &handle))
		return -ENOMEM;
	offset = mlx5_offset(handle);
	command_attr(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE)->data = handle;
	command_put(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset,
		    sizeof(offset));
	command_put(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length,
		    sizeof(length));
	command_put(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &handle,
		    sizeof(handle));
	return 0;
}

static int destroy_uar(struct command *c)
{
	object_drop(c->file, (uint32_t)command_attr(
				     c, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE)
				     ->data);
	return 0;
}

/* Tells the number of a protection domain, as its creation did. */
static int query_pd(struct command *c)
{
	uint32_t number = attr_slot(c, MLX5_IB_ATTR_QUERY_PD_HANDLE);

	command_put(c, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &number, sizeof(number));
	return 0;
}

/* The device has no embedded switch, so the answer about a port is all 0. */
static int query_port(struct command *c)
{
	uint64_t port = command_number(c, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM);
	struct mlx5_ib_uapi_query_port r = {0};

	if (port < 1 || port > (uint64_t)c->device->info.nports)
		return -EINVAL;
	command_put_struct(c, MLX5_IB_ATTR_QUERY_PORT, &r, sizeof(r));
	return 0;
}

const struct method mlx5_methods[MLX5_METHODS] = {
	{.name = "alloc_uar",
	 .object = MLX5_IB_OBJECT_UAR,
	 .id = MLX5_IB_METHOD_UAR_OBJ_ALLOC,
	 .run = alloc_uar,
	 .attrs = {ATTR("uar", MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, NEW, 0),
		   ATTR("type", MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, IN, 8),
		   ATTR("offset", MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, OUT,
			8),
		   ATTR("length", MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, OUT,
			4),
		   ATTR("page", MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, OUT, 4)}},
	{.name = "destroy_uar",
	 .object = MLX5_IB_OBJECT_UAR,
	 .id = MLX5_IB_METHOD_UAR_OBJ_DESTROY,
	 .run = destroy_uar,
	 .attrs = {OBJ_ATTR("uar", MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE,
			    MLX5_IB_OBJECT_UAR)}},
	{.name = "firmware_command",
	 .object = MLX5_IB_OBJECT_DEVX,
	 .id = MLX5_IB_METHOD_DEVX_OTHER,
	 .run = mlx5_query_firmware,
	 .attrs = {{.name = "in",
		    .id = MLX5_IB_ATTR_DEVX_OTHER_CMD_IN,
		    .kind = ATTR_IN,
		    .min = MLX5_MAILBOX_MIN},
		   {.name = "out",
		    .id = MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT,
		    .kind = ATTR_OUT,
		    .min = MLX5_MAILBOX_MIN}}},
	{.name = "firmware_modify",
	 .object = MLX5_IB_OBJECT_DEVX_OBJ,
	 .id = MLX5_IB_METHOD_DEVX_OBJ_MODIFY,
	 .run = mlx5_modify_by_firmware,
	 .attrs = {OBJ_ATTR("object", MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE,
			    OBJECT_ANY),
		   {.name = "in",
		    .id = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN,
		    .kind = ATTR_IN,
		    .min = MLX5_MAILBOX_MIN},
		   {.name = "out",
		    .id = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT,
		    .kind = ATTR_OUT,
		    .min = MLX5_MAILBOX_MIN}}},
	{.name = "firmware_query",
	 .object = MLX5_IB_OBJECT_DEVX_OBJ,
	 .id = MLX5_IB_METHOD_DEVX_OBJ_QUERY,
	 .run = mlx5_query_by_firmware,
	 .attrs = {OBJ_ATTR("object", MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE,
			    OBJECT_ANY),
		   {.name = "in",
		    .id = MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN,
		    .kind = ATTR_IN,
		    .min = MLX5_MAILBOX_MIN},
		   {.name = "out",
		    .id = MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT,
		    .kind = ATTR_OUT,
		    .min = MLX5_MAILBOX_MIN}}},
	{.name = "firmware_make",
	 .object = MLX5_IB_OBJECT_DEVX_OBJ,
	 .id = MLX5_IB_METHOD_DEVX_OBJ_CREATE,
	 .run = mlx5_make_by_firmware,
	 .attrs = {ATTR("object", MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, NEW, 0),
		   {.name = "in",
		    .id = MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN,
		    .kind = ATTR_IN,
		    .min = MLX5_MAILBOX_MIN},
		   {.name = "out",
		    .id = MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT,
		    .kind = ATTR_OUT,
		    .min = MLX5_MAILBOX_MIN}}},
	{.name = "firmware_end",
	 .object = MLX5_IB_OBJECT_DEVX_OBJ,
	 .id = MLX5_IB_METHOD_DEVX_OBJ_DESTROY,
	 .run = mlx5_end_by_firmware,
	 .attrs = {OBJ_ATTR("object", MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE,
			    MLX5_IB_OBJECT_DEVX_OBJ)}},
	{.name = "query_pd",
	 .object = UVERBS_OBJECT_PD,
	 .id = MLX5_IB_METHOD_PD_QUERY,
	 .run = query_pd,
	 .attrs = {OBJ_ATTR("pd", MLX5_IB_ATTR_QUERY_PD_HANDLE,
			    UVERBS_OBJECT_PD),
		   ATTR("pdn", MLX5_IB_ATTR_QUERY_PD_RESP_PDN, OUT, 4)}},
	{.name = "query_port_of_driver",
	 .object = UVERBS_OBJECT_DEVICE,
	 .id = MLX5_IB_METHOD_QUERY_PORT,
	 .run = query_port,
	 .attrs = {ATTR("port", MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, IN, 4),
		   STRUCT_ATTR("out", MLX5_IB_ATTR_QUERY_PORT, OUT,
			       struct mlx5_ib_uapi_query_port, reg_c0)}},
	{.name = "query_context",
	 .object = UVERBS_OBJECT_DEVICE,
	 .id = UVERBS_METHOD_QUERY_CONTEXT,
	 .run = mlx5_query_context,
	 .attrs = {MAY_ATTR("num_comp_vectors",
			    UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, OUT, 4,
			    4),
		   MAY_ATTR("core_support",
			    UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, OUT, 8, 8),
		   STRUCT_ATTR("out", MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, OUT,
			       struct mlx5_ib_alloc_ucontext_resp,
			       dump_fill_mkey)}},
	{.name = "alloc_dm",
	 .object = UVERBS_OBJECT_DM,
	 .id = UVERBS_METHOD_DM_ALLOC,
	 .run = mlx5_alloc_dm,
	 .attrs = {ATTR("dm", UVERBS_ATTR_ALLOC_DM_HANDLE, NEW, 0),
		   ATTR("length", UVERBS_ATTR_ALLOC_DM_LENGTH, IN, 8),
		   ATTR("alignment", UVERBS_ATTR_ALLOC_DM_ALIGNMENT, IN, 4),
		   MAY_ATTR("type", MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, IN, 8, 8),
		   ATTR("offset", MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, OUT,
			8),
		   MAY_ATTR("page", MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, OUT,
			    2, 2)}},
	{.name = "query_dm",
	 .object = UVERBS_OBJECT_DM,
	 .id = MLX5_IB_METHOD_DM_QUERY,
	 .run = mlx5_query_dm,
	 .attrs = {OBJ_ATTR("dm", MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE,
			    UVERBS_OBJECT_DM),
		   ATTR("offset", MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, OUT,
			8),
		   ATTR("page", MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, OUT, 2),
		   ATTR("length", MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, OUT, 8)}},
	{.name = "map_dm_operation",
	 .object = UVERBS_OBJECT_DM,
	 .id = MLX5_IB_METHOD_DM_MAP_OP_ADDR,
	 .run = mlx5_map_dm_operation,
	 .attrs = {OBJ_ATTR("dm", MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE,
			    UVERBS_OBJECT_DM),
		   ATTR("operation", MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, IN, 1),
		   ATTR("offset", MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET,
			OUT, 8),
		   MAY_ATTR("page", MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_PAGE_INDEX,
			    OUT, 2, 2)}},
};

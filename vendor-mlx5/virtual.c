// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What libmlx5 is told when it opens a device and asks what the device can do.
 * Limits that a device file does not have are those that mlx5_ib computes for
 * every device of the generation.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>
#include "vendor-mlx5/driver.h"
#include "vendor-mlx5/rings.h"
#include "vendor-mlx5/virtual.h"

#define PCI_VENDOR	    0x15b3
#define PAGE_SHIFT	    12
#define BF_REG_SIZE	    512 /* a BlueFlame register: two buffers of 256 */
#define CACHE_LINE	    64
#define MAX_LIB_CQE_VERSION 1
#define UAR_TYPES	    2 /* BlueFlame and not cached */

static void modalias(const struct virtual_device *d, char *text, size_t size)
{
	snprintf(text, size, "pci:v%08Xd%08Xsv%08Xsd%08Xbc02sc00i00",
		 PCI_VENDOR, (unsigned int)d->info.limit[LIM_vendor_part_id],
		 PCI_VENDOR, 0u);
}

/* Doorbell pages are asked for one by one: none comes with the context. */
static int get_context(struct command *c)
{
	const uint64_t *limit = c->device->info.limit;
	struct mlx5_ib_alloc_ucontext_req_v2 asked;
	struct mlx5_ib_alloc_ucontext_resp r = {0};

	command_get(c, UVERBS_ATTR_UHW_IN, &asked, sizeof(asked));
	if (asked.comp_mask || asked.reserved0 || asked.reserved1 ||
	    asked.reserved2)
		return -EOPNOTSUPP;
	if (!asked.total_num_bfregs ||
	    asked.num_low_latency_bfregs > asked.total_num_bfregs - 1)
		return -EINVAL;
	r.qp_tab_size = (uint32_t)limit[LIM_max_qp];
	r.bf_reg_size = BF_REG_SIZE;
	r.cache_line_size = CACHE_LINE;
	r.max_sq_desc_sz = MLX5_MAX_SQ_DESC;
	r.max_rq_desc_sz = MLX5_MAX_RQ_DESC;
	r.max_send_wqebb = (uint32_t)limit[LIM_max_qp_wr];
	r.max_recv_wr = (uint32_t)limit[LIM_max_qp_wr];
	r.max_srq_recv_wr = (uint32_t)limit[LIM_max_srq_wr] + 1;
	r.num_ports = (uint16_t)c->device->info.nports;
	r.cqe_version = asked.max_cqe_version < MAX_LIB_CQE_VERSION
				? asked.max_cqe_version
				: MAX_LIB_CQE_VERSION;
	c->file->driver_word = r.cqe_version;
	r.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
			  MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	if (c->device->info.port[0].attr.link_layer == IBV_LINK_LAYER_ETHERNET)
		r.eth_min_inline = MLX5_USER_INLINE_MODE_NONE;
	r.log_uar_size = PAGE_SHIFT;
	r.num_uars_per_page = 1;
	r.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_ECE |
		      MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_SQD2RTS;
	r.response_length = command_length(c, UVERBS_ATTR_UHW_OUT, sizeof(r));
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, sizeof(r));
	return 0;
}

/* Each member that there is room for, as the driver does it. */
static int describe_device(struct command *c)
{
	const uint64_t *limit = c->device->info.limit;
	struct mlx5_ib_query_device_resp r = {
		.tso_caps = {(uint32_t)limit[LIM_max_tso],
			     (uint32_t)limit[LIM_tso_supported_qpts]},
		.rss_caps = {.rx_hash_fields_mask =
				     limit[LIM_rx_hash_fields_mask],
			     .rx_hash_function =
				     (uint8_t)limit[LIM_rx_hash_function]},
		.packet_pacing_caps =
			{.qp_rate_limit_min =
				 (uint32_t)limit[LIM_rate_limit_min],
			 .qp_rate_limit_max =
				 (uint32_t)limit[LIM_rate_limit_max],
			 .supported_qpts =
				 (uint32_t)limit[LIM_rate_limit_qpts]},
		.tunnel_offloads_caps =
			(uint32_t)limit[LIM_mlx5_tunnel_offloads_caps],
		.dci_streams_caps =
			{(uint8_t)limit[LIM_mlx5_dci_log_num_concurent],
			 (uint8_t)limit[LIM_mlx5_dci_log_num_errored]},
	};
	size_t room = command_room(c, UVERBS_ATTR_UHW_OUT);

	if (limit[LIM_mlx5_flags] &
	    MLX5DV_CONTEXT_FLAGS_PACKET_BASED_CREDIT_MODE)
		r.flags = MLX5_IB_QUERY_DEV_RESP_PACKET_BASED_CREDIT_MODE;
	if (room && room < sizeof(r.comp_mask) + sizeof(r.response_length))
		return -EINVAL;
	r.response_length = command_length(c, UVERBS_ATTR_UHW_OUT, sizeof(r));
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, sizeof(r));
	return 0;
}

/* A page of doorbells: the file that stands for the device gives one that can
 * be written to. */
static int alloc_uar(struct command *c)
{
	uint64_t type = command_number(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	uint64_t offset = 0;
	uint32_t length = 1u << PAGE_SHIFT, handle;

	if (type >= UAR_TYPES)
		return -EOPNOTSUPP;
	if (object_new(c->file, MLX5_IB_OBJECT_UAR, &handle))
		return -ENOMEM;
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

static const struct method methods[] = {
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
			    UVERBS_OBJECT_QP),
		   {.name = "in",
		    .id = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN,
		    .kind = ATTR_IN,
		    .min = MLX5_MAILBOX_MIN},
		   {.name = "out",
		    .id = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT,
		    .kind = ATTR_OUT,
		    .min = MLX5_MAILBOX_MIN}}},
};

const struct virtual_driver mlx5_virtual_driver = {
	.name = "mlx5",
	.kernel_name = "mlx5_core",
	.devices = "mlx5_",
	.id = RDMA_DRIVER_MLX5,
	.abi_version = 1,
	.modalias = modalias,
	.methods = methods,
	.nmethods = sizeof(methods) / sizeof(methods[0]),
	.get_context = get_context,
	.query_device = describe_device,
	.check = mlx5_check,
	.made = mlx5_made,
	.resize_cq = mlx5_resize_cq,
	.resized_cq = mlx5_resized_cq,
	.modify_srq = mlx5_modify_srq,
	.modify_qp = mlx5_modify_qp,
	.query_qp = mlx5_query_qp,
	.modified_qp = mlx5_modified_qp,
	.nic = &mlx5_nic,
};

const struct virtual_driver *const virtual_drivers[] = {&mlx5_virtual_driver,
							NULL};

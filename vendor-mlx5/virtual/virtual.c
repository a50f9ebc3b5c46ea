// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Opens a device for libmlx5, reports its features, and has the struct
 * virtual_driver of mlx5_ib. Limits that a device file lacks are those that
 * mlx5_ib computes for every device of the generation.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stdlib.h>
#include "vendor-mlx5/virtual/device.h"
#include "vendor-mlx5/virtual/rings.h"
#include "vendor-mlx5/mlx5.h"

#define PCI_VENDOR	    0x15b3
#define PAGE_SHIFT	    12
#define BF_REG_SIZE	    512 /* a BlueFlame register: two buffers of 256 */
#define CACHE_LINE	    64
#define MAX_LIB_CQE_VERSION 1

static void modalias(const struct virtual_device *d, char *text, size_t size)
{
	snprintf(text, size, "pci:v%08Xd%08Xsv%08Xsd%08Xbc02sc00i00",
		 PCI_VENDOR, (unsigned int)d->info.limit[LIM_vendor_part_id],
		 PCI_VENDOR, 0u);
}

/* Fills the description of a context for its creation and its query. */
static void describe_context(const struct command *c,
			     struct mlx5_ib_alloc_ucontext_resp *r)
{
	const uint64_t *limit = c->device->info.limit;

	r->qp_tab_size = (uint32_t)limit[LIM_max_qp];
	r->bf_reg_size = BF_REG_SIZE;
	r->cache_line_size = CACHE_LINE;
	r->max_sq_desc_sz = MLX5_MAX_SQ_DESC;
	r->max_rq_desc_sz = MLX5_MAX_RQ_DESC;
	r->max_send_wqebb = (uint32_t)limit[LIM_max_qp_wr];
	r->max_recv_wr = (uint32_t)limit[LIM_max_qp_wr];
	r->max_srq_recv_wr = (uint32_t)limit[LIM_max_srq_wr] + 1;
	r->num_ports = (uint16_t)c->device->info.nports;
	r->cqe_version = (uint8_t)c->file->driver_word;
	r->cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
			   MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	if (c->device->info.port[0].attr.link_layer == IBV_LINK_LAYER_ETHERNET)
		r->eth_min_inline = MLX5_USER_INLINE_MODE_NONE;
	r->log_uar_size = PAGE_SHIFT;
	r->num_uars_per_page = 1;
	if (limit[LIM_hca_core_clock])
		r->clock_info_versions = 1 << MLX5_IB_CLOCK_INFO_V1;
	r->comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET |
		       MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_ECE |
		       MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_SQD2RTS;
}

/* Creates a context. It has no doorbell pages: libmlx5 allocates each page. */
static int get_context(struct command *c)
{
	struct mlx5_ib_alloc_ucontext_req_v2 asked;
	struct mlx5_ib_alloc_ucontext_resp r = {0};

	command_get(c, UVERBS_ATTR_UHW_IN, &asked, sizeof(asked));
	if (asked.comp_mask || asked.reserved0 || asked.reserved1 ||
	    asked.reserved2)
		return -EOPNOTSUPP;
	if (!asked.total_num_bfregs ||
	    asked.num_low_latency_bfregs > asked.total_num_bfregs - 1)
		return -EINVAL;
	c->file->driver_word = asked.max_cqe_version < MAX_LIB_CQE_VERSION
				       ? asked.max_cqe_version
				       : MAX_LIB_CQE_VERSION;
	describe_context(c, &r);
	r.response_length = command_length(c, UVERBS_ATTR_UHW_OUT, sizeof(r));
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, sizeof(r));
	return 0;
}

int mlx5_query_context(struct command *c)
{
	struct mlx5_ib_alloc_ucontext_resp r = {0};

	context_answer(c, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
		       UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT);
	describe_context(c, &r);
	r.response_length = command_length(
		c, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, sizeof(r));
	command_put_struct(c, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, &r,
			   sizeof(r));
	return 0;
}

/* Returns the driver's flags of a device. It sets SCAT2CQE_DCT for each. */
static uint32_t device_flags(const struct device_info *d)
{
	static const struct {
		uint64_t told;
		uint32_t flag;
	} flags[] = {
		{MLX5DV_CONTEXT_FLAGS_CQE_128B_COMP,
		 MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_COMP},
		{MLX5DV_CONTEXT_FLAGS_CQE_128B_PAD,
		 MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_PAD},
		{MLX5DV_CONTEXT_FLAGS_PACKET_BASED_CREDIT_MODE,
		 MLX5_IB_QUERY_DEV_RESP_PACKET_BASED_CREDIT_MODE},
	};
	uint32_t set = MLX5_IB_QUERY_DEV_RESP_FLAGS_SCAT2CQE_DCT;

	for (size_t i = 0; i < COUNT(flags); i++)
		if (d->limit[LIM_mlx5_flags] & flags[i].told)
			set |= flags[i].flag;
	return set;
}

/* Answers as many members as the caller has room for, as the driver does. */
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
		.cqe_comp_caps = {(uint32_t)limit[LIM_mlx5_cqe_comp_max_num],
				  (uint32_t)limit[LIM_mlx5_cqe_comp_formats]},
		.packet_pacing_caps =
			{.qp_rate_limit_min =
				 (uint32_t)limit[LIM_rate_limit_min],
			 .qp_rate_limit_max =
				 (uint32_t)limit[LIM_rate_limit_max],
			 .supported_qpts = (uint32_t)limit[LIM_rate_limit_qpts],
			 .cap_flags = limit[LIM_rate_limit_qpts]
					      ? MLX5_IB_PP_SUPPORT_BURST
					      : 0},
		.tunnel_offloads_caps =
			(uint32_t)limit[LIM_mlx5_tunnel_offloads_caps],
		.dci_streams_caps =
			{(uint8_t)limit[LIM_mlx5_dci_log_num_concurent],
			 (uint8_t)limit[LIM_mlx5_dci_log_num_errored]},
	};
	size_t room = command_room(c, UVERBS_ATTR_UHW_OUT);

	r.flags = device_flags(&c->device->info);
	if (room && room < sizeof(r.comp_mask) + sizeof(r.response_length))
		return -EINVAL;
	r.response_length = command_length(c, UVERBS_ATTR_UHW_OUT, sizeof(r));
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, sizeof(r));
	return 0;
}

static int start(struct virtual_device *d)
{
	struct mlx5_device *own = calloc(1, sizeof(*own));
	int err = -ENOMEM;

	if (own)
		err = mlx5_clock_start(&own->clock,
				       d->info.limit[LIM_hca_core_clock]);
	if (!err)
		d->own = own;
	else
		free(own);
	return err;
}

static void stop(struct virtual_device *d)
{
	struct mlx5_device *own = d->own;

	if (own)
		mlx5_clock_stop(&own->clock);
	free(own);
	d->own = NULL;
}

static void tick(const struct virtual_device *d)
{
	const struct mlx5_device *own = d->own;

	mlx5_clock_tick(&own->clock);
}

const struct virtual_driver mlx5_virtual_driver = {
	.kernel_name = "mlx5_core",
	.devices = "mlx5_",
	.id = RDMA_DRIVER_MLX5,
	.abi_version = 1,
	.extended = true,
	.modalias = modalias,
	.methods = mlx5_methods,
	.nmethods = MLX5_METHODS,
	.start = start,
	.stop = stop,
	.tick = tick,
	.map = mlx5_map,
	.in_place = mlx5_in_place,
	.dmabuf = true,
	.one_key = true,
	/* An entry with the key 0x400 would read as a repeat block. */
	.first_key = 0x401,
	.qp_access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC,
	.dm_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
		     IBV_ACCESS_ZERO_BASED,
	.free_dm = mlx5_free_dm,
	.get_context = get_context,
	.query_device = describe_device,
	.check = mlx5_check,
	.made = mlx5_made,
	.resize_cq = mlx5_resize_cq,
	.resized_cq = mlx5_resized_cq,
	.modify_srq = mlx5_modify_srq,
	.modify_qp = mlx5_modify_qp,
	.modify_wq = mlx5_modify_wq,
	.modified_wq = mlx5_modified_wq,
	.create_flow = mlx5_create_flow,
	.read_counters = mlx5_read_counters,
	.query_qp = mlx5_query_qp,
	.modified_qp = mlx5_modified_qp,
	.nic = &mlx5_nic,
};

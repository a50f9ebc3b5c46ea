/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Objects of the virtual device, asked for by legacy commands.
 */
#ifndef IBVET_TESTS_VIRTUAL_OBJECTS_H
#define IBVET_TESTS_VIRTUAL_OBJECTS_H

#include <rdma/mlx5-abi.h>
#include "tests/unit/virtual/virtual_command.h"

#define PAGE 4096
static _Alignas(PAGE) uint8_t memory[64 * PAGE];
#define AT(page) ((uintptr_t)memory + (page)*PAGE)

/* What each command gives; the driver's part behind it. */
static union {
	struct ib_uverbs_alloc_pd_resp pd;
	struct ib_uverbs_reg_mr_resp mr;
	struct ib_uverbs_alloc_mw_resp mw;
	struct ib_uverbs_create_comp_channel_resp channel;
	struct ib_uverbs_create_cq_resp cq;
	struct ib_uverbs_resize_cq_resp resized;
	struct ib_uverbs_create_srq_resp srq;
	struct ib_uverbs_open_xrcd_resp xrcd;
	struct ib_uverbs_create_qp_resp qp;
	struct ib_uverbs_query_qp_resp query;
	struct ib_uverbs_query_srq_resp srq_query;
	struct ib_uverbs_destroy_qp_resp gone;
	struct ib_uverbs_create_ah_resp ah;
	struct ib_uverbs_create_flow_resp flow;
	char room[256];
} out;
static union {
	struct mlx5_ib_create_qp_resp qp;
	struct mlx5_ib_modify_qp_resp modify;
	struct mlx5_ib_create_ah_resp ah;
	uint32_t number;
} driver_out;

static inline void begin_legacy(uint32_t id, void *in, size_t size)
{
	memset(&out, 0, sizeof(out));
	memset(&driver_out, 0, sizeof(driver_out));
	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	add(UVERBS_ATTR_WRITE_CMD, id, 8);
	add_in(UVERBS_ATTR_CORE_IN, in, size);
	add_bytes(UVERBS_ATTR_CORE_OUT, &out, sizeof(out));
	add_bytes(UVERBS_ATTR_UHW_OUT, &driver_out, sizeof(driver_out));
}

static inline int legacy(uint32_t id, void *in, size_t size)
{
	begin_legacy(id, in, size);
	return give();
}

static inline int legacy_with(uint32_t id, void *in, size_t size, void *driver,
			      size_t length)
{
	begin_legacy(id, in, size);
	add_in(UVERBS_ATTR_UHW_IN, driver, length);
	return give();
}

#define LEGACY(id, in) legacy(IB_USER_VERBS_CMD_##id, &(in), sizeof(in))
#define LEGACY_WITH(id, in, driver)                                            \
	legacy_with(IB_USER_VERBS_CMD_##id, &(in), sizeof(in), &(driver),      \
		    sizeof(driver))

static inline int get_context(void)
{
	static char answer[72];
	uint32_t asked[8] = {16, 4, 0, 0, 1};

	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	add_bytes(UVERBS_ATTR_UHW_IN, asked, sizeof(asked));
	add_bytes(UVERBS_ATTR_UHW_OUT, answer, sizeof(answer));
	return give();
}

static inline int get_events(void)
{
	begin(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	add(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	return give() ? -1 : (int)command.hdr.attrs[0].data_s64;
}

static inline uint32_t pd(void)
{
	struct ib_uverbs_alloc_pd in = {0};

	LEGACY(ALLOC_PD, in);
	return out.pd.pd_handle;
}

static inline int end_pd(uint32_t handle)
{
	struct ib_uverbs_dealloc_pd in = {.pd_handle = handle};

	return LEGACY(DEALLOC_PD, in);
}

static inline struct mlx5_ib_create_cq cq_driver(void)
{
	return (struct mlx5_ib_create_cq){
		.buf_addr = AT(0),
		.db_addr = AT(60) + 8,
		.cqe_size = 64,
		.flags = MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX};
}

static inline int cq_by(uint32_t cqe, uint32_t vector, int channel,
			struct mlx5_ib_create_cq driver)
{
	struct ib_uverbs_create_cq in = {.cqe = cqe,
					 .comp_vector = vector,
					 .comp_channel = channel,
					 .user_handle = 0xc0};

	return LEGACY_WITH(CREATE_CQ, in, driver);
}

static inline uint32_t cq(void)
{
	cq_by(15, 0, -1, cq_driver());
	return out.cq.cq_handle;
}

static inline int end_cq(uint32_t handle)
{
	struct ib_uverbs_destroy_cq in = {.cq_handle = handle};

	return LEGACY(DESTROY_CQ, in);
}

static inline struct mlx5_ib_create_qp qp_driver(uint32_t flags)
{
	return (struct mlx5_ib_create_qp){.buf_addr = AT(16),
					  .db_addr = AT(60),
					  .sq_wqe_count = 16,
					  .rq_wqe_count = 8,
					  .rq_wqe_shift = 5,
					  .flags = MLX5_QP_FLAG_UAR_PAGE_INDEX |
						   flags};
}

/* What tests vary of a queue pair. */
struct qp_request {
	uint32_t pd, cq;
	uint8_t type;
	uint32_t recv_wr, recv_sge;
	bool is_srq;
	uint32_t srq;
};

static inline struct qp_request qp_request(uint32_t of_pd, uint32_t of_cq,
					   uint8_t type)
{
	return (struct qp_request){of_pd, of_cq, type, 8, 2, false, 0};
}

static inline int qp_by(struct qp_request r, struct mlx5_ib_create_qp driver)
{
	struct ib_uverbs_create_qp in = {.user_handle = 0x99,
					 .pd_handle = r.pd,
					 .send_cq_handle = r.cq,
					 .recv_cq_handle = r.cq,
					 .max_send_wr = 8,
					 .max_recv_wr = r.recv_wr,
					 .max_send_sge = 1,
					 .max_recv_sge = r.recv_sge,
					 .qp_type = r.type,
					 .is_srq = r.is_srq,
					 .srq_handle = r.srq};

	return LEGACY_WITH(CREATE_QP, in, driver);
}

static inline int end_qp(uint32_t handle)
{
	struct ib_uverbs_destroy_qp in = {.qp_handle = handle};

	return LEGACY(DESTROY_QP, in);
}

static inline int modify(uint32_t handle, uint32_t mask, enum ibv_qp_state to)
{
	struct ib_uverbs_modify_qp in = {.qp_handle = handle,
					 .attr_mask = mask | IBV_QP_STATE,
					 .qp_state = (uint8_t)to,
					 .cur_qp_state = IBV_QPS_RESET,
					 .port_num = 1,
					 .path_mtu = IBV_MTU_1024,
					 .en_sqd_async_notify = 1,
					 .dest = {.port_num = 1, .dlid = 1}};

	return LEGACY(MODIFY_QP, in);
}

static inline int reg(uint32_t of_pd, uint64_t start, uint64_t length,
		      uint32_t access)
{
	struct ib_uverbs_reg_mr in = {.start = start,
				      .length = length,
				      .hca_va = start,
				      .pd_handle = of_pd,
				      .access_flags = access};

	return LEGACY(REG_MR, in);
}

static inline int srq_by(uint32_t of_pd, uint32_t max_wr, uint32_t max_sge)
{
	struct ib_uverbs_create_srq in = {
		.pd_handle = of_pd, .max_wr = max_wr, .max_sge = max_sge};
	struct mlx5_ib_create_srq driver = {.buf_addr = AT(24),
					    .db_addr = AT(60)};

	return LEGACY_WITH(CREATE_SRQ, in, driver);
}

static inline bool begin_device_of(const char *path)
{
	char err[256];

	if (virtual_load(path, &device, err, sizeof(err)) ||
	    virtual_start(&device))
		return false;
	virtual_file_open(&file, &device);
	return !get_context();
}

static inline bool begin_device(void)
{
	return begin_device_of(IBVET_SOURCE_DIR
			       "/vendor-mlx5/devices/connectx-5.dev");
}

#endif

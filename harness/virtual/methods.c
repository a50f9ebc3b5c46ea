// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Methods of objects that have attributes of their own. One that ends an
 * object names it first, and then what it answers.
 */
#include "virtual/object.h"

#define DESTROYS(name_, object_)                                               \
	.name = name_, .object = UVERBS_OBJECT_##object_,                      \
	.id = UVERBS_METHOD_##object_##_DESTROY, .run = object_end
#define HANDLE(name_, object_)                                                 \
	OBJ_ATTR(name_, UVERBS_ATTR_DESTROY_##object_##_HANDLE,                \
		 UVERBS_OBJECT_##object_)
#define CQ(name)  UVERBS_ATTR_CREATE_CQ_##name
#define SRQ(name) UVERBS_ATTR_CREATE_SRQ_##name
#define QP(name)  UVERBS_ATTR_CREATE_QP_##name

const struct method object_methods[] = {
	{.name = "create_qp",
	 .object = UVERBS_OBJECT_QP,
	 .id = UVERBS_METHOD_QP_CREATE,
	 .run = qp_create,
	 .udata = true,
	 .attrs = {ATTR("qp", QP(HANDLE), NEW, 0),
		   MAY_OBJ_ATTR("xrcd", QP(XRCD_HANDLE), UVERBS_OBJECT_XRCD,
				OBJ),
		   MAY_OBJ_ATTR("pd", QP(PD_HANDLE), UVERBS_OBJECT_PD, OBJ),
		   MAY_OBJ_ATTR("srq", QP(SRQ_HANDLE), UVERBS_OBJECT_SRQ, OBJ),
		   MAY_OBJ_ATTR("send_cq", QP(SEND_CQ_HANDLE), UVERBS_OBJECT_CQ,
				OBJ),
		   MAY_OBJ_ATTR("recv_cq", QP(RECV_CQ_HANDLE), UVERBS_OBJECT_CQ,
				OBJ),
		   MAY_OBJ_ATTR("ind_table", QP(IND_TABLE_HANDLE),
				UVERBS_OBJECT_RWQ_IND_TBL, OBJ),
		   ATTR("user", QP(USER_HANDLE), IN, 8),
		   STRUCT_ATTR("cap", QP(CAP), IN, struct ib_uverbs_qp_cap,
			       max_inline_data),
		   ATTR("type", QP(TYPE), IN, 8),
		   MAY_ATTR("flags", QP(FLAGS), IN, 4, 8),
		   MAY_ATTR("source_qpn", QP(SOURCE_QPN), IN, 4, 4),
		   MAY_OBJ_ATTR("events", QP(EVENT_FD),
				UVERBS_OBJECT_ASYNC_EVENT, FD),
		   STRUCT_ATTR("cap", QP(RESP_CAP), OUT,
			       struct ib_uverbs_qp_cap, max_inline_data),
		   ATTR("qpn", QP(RESP_QP_NUM), OUT, 4)}},
	{.name = "create_cq",
	 .object = UVERBS_OBJECT_CQ,
	 .id = UVERBS_METHOD_CQ_CREATE,
	 .run = cq_create,
	 .udata = true,
	 .attrs = {ATTR("cq", CQ(HANDLE), NEW, 0), ATTR("cqe", CQ(CQE), IN, 4),
		   ATTR("user", CQ(USER_HANDLE), IN, 8),
		   MAY_OBJ_ATTR("channel", CQ(COMP_CHANNEL),
				UVERBS_OBJECT_COMP_CHANNEL, FD),
		   ATTR("comp_vector", CQ(COMP_VECTOR), IN, 4),
		   MAY_ATTR("flags", CQ(FLAGS), IN, 4, 8),
		   ATTR("cqe", CQ(RESP_CQE), OUT, 4),
		   MAY_OBJ_ATTR("events", CQ(EVENT_FD),
				UVERBS_OBJECT_ASYNC_EVENT, FD)}},
	{.name = "create_srq",
	 .object = UVERBS_OBJECT_SRQ,
	 .id = UVERBS_METHOD_SRQ_CREATE,
	 .run = srq_create,
	 .udata = true,
	 .attrs = {ATTR("srq", SRQ(HANDLE), NEW, 0),
		   OBJ_ATTR("pd", SRQ(PD_HANDLE), UVERBS_OBJECT_PD),
		   ATTR("type", SRQ(TYPE), IN, 8),
		   ATTR("user", SRQ(USER_HANDLE), IN, 8),
		   ATTR("max_wr", SRQ(MAX_WR), IN, 4),
		   ATTR("max_sge", SRQ(MAX_SGE), IN, 4),
		   ATTR("limit", SRQ(LIMIT), IN, 4),
		   MAY_OBJ_ATTR("xrcd", SRQ(XRCD_HANDLE), UVERBS_OBJECT_XRCD,
				OBJ),
		   MAY_OBJ_ATTR("cq", SRQ(CQ_HANDLE), UVERBS_OBJECT_CQ, OBJ),
		   MAY_ATTR("max_num_tags", SRQ(MAX_NUM_TAGS), IN, 4, 4),
		   MAY_OBJ_ATTR("events", SRQ(EVENT_FD),
				UVERBS_OBJECT_ASYNC_EVENT, FD),
		   ATTR("max_wr", SRQ(RESP_MAX_WR), OUT, 4),
		   ATTR("max_sge", SRQ(RESP_MAX_SGE), OUT, 4),
		   MAY_ATTR("srqn", SRQ(RESP_SRQ_NUM), OUT, 4, 4)}},
	{DESTROYS("destroy_qp", QP),
	 .attrs = {HANDLE("qp", QP),
		   ATTR("events", UVERBS_ATTR_DESTROY_QP_RESP, OUT,
			sizeof(struct ib_uverbs_destroy_qp_resp))}},
	{DESTROYS("destroy_cq", CQ),
	 .attrs = {HANDLE("cq", CQ),
		   ATTR("events", UVERBS_ATTR_DESTROY_CQ_RESP, OUT,
			sizeof(struct ib_uverbs_destroy_cq_resp))}},
	{DESTROYS("destroy_srq", SRQ),
	 .attrs = {HANDLE("srq", SRQ),
		   ATTR("events", UVERBS_ATTR_DESTROY_SRQ_RESP, OUT,
			sizeof(struct ib_uverbs_destroy_srq_resp))}},
	{DESTROYS("dealloc_pd", PD), .attrs = {HANDLE("pd", PD)}},
	{DESTROYS("dereg_mr", MR), .attrs = {HANDLE("mr", MR)}},
	{DESTROYS("dealloc_mw", MW), .attrs = {HANDLE("mw", MW)}},
	{DESTROYS("destroy_ah", AH), .attrs = {HANDLE("ah", AH)}},
	{DESTROYS("close_xrcd", XRCD), .attrs = {HANDLE("xrcd", XRCD)}},
};

const unsigned int nobject_methods =
	sizeof(object_methods) / sizeof(object_methods[0]);

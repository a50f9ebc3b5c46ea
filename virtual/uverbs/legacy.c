// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The legacy commands: commands of the old write() interface, which libibverbs
 * sends by the method INVOKE_WRITE. Checks their sizes and calls their
 * functions.
 */
#include <errno.h>
#include "virtual/uverbs/object.h"

struct legacy_method {
	const char *name;
	uint32_t id; /* IB_USER_VERBS_… */
	int (*run)(struct command *c);
	/* Smallest request and response, and the size of the request's
	 * structure. A longer request must end with zeros. */
	size_t request, response, known;
};

/* A command without a response, and a command with one */
#define WRITE_I(name, id, in)                                                  \
	{                                                                      \
#name, IB_USER_VERBS_CMD_##id, name, sizeof(struct in), 0,     \
			sizeof(struct in)                                      \
	}
#define WRITE_IO(name, id, in, out)                                            \
	{                                                                      \
#name, IB_USER_VERBS_CMD_##id, name, sizeof(struct in),        \
			sizeof(struct out), sizeof(struct in)                  \
	}
/* An extended command, whose structures end at the earliest after a member */
#define WRITE_EX(name, id, in, in_last, out, out_last)                         \
	{                                                                      \
#name,                                                         \
			IB_USER_VERBS_EX_CMD_##id |                            \
				IB_USER_VERBS_CMD_FLAG_EXTENDED,               \
			name, UP_TO(struct in, in_last),                       \
			UP_TO(struct out, out_last), sizeof(struct in)         \
	}
/* An extended command with a list after its structure */
#define WRITE_LIST(name, id, in, in_last, out, out_last)                       \
	{                                                                      \
#name,                                                         \
			IB_USER_VERBS_EX_CMD_##id |                            \
				IB_USER_VERBS_CMD_FLAG_EXTENDED,               \
			name, UP_TO(struct in, in_last),                       \
			UP_TO(struct out, out_last), SIZE_MAX                  \
	}

static const struct legacy_method methods[] = {
	{"query_device", IB_USER_VERBS_CMD_QUERY_DEVICE, query_device, 0,
	 sizeof(struct ib_uverbs_query_device_resp),
	 sizeof(struct ib_uverbs_query_device)},
	WRITE_EX(ex_query_device, QUERY_DEVICE, ib_uverbs_ex_query_device,
		 reserved, ib_uverbs_ex_query_device_resp, response_length),
	WRITE_IO(alloc_pd, ALLOC_PD, ib_uverbs_alloc_pd,
		 ib_uverbs_alloc_pd_resp),
	WRITE_I(dealloc_pd, DEALLOC_PD, ib_uverbs_dealloc_pd),
	WRITE_IO(open_xrcd, OPEN_XRCD, ib_uverbs_open_xrcd,
		 ib_uverbs_open_xrcd_resp),
	WRITE_I(close_xrcd, CLOSE_XRCD, ib_uverbs_close_xrcd),
	WRITE_IO(create_ah, CREATE_AH, ib_uverbs_create_ah,
		 ib_uverbs_create_ah_resp),
	WRITE_I(destroy_ah, DESTROY_AH, ib_uverbs_destroy_ah),
	WRITE_IO(reg_mr, REG_MR, ib_uverbs_reg_mr, ib_uverbs_reg_mr_resp),
	WRITE_IO(rereg_mr, REREG_MR, ib_uverbs_rereg_mr,
		 ib_uverbs_rereg_mr_resp),
	WRITE_I(dereg_mr, DEREG_MR, ib_uverbs_dereg_mr),
	WRITE_IO(alloc_mw, ALLOC_MW, ib_uverbs_alloc_mw,
		 ib_uverbs_alloc_mw_resp),
	WRITE_I(dealloc_mw, DEALLOC_MW, ib_uverbs_dealloc_mw),
	WRITE_IO(create_comp_channel, CREATE_COMP_CHANNEL,
		 ib_uverbs_create_comp_channel,
		 ib_uverbs_create_comp_channel_resp),
	WRITE_IO(create_cq, CREATE_CQ, ib_uverbs_create_cq,
		 ib_uverbs_create_cq_resp),
	WRITE_EX(ex_create_cq, CREATE_CQ, ib_uverbs_ex_create_cq, reserved,
		 ib_uverbs_ex_create_cq_resp, response_length),
	WRITE_IO(resize_cq, RESIZE_CQ, ib_uverbs_resize_cq,
		 ib_uverbs_resize_cq_resp),
	{"ex_modify_cq",
	 IB_USER_VERBS_EX_CMD_MODIFY_CQ | IB_USER_VERBS_CMD_FLAG_EXTENDED,
	 ex_modify_cq, UP_TO(struct ib_uverbs_ex_modify_cq, reserved), 0,
	 sizeof(struct ib_uverbs_ex_modify_cq)},
	WRITE_IO(destroy_cq, DESTROY_CQ, ib_uverbs_destroy_cq,
		 ib_uverbs_destroy_cq_resp),
	WRITE_IO(create_srq, CREATE_SRQ, ib_uverbs_create_srq,
		 ib_uverbs_create_srq_resp),
	WRITE_IO(create_xsrq, CREATE_XSRQ, ib_uverbs_create_xsrq,
		 ib_uverbs_create_srq_resp),
	WRITE_I(modify_srq, MODIFY_SRQ, ib_uverbs_modify_srq),
	WRITE_IO(query_srq, QUERY_SRQ, ib_uverbs_query_srq,
		 ib_uverbs_query_srq_resp),
	WRITE_IO(destroy_srq, DESTROY_SRQ, ib_uverbs_destroy_srq,
		 ib_uverbs_destroy_srq_resp),
	{"ex_modify_wq",
	 IB_USER_VERBS_EX_CMD_MODIFY_WQ | IB_USER_VERBS_CMD_FLAG_EXTENDED,
	 ex_modify_wq, UP_TO(struct ib_uverbs_ex_modify_wq, curr_wq_state), 0,
	 sizeof(struct ib_uverbs_ex_modify_wq)},
	WRITE_LIST(ex_create_rwq_ind_table, CREATE_RWQ_IND_TBL,
		   ib_uverbs_ex_create_rwq_ind_table, log_ind_tbl_size,
		   ib_uverbs_ex_create_rwq_ind_table_resp, ind_tbl_num),
	WRITE_LIST(ex_create_flow, CREATE_FLOW, ib_uverbs_create_flow,
		   flow_attr, ib_uverbs_create_flow_resp, flow_handle),
	{"ex_destroy_flow",
	 IB_USER_VERBS_EX_CMD_DESTROY_FLOW | IB_USER_VERBS_CMD_FLAG_EXTENDED,
	 ex_destroy_flow, UP_TO(struct ib_uverbs_destroy_flow, flow_handle), 0,
	 sizeof(struct ib_uverbs_destroy_flow)},
	WRITE_IO(create_qp, CREATE_QP, ib_uverbs_create_qp,
		 ib_uverbs_create_qp_resp),
	WRITE_EX(ex_create_qp, CREATE_QP, ib_uverbs_ex_create_qp, comp_mask,
		 ib_uverbs_ex_create_qp_resp, response_length),
	WRITE_IO(open_qp, OPEN_QP, ib_uverbs_open_qp, ib_uverbs_create_qp_resp),
	WRITE_I(modify_qp, MODIFY_QP, ib_uverbs_modify_qp),
	WRITE_EX(ex_modify_qp, MODIFY_QP, ib_uverbs_ex_modify_qp, base,
		 ib_uverbs_ex_modify_qp_resp, response_length),
	WRITE_IO(query_qp, QUERY_QP, ib_uverbs_query_qp,
		 ib_uverbs_query_qp_resp),
	WRITE_IO(destroy_qp, DESTROY_QP, ib_uverbs_destroy_qp,
		 ib_uverbs_destroy_qp_resp),
	WRITE_I(attach_mcast, ATTACH_MCAST, ib_uverbs_attach_mcast),
	WRITE_I(detach_mcast, DETACH_MCAST, ib_uverbs_detach_mcast),
};

static const struct legacy_method *find(uint64_t id)
{
	for (size_t i = 0; i < COUNT(methods); i++)
		if (methods[i].id == id)
			return &methods[i];
	return NULL;
}

const char *legacy_name(uint32_t id)
{
	const struct legacy_method *m = find(id);

	return m ? m->name : NULL;
}

bool legacy_sizes(uint32_t id, size_t *request, size_t *response)
{
	const struct legacy_method *m = find(id);

	*request = m ? m->request : 0;
	*response = m ? m->response : 0;
	return m != NULL;
}

int run_legacy(struct command *c)
{
	const struct ib_uverbs_attr *in = command_attr(c, UVERBS_ATTR_CORE_IN);
	const struct legacy_method *m =
		find(command_number(c, UVERBS_ATTR_WRITE_CMD));

	if (!m)
		return -EOPNOTSUPP;
	if (command_room(c, UVERBS_ATTR_CORE_IN) < m->request ||
	    command_room(c, UVERBS_ATTR_CORE_OUT) < m->response)
		return -ENOSPC;
	if (!c->file->has_context)
		return -EINVAL;
	if (in && command_has_unknown(in, m->known))
		return -EOPNOTSUPP;
	return m->run(c);
}

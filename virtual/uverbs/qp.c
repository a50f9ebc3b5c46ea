// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands that make queue pairs (a method and two legacy commands), and that
 * open shared XRC queue pairs.
 */
#include <errno.h>
#include <linux/capability.h>
#include "virtual/uverbs/object.h"

#define FLAG_SIG_ALL IB_UVERBS_QP_CREATE_SQ_SIG_ALL
#define FLAGS_KNOWN                                                            \
	(IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK |                        \
	 IB_UVERBS_QP_CREATE_SCATTER_FCS |                                     \
	 IB_UVERBS_QP_CREATE_CVLAN_STRIPPING |                                 \
	 IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING | FLAG_SIG_ALL)
/* Flags of legacy commands that have no names in user space (cross-channel) */
#define LEGACY_CROSS_CHANNEL (1u << 2 | 1u << 3 | 1u << 4)
#define LEGACY_FLAGS_KNOWN                                                     \
	((FLAGS_KNOWN & ~(uint32_t)FLAG_SIG_ALL) | LEGACY_CROSS_CHANNEL |      \
	 IBV_QP_CREATE_SOURCE_QPN)
#define LEGACY_MASK_KNOWN IB_UVERBS_CREATE_QP_MASK_IND_TABLE

static bool is_type(uint64_t type)
{
	switch (type) {
	case IB_UVERBS_QPT_RC:
	case IB_UVERBS_QPT_UC:
	case IB_UVERBS_QPT_UD:
	case IB_UVERBS_QPT_RAW_PACKET:
	case IB_UVERBS_QPT_XRC_INI:
	case IB_UVERBS_QPT_XRC_TGT:
	case IB_UVERBS_QPT_DRIVER:
		return true;
	default:
		return false;
	}
}

static struct qp_init_args no_parents(void)
{
	return (struct qp_init_args){.pd = NO_OBJ,
				     .send_cq = NO_OBJ,
				     .recv_cq = NO_OBJ,
				     .srq = NO_OBJ,
				     .xrcd = NO_OBJ,
				     .rwq_ind_tbl = NO_OBJ};
}

static int make_qp(struct command *c, const struct qp_init_args *in,
		   struct making *w, uint64_t user_handle, int events_to)
{
	making_init(w, UVERBS_OBJECT_QP, V_create_qp_ex, NO_OBJ);
	w->user_handle = user_handle;
	w->events_to = events_to;
	w->b.in.qp_init = *in;
	w->b.in.qp_init.comp_mask = in->xrcd == NO_OBJ ? IBV_QP_INIT_ATTR_PD
						       : IBV_QP_INIT_ATTR_XRCD;
	if (in->rwq_ind_tbl != NO_OBJ)
		w->b.in.qp_init.comp_mask |= IBV_QP_INIT_ATTR_IND_TABLE;
	if (in->create_flags)
		w->b.in.qp_init.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	return object_make(c, w);
}

/* Returns the capabilities of a new queue pair: as requested, except for the
 * fields that the model's answer defines. */
static struct ib_uverbs_qp_cap granted(const struct making *w)
{
	struct qp_init_args is = w->b.in.qp_init;

	for (unsigned int i = 0; i < family_count(FAM_QP_INIT); i++) {
		enum field f = (enum field)(family_first(FAM_QP_INIT) + i);

		if (bits_has(&w->a.defined, i))
			field_set(f, &is,
				  field_get(f, &w->a.outcome.out.qp_init));
	}
	return (struct ib_uverbs_qp_cap){.max_send_wr = is.cap.max_send_wr,
					 .max_recv_wr = is.cap.max_recv_wr,
					 .max_send_sge = is.cap.max_send_sge,
					 .max_recv_sge = is.cap.max_recv_sge,
					 .max_inline_data =
						 is.cap.max_inline_data};
}

static uint32_t qp_number(const struct command *c, const struct making *w)
{
	struct qp_init_args init;
	struct ibv_qp_attr attr;

	model_qp_attributes(core_model(c->device), w->object->slot, &attr,
			    &init);
	return init.qp_num;
}

/* Returns true if the caller may not create a queue pair of the type. */
static bool lacks_right(uint64_t type)
{
	return type == IB_UVERBS_QPT_RAW_PACKET &&
	       !command_is_capable(CAP_NET_RAW);
}

static bool has_attr(const struct command *c, uint16_t attr)
{
	return command_attr(c, attr) != NULL;
}

/* Checks the attributes of a queue pair that receives by an indirection table:
 * it has no receive queue of its own, and needs a completion queue for sends
 * only if it has a send queue. */
static int check_table(const struct command *c)
{
	struct ib_uverbs_qp_cap cap;

	command_get(c, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	if (!has_attr(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE))
		return -ENOENT;
	if (cap.max_recv_wr || cap.max_recv_sge ||
	    has_attr(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE) ||
	    has_attr(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE))
		return -EINVAL;
	if (cap.max_send_wr &&
	    !has_attr(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE))
		return -ENOENT;
	return 0;
}

/* Checks which objects are given. An XRC target needs an XRC domain and no
 * other object but an SRQ; other types need a protection domain, and completion
 * queues, and no XRC domain. */
static int check_parents(const struct command *c, uint64_t type)
{
	bool target = type == IB_UVERBS_QPT_XRC_TGT;
	bool pd = has_attr(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	bool send = has_attr(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	bool recv = has_attr(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	bool xrcd = has_attr(c, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	bool srq = has_attr(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	bool table = has_attr(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);

	if (target && (pd || send || recv || table))
		return -EINVAL;
	if (target)
		return xrcd ? 0 : -ENOENT;
	if (xrcd || (srq && type == IB_UVERBS_QPT_XRC_INI))
		return -EINVAL;
	if (table)
		return check_table(c);
	if (!pd || !send || (!recv && type != IB_UVERBS_QPT_XRC_INI))
		return -ENOENT;
	return 0;
}

static int check_flags(uint64_t type, uint64_t flags)
{
	uint64_t raw = IB_UVERBS_QP_CREATE_SCATTER_FCS |
		       IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;

	if (flags & ~(uint64_t)FLAGS_KNOWN)
		return -EINVAL;
	flags &= ~(uint64_t)FLAG_SIG_ALL;
	if (!flags || type == IB_UVERBS_QPT_DRIVER ||
	    type == IB_UVERBS_QPT_RAW_PACKET)
		return 0;
	return type == IB_UVERBS_QPT_UD && !(flags & raw) ? 0 : -EINVAL;
}

static bool srq_fits(const struct command *c, uint16_t srq, uint64_t type)
{
	bool xrc = srq != NO_OBJ &&
		   model_srq_type(core_model(c->device), srq) == IBV_SRQT_XRC;

	return srq == NO_OBJ || xrc == (type == IB_UVERBS_QPT_XRC_TGT);
}

static void get_request(const struct command *c, struct qp_init_args *in)
{
	uint64_t flags = command_number(c, UVERBS_ATTR_CREATE_QP_FLAGS);
	struct ib_uverbs_qp_cap cap;

	command_get(c, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	*in = no_parents();
	in->cap = (struct ibv_qp_cap){cap.max_send_wr, cap.max_recv_wr,
				      cap.max_send_sge, cap.max_recv_sge,
				      cap.max_inline_data};
	in->qp_type = (uint32_t)command_number(c, UVERBS_ATTR_CREATE_QP_TYPE);
	in->sq_sig_all = (flags & FLAG_SIG_ALL) != 0;
	in->create_flags = (uint32_t)(flags & ~(uint64_t)FLAG_SIG_ALL);
	if (command_attr(c, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		in->create_flags |= IBV_QP_CREATE_SOURCE_QPN;
	in->source_qpn =
		(uint32_t)command_number(c, UVERBS_ATTR_CREATE_QP_SOURCE_QPN);
	in->pd = attr_slot(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	in->send_cq = attr_slot(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	in->recv_cq = attr_slot(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	in->srq = attr_slot(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	in->xrcd = attr_slot(c, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	in->rwq_ind_tbl = attr_slot(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);
}

int qp_create(struct command *c)
{
	uint64_t type = command_number(c, UVERBS_ATTR_CREATE_QP_TYPE);
	struct ib_uverbs_qp_cap cap;
	struct qp_init_args in;
	struct making w;
	uint32_t qpn;
	int err;

	if (!is_type(type))
		return -EINVAL;
	if (lacks_right(type))
		return -EPERM;
	err = check_parents(c, type);
	if (!err)
		err = check_flags(
			type, command_number(c, UVERBS_ATTR_CREATE_QP_FLAGS));
	if (err)
		return err;
	get_request(c, &in);
	if (!srq_fits(c, in.srq, type))
		return -EINVAL;
	err = make_qp(c, &in, &w,
		      command_number(c, UVERBS_ATTR_CREATE_QP_USER_HANDLE),
		      events_of(c, UVERBS_ATTR_CREATE_QP_EVENT_FD));
	if (err)
		return err;
	cap = granted(&w);
	qpn = qp_number(c, &w);
	command_attr(c, UVERBS_ATTR_CREATE_QP_HANDLE)->data = w.handle;
	command_put_struct(c, UVERBS_ATTR_CREATE_QP_RESP_CAP, &cap,
			   sizeof(cap));
	command_put(c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qpn, sizeof(qpn));
	return 0;
}

static int find_srq(const struct command *c,
		    const struct ib_uverbs_ex_create_qp *asked, uint16_t *srq)
{
	int err;

	if (!asked->is_srq)
		return 0;
	err = object_slot(c->file, UVERBS_OBJECT_SRQ, asked->srq_handle, srq);
	if (err)
		return err;
	return srq_fits(c, *srq, asked->qp_type) ? 0 : -EINVAL;
}

static int find_table(const struct command *c,
		      const struct ib_uverbs_ex_create_qp *asked,
		      struct qp_init_args *in)
{
	int err = object_slot(c->file, UVERBS_OBJECT_RWQ_IND_TBL,
			      asked->rwq_ind_tbl_handle, &in->rwq_ind_tbl);

	if (!err &&
	    (asked->max_recv_wr || asked->max_recv_sge || asked->is_srq))
		err = -EINVAL;
	return err;
}

/* Finds the objects of a legacy command. For an XRC target, pd_handle is the
 * handle of an XRC domain. */
static int find_parents(const struct command *c,
			const struct ib_uverbs_ex_create_qp *asked,
			struct qp_init_args *in)
{
	bool table = asked->comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE;
	bool receives = !table && asked->qp_type != IB_UVERBS_QPT_XRC_INI;
	int err = 0;

	if (!table && asked->qp_type == IB_UVERBS_QPT_XRC_TGT)
		return object_slot(c->file, UVERBS_OBJECT_XRCD,
				   asked->pd_handle, &in->xrcd)
			       ? -EINVAL
			       : 0;
	if (table)
		err = find_table(c, asked, in);
	if (receives)
		err = find_srq(c, asked, &in->srq);
	if (!err && receives)
		err = object_slot(c->file, UVERBS_OBJECT_CQ,
				  asked->recv_cq_handle, &in->recv_cq);
	if (!err && (!table || asked->max_send_wr))
		err = object_slot(c->file, UVERBS_OBJECT_CQ,
				  asked->send_cq_handle, &in->send_cq);
	if (!err)
		err = object_slot(c->file, UVERBS_OBJECT_PD, asked->pd_handle,
				  &in->pd);
	return err;
}

static int make_legacy(struct command *c,
		       const struct ib_uverbs_ex_create_qp *asked,
		       struct ib_uverbs_create_qp_resp *r)
{
	struct qp_init_args in = no_parents();
	struct ib_uverbs_qp_cap cap;
	struct making w;
	int err;

	if (lacks_right(asked->qp_type))
		return -EPERM;
	if (!is_type(asked->qp_type))
		return -EINVAL;
	in.cap = (struct ibv_qp_cap){asked->max_send_wr, asked->max_recv_wr,
				     asked->max_send_sge, asked->max_recv_sge,
				     asked->max_inline_data};
	in.qp_type = asked->qp_type;
	in.sq_sig_all = asked->sq_sig_all;
	in.create_flags = asked->create_flags;
	in.source_qpn = asked->source_qpn;
	err = find_parents(c, asked, &in);
	if (!err && asked->create_flags & ~(uint32_t)LEGACY_FLAGS_KNOWN)
		err = -EINVAL;
	if (!err)
		err = make_qp(c, &in, &w, asked->user_handle,
			      c->file->default_async);
	if (err)
		return err;
	cap = granted(&w);
	*r = (struct ib_uverbs_create_qp_resp){.qp_handle = w.handle,
					       .qpn = qp_number(c, &w),
					       .max_send_wr = cap.max_send_wr,
					       .max_recv_wr = cap.max_recv_wr,
					       .max_send_sge = cap.max_send_sge,
					       .max_recv_sge = cap.max_recv_sge,
					       .max_inline_data =
						       cap.max_inline_data};
	return 0;
}

int create_qp(struct command *c)
{
	struct ib_uverbs_create_qp_resp r;
	struct ib_uverbs_create_qp asked;
	struct ib_uverbs_ex_create_qp in;
	int err;

	legacy_get(c, &asked);
	in = (struct ib_uverbs_ex_create_qp){
		.user_handle = asked.user_handle,
		.pd_handle = asked.pd_handle,
		.send_cq_handle = asked.send_cq_handle,
		.recv_cq_handle = asked.recv_cq_handle,
		.srq_handle = asked.srq_handle,
		.max_send_wr = asked.max_send_wr,
		.max_recv_wr = asked.max_recv_wr,
		.max_send_sge = asked.max_send_sge,
		.max_recv_sge = asked.max_recv_sge,
		.max_inline_data = asked.max_inline_data,
		.sq_sig_all = asked.sq_sig_all,
		.qp_type = asked.qp_type,
		.is_srq = asked.is_srq};
	err = make_legacy(c, &in, &r);
	return err ? err : legacy_answer(c, &r, sizeof(r));
}

int ex_create_qp(struct command *c)
{
	struct ib_uverbs_ex_create_qp_resp r = {0};
	struct ib_uverbs_ex_create_qp asked;
	int err;

	legacy_get(c, &asked);
	if (asked.comp_mask & ~(uint32_t)LEGACY_MASK_KNOWN || asked.reserved)
		return -EINVAL;
	err = make_legacy(c, &asked, &r.base);
	if (err)
		return err;
	r.response_length = command_length(c, UVERBS_ATTR_CORE_OUT, sizeof(r));
	return legacy_answer(c, &r, sizeof(r));
}

int open_qp(struct command *c)
{
	struct ib_uverbs_create_qp_resp r = {0};
	struct ib_uverbs_open_qp asked;
	struct making w;
	uint16_t xrcd;
	int err;

	legacy_get(c, &asked);
	if (object_slot(c->file, UVERBS_OBJECT_XRCD, asked.pd_handle, &xrcd))
		return -EINVAL;
	making_init(&w, UVERBS_OBJECT_QP, V_open_qp, NO_OBJ);
	w.user_handle = asked.user_handle;
	w.events_to = c->file->default_async;
	w.b.in.open_qp =
		(struct open_qp_args){.comp_mask = IBV_QP_OPEN_ATTR_NUM |
						   IBV_QP_OPEN_ATTR_XRCD |
						   IBV_QP_OPEN_ATTR_TYPE,
				      .qp_num = asked.qpn,
				      .qp_type = asked.qp_type,
				      .xrcd = xrcd};
	err = object_make(c, &w);
	if (err)
		return err;
	r.qp_handle = w.handle;
	r.qpn = asked.qpn;
	return legacy_answer(c, &r, sizeof(r));
}

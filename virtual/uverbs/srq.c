// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands of shared receive queues.
 */
#include <errno.h>
#include "virtual/nic/nic.h"

/* The request for an SRQ, of a legacy command or of the method. */
struct request {
	uint64_t user_handle;
	uint32_t type;
	struct ibv_srq_attr attr;
	uint32_t max_num_tags;
	uint16_t pd, xrcd, cq;
	int events_to;
};

static bool has_cq(uint32_t type)
{
	return type == IBV_SRQT_XRC || type == IBV_SRQT_TM;
}

static int make_srq(struct command *c, const struct request *in,
		    struct making *w)
{
	uint32_t mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;

	if (in->type > IBV_SRQT_TM)
		return -EOPNOTSUPP;
	if (has_cq(in->type))
		mask |= IBV_SRQ_INIT_ATTR_CQ;
	if (in->type == IBV_SRQT_XRC)
		mask |= IBV_SRQ_INIT_ATTR_XRCD;
	if (in->type == IBV_SRQT_TM)
		mask |= IBV_SRQ_INIT_ATTR_TM;
	making_init(w, UVERBS_OBJECT_SRQ, V_create_srq_ex, NO_OBJ);
	w->user_handle = in->user_handle;
	w->events_to = in->events_to;
	w->b.in.srq = (struct srq_args){.attr = in->attr,
					.srq_type = in->type,
					.comp_mask = mask,
					.pd = in->pd,
					.xrcd = in->xrcd,
					.cq = in->cq,
					/* the library counts operations */
					.tm_cap = {in->max_num_tags, 1}};
	return object_make(c, w);
}

static int find_more(const struct command *c,
		     const struct ib_uverbs_create_xsrq *asked,
		     struct request *in)
{
	if (asked->srq_type == IBV_SRQT_TM)
		in->max_num_tags = asked->max_num_tags;
	if (asked->srq_type == IBV_SRQT_XRC &&
	    object_slot(c->file, UVERBS_OBJECT_XRCD, asked->xrcd_handle,
			&in->xrcd))
		return -EINVAL;
	if (!has_cq(asked->srq_type))
		return 0;
	return object_slot(c->file, UVERBS_OBJECT_CQ, asked->cq_handle,
			   &in->cq);
}

static int make_legacy(struct command *c,
		       const struct ib_uverbs_create_xsrq *asked)
{
	struct request in = {.user_handle = asked->user_handle,
			     .type = asked->srq_type,
			     .attr = {asked->max_wr, asked->max_sge,
				      asked->srq_limit},
			     .xrcd = NO_OBJ,
			     .cq = NO_OBJ,
			     .events_to = c->file->default_async};
	struct ib_uverbs_create_srq_resp r = {0};
	struct making w;
	int err;

	err = find_more(c, asked, &in);
	if (!err)
		err = object_slot(c->file, UVERBS_OBJECT_PD, asked->pd_handle,
				  &in.pd);
	if (!err)
		err = make_srq(c, &in, &w);
	if (err)
		return err;
	r.srq_handle = w.handle;
	r.max_wr = w.a.outcome.out.srq.attr.max_wr;
	r.max_sge = w.a.outcome.out.srq.attr.max_sge;
	if (in.type == IBV_SRQT_XRC)
		r.srqn = w.a.outcome.out.srq.srq_num;
	return legacy_answer(c, &r, sizeof(r));
}

int create_srq(struct command *c)
{
	struct ib_uverbs_create_srq asked;
	struct ib_uverbs_create_xsrq in;

	legacy_get(c, &asked);
	in = (struct ib_uverbs_create_xsrq){.user_handle = asked.user_handle,
					    .srq_type = IBV_SRQT_BASIC,
					    .pd_handle = asked.pd_handle,
					    .max_wr = asked.max_wr,
					    .max_sge = asked.max_sge,
					    .srq_limit = asked.srq_limit};
	return make_legacy(c, &in);
}

int create_xsrq(struct command *c)
{
	struct ib_uverbs_create_xsrq asked;

	legacy_get(c, &asked);
	return make_legacy(c, &asked);
}

static void answer(struct command *c, const struct making *w)
{
	const struct srq_args *out = &w->a.outcome.out.srq;

	command_attr(c, UVERBS_ATTR_CREATE_SRQ_HANDLE)->data = w->handle;
	command_put(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &out->attr.max_wr,
		    sizeof(out->attr.max_wr));
	command_put(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &out->attr.max_sge,
		    sizeof(out->attr.max_sge));
	if (w->b.in.srq.srq_type == IBV_SRQT_XRC)
		command_put(c, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM,
			    &out->srq_num, sizeof(out->srq_num));
}

#define NUMBER(name)                                                           \
	((uint32_t)command_number(c, UVERBS_ATTR_CREATE_SRQ_##name))

int srq_create(struct command *c)
{
	uint64_t type = command_number(c, UVERBS_ATTR_CREATE_SRQ_TYPE);
	struct request in = {
		.user_handle =
			command_number(c, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE),
		.type = (uint32_t)type,
		.attr = {NUMBER(MAX_WR), NUMBER(MAX_SGE), NUMBER(LIMIT)},
		.max_num_tags = NUMBER(MAX_NUM_TAGS),
		.pd = attr_slot(c, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE),
		.xrcd = attr_slot(c, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE),
		.cq = attr_slot(c, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE),
		.events_to = events_of(c, UVERBS_ATTR_CREATE_SRQ_EVENT_FD),
	};
	struct making w;
	int err;

	if (type > IBV_SRQT_TM)
		return -EINVAL;
	if (type != IBV_SRQT_BASIC && in.cq == NO_OBJ)
		return -ENOENT;
	if (type == IBV_SRQT_XRC && in.xrcd == NO_OBJ)
		return -ENOENT;
	if (type == IBV_SRQT_TM &&
	    !command_attr(c, UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS))
		return -ENOENT;
	err = make_srq(c, &in, &w);
	if (!err)
		answer(c, &w);
	return err;
}

int modify_srq(struct command *c)
{
	struct bound b = {.verb = V_modify_srq, .result = NO_OBJ};
	struct ib_uverbs_modify_srq asked;
	struct answer a;
	int err;

	legacy_get(c, &asked);
	err = object_slot(c->file, UVERBS_OBJECT_SRQ, asked.srq_handle, &b.on);
	if (!err && c->device->driver->modify_srq)
		err = c->device->driver->modify_srq(c, asked.attr_mask);
	if (err)
		return err;
	b.in.srq_attr.mask = asked.attr_mask;
	b.in.srq_attr.attr.max_wr = asked.max_wr;
	b.in.srq_attr.attr.srq_limit = asked.srq_limit;
	err = core_call(c->device, &b, &a);
	if (!err)
		core_send_events(c->device);
	return err;
}

int query_srq(struct command *c)
{
	struct bound b = {.verb = V_query_srq, .result = NO_OBJ};
	struct ib_uverbs_query_srq_resp r = {0};
	struct ib_uverbs_query_srq asked;
	struct answer a;
	int err;

	legacy_get(c, &asked);
	err = object_call(c, UVERBS_OBJECT_SRQ, asked.srq_handle, &b, &a);
	if (err)
		return err;
	r.max_wr = a.outcome.out.srq_attr.attr.max_wr;
	r.max_sge = a.outcome.out.srq_attr.attr.max_sge;
	r.srq_limit = a.outcome.out.srq_attr.attr.srq_limit;
	return legacy_answer(c, &r, sizeof(r));
}

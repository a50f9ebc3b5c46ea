// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands of completion channels and completion queues.
 */
#include <errno.h>
#include "virtual/uverbs/object.h"

#define FLAGS_KNOWN                                                            \
	(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |                             \
	 IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)

/* A completion channel has a descriptor and no handle. */
int create_comp_channel(struct command *c)
{
	struct ib_uverbs_create_comp_channel_resp r = {0};
	struct bound b = {.verb = V_create_comp_channel,
			  .on = c->device->context};
	struct answer a;
	int err, fd;

	b.result = core_take_slot(c->device, c->file, 0);
	if (b.result == NO_OBJ)
		return -ENOMEM;
	err = core_call(c->device, &b, &a);
	if (err) {
		core_free_slot(c->device, b.result);
		return err;
	}
	fd = events_open(c->file, UVERBS_OBJECT_COMP_CHANNEL, b.result);
	if (fd < 0) {
		b = (struct bound){.verb = V_destroy_comp_channel,
				   .on = b.result,
				   .result = NO_OBJ};
		core_call_uncounted(c->device, &b, &a);
		core_free_slot(c->device, b.on);
		return fd;
	}
	r.fd = (uint32_t)fd;
	return legacy_answer(c, &r, sizeof(r));
}

static int make_cq(struct command *c, const struct ib_uverbs_ex_create_cq *in,
		   struct making *w, int events_to)
{
	bool ignore = in->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	int err;

	if (in->comp_vector >= c->device->info.limit[LIM_num_comp_vectors])
		return -EINVAL;
	making_init(w, UVERBS_OBJECT_CQ, ignore ? V_create_cq_ex : V_create_cq,
		    NO_OBJ);
	w->user_handle = in->user_handle;
	w->events_to = events_to;
	w->b.in.cq.cqe = (int32_t)in->cqe;
	w->b.in.cq.comp_vector = (int32_t)in->comp_vector;
	w->b.in.cq.comp_mask = ignore ? IBV_CQ_INIT_ATTR_MASK_FLAGS : 0;
	w->b.in.cq.flags = ignore ? IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN : 0;
	w->b.in.cq.channel = NO_OBJ;
	if (in->comp_channel >= 0) {
		err = events_check(c->file, UVERBS_OBJECT_COMP_CHANNEL,
				   in->comp_channel);
		if (err)
			return err;
		w->b.in.cq.channel = events_slot(c->file, in->comp_channel);
		w->completions_to = in->comp_channel;
	}
	return object_make(c, w);
}

int create_cq(struct command *c)
{
	struct ib_uverbs_create_cq_resp r = {0};
	struct ib_uverbs_create_cq asked;
	struct ib_uverbs_ex_create_cq in;
	struct making w;
	int err;

	legacy_get(c, &asked);
	in = (struct ib_uverbs_ex_create_cq){.user_handle = asked.user_handle,
					     .cqe = asked.cqe,
					     .comp_vector = asked.comp_vector,
					     .comp_channel =
						     asked.comp_channel};
	err = make_cq(c, &in, &w, c->file->default_async);
	if (err)
		return err;
	r.cq_handle = w.handle;
	r.cqe = (uint32_t)w.a.outcome.out.cq.cqe;
	return legacy_answer(c, &r, sizeof(r));
}

int ex_create_cq(struct command *c)
{
	struct ib_uverbs_ex_create_cq_resp r = {0};
	struct ib_uverbs_ex_create_cq in;
	struct making w;
	int err;

	legacy_get(c, &in);
	if (in.comp_mask || in.reserved)
		return -EINVAL;
	if (in.flags & ~(uint32_t)FLAGS_KNOWN)
		return -EOPNOTSUPP;
	err = make_cq(c, &in, &w, c->file->default_async);
	if (err)
		return err;
	r.base.cq_handle = w.handle;
	r.base.cqe = (uint32_t)w.a.outcome.out.cq.cqe;
	r.response_length = command_length(c, UVERBS_ATTR_CORE_OUT, sizeof(r));
	return legacy_answer(c, &r, sizeof(r));
}

int cq_create(struct command *c)
{
	const struct ib_uverbs_attr *channel =
		command_attr(c, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	struct ib_uverbs_ex_create_cq in = {
		.user_handle =
			command_number(c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE),
		.cqe = (uint32_t)command_number(c, UVERBS_ATTR_CREATE_CQ_CQE),
		.comp_vector = (uint32_t)command_number(
			c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR),
		.comp_channel = channel ? (int32_t)channel->data_s64 : -1};
	uint64_t flags = command_number(c, UVERBS_ATTR_CREATE_CQ_FLAGS);
	struct making w;
	uint32_t cqe;
	int err = 0;

	if (flags & ~(uint64_t)FLAGS_KNOWN)
		err = core_refuses(c->device, ROW_COMMAND_FLAGS, EINVAL);
	if (err)
		return err;
	in.flags = (uint32_t)flags & FLAGS_KNOWN;
	err = make_cq(c, &in, &w, events_of(c, UVERBS_ATTR_CREATE_CQ_EVENT_FD));
	if (err)
		return err;
	command_attr(c, UVERBS_ATTR_CREATE_CQ_HANDLE)->data = w.handle;
	cqe = (uint32_t)w.a.outcome.out.cq.cqe;
	command_put(c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cqe, sizeof(cqe));
	return 0;
}

int resize_cq(struct command *c)
{
	const struct virtual_driver *driver = c->device->driver;
	struct bound b = {.verb = V_resize_cq, .result = NO_OBJ};
	struct ib_uverbs_resize_cq_resp r = {0};
	struct ib_uverbs_resize_cq asked;
	struct answer a;
	int err;

	legacy_get(c, &asked);
	err = object_slot(c->file, UVERBS_OBJECT_CQ, asked.cq_handle, &b.on);
	if (err)
		return err;
	b.in.cq.cqe = (int32_t)asked.cqe;
	if (!driver->resize_cq)
		return -EOPNOTSUPP;
	err = driver->resize_cq(c, &c->file->object[asked.cq_handle],
				&b.in.cq.cqe);
	if (!err)
		err = core_call(c->device, &b, &a);
	if (err)
		return err;
	driver->resized_cq(c, &c->file->object[asked.cq_handle]);
	r.cqe = (uint32_t)a.outcome.out.cq.cqe;
	return legacy_answer(c, &r, sizeof(r));
}

int ex_modify_cq(struct command *c)
{
	struct bound b = {.verb = V_modify_cq, .result = NO_OBJ};
	struct ib_uverbs_ex_modify_cq asked;
	struct answer a;
	int err = 0;

	legacy_get(c, &asked);
	if (!asked.attr_mask || asked.reserved)
		err = core_refuses(c->device, ROW_COMMAND_FIELD, EINVAL);
	else if (asked.attr_mask > IBV_CQ_ATTR_MODERATE)
		err = core_refuses(c->device, ROW_COMMAND_FIELD, EOPNOTSUPP);
	if (err)
		return err;
	err = object_slot(c->file, UVERBS_OBJECT_CQ, asked.cq_handle, &b.on);
	if (err)
		return err;
	b.in.cq_attr = (struct ibv_modify_cq_attr){
		.attr_mask = asked.attr_mask,
		.moderate = {.cq_count = asked.attr.cq_count,
			     .cq_period = asked.attr.cq_period},
	};
	return core_call(c->device, &b, &a);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Operations on the list of tags of an SRQ of a libibverbs device, and the
 * headers of messages to it.
 */
#include "program/repro/parts/tag.h"
#include "target/verbs/verbs_target.h"

/* Returns true if the list removes a tag by a handle that no tag of the SRQ can
 * have. libmlx5 looks nothing up: such a handle is an index behind the end of
 * its array. */
static bool goes_wild(const struct verbs_target *t, const struct bound *b)
{
	uint32_t tags = t->object[b->on].max_num_tags;

	return tags && ops_remove(&b->in.ops) && b->in.ops.handle >= tags;
}

void real_post_srq_ops(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	const struct ops_args *in = &b->in.ops;
	struct ops ops = {
		.recv_wr_id = in->recv_wr_id,
		.tag = in->tag,
		.mask = in->mask,
		.tag_step = in->tag_step,
		.buffer_step = in->buffer_step,
		.unexpected_cnt = in->unexpected_cnt,
		.handle = in->handle,
	};

	if (goes_wild(t, b)) {
		o->ret = EINVAL;
		o->err = ERRNO_POISON;
		o->out.posted.bad_wr = 0;
		return;
	}
	verbs_resolve_request(t, &in->wr, &ops.wr);
	RECORD_INT(o, post_ops(slot_ptr(t, b->on), &ops, &o->out.posted));
}

void real_write_tmh(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct tmh_args *in = &b->in.tmh;

	o->err = ERRNO_POISON;
	o->ret = write_tmh(slot_ptr(t, b->on), in->offset, in->opcode,
			   in->app_ctx, in->tag, slot_ptr(t, in->remote),
			   in->remote_offset + verbs_shift_of(t, in->remote),
			   in->length);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Regions of dma-bufs of a libibverbs device.
 */
#include "program/repro/parts/dmabuf.h"
#include "target/verbs/verbs_target.h"

void real_reg_dmabuf_mr(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	const struct dmabuf_args *in = &b->in.dmabuf;
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct verbs_object *object;
	struct ibv_mr *mr;
	void *at;

	RECORD_PTR(o, mr,
		   register_dmabuf(pd, in->fd, in->size, in->offset, in->length,
				   in->iova, in->access, &at));
	if (!mr && !at) {
		verbs_cannot_make(b, o, o->err);
		return;
	}
	object = slot_fill(t, b, mr);
	if (!object)
		return;
	object->shift = in->iova - (uintptr_t)mr->addr;
	object->memory = at;
	object->length = dmabuf_size(in->size);
	o->out.keys.lkey = mr->lkey;
	o->out.keys.rkey = mr->rkey;
	o->out.keys.top = 0 - in->iova;
}

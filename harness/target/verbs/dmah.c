// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * DMA handles of a libibverbs device, and ibv_reg_mr_ex.
 */
#include "program/repro/parts/dmah.h"
#include <string.h>
#include "target/verbs/verbs_target.h"

void real_alloc_dmah(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct dmah_attr attr = b->in.dmah;
	struct ibv_dmah *dmah;

	RECORD_PTR(o, dmah, alloc_dmah(context, &attr));
	o->in_changed = memcmp(&attr, &b->in.dmah, sizeof(attr)) != 0;
	slot_fill(t, b, dmah);
}

void real_dealloc_dmah(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	RECORD_INT(o, dealloc_dmah(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

/* Returns true if the call names no DMA handle, or one of the context. */
static bool is_at_home(const struct verbs_target *t, const struct bound *b)
{
	const struct mr_ex_args *in = &b->in.mr_ex;

	return !(in->comp_mask & MR_ATTR_DMAH) ||
	       (in->dmah != NO_OBJ && slot_ptr(t, in->dmah) &&
		t->object[in->dmah].ctx == t->object[b->on].ctx);
}

void real_reg_mr_ex(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct mr_ex_args *in = &b->in.mr_ex;
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct verbs_object *object;
	struct ibv_mr *mr;

	if (!is_at_home(t, b)) {
		o->ret = -1;
		o->err = EINVAL;
		return;
	}
	RECORD_PTR(o, mr,
		   reg_mr_ex(pd, in->length, in->access, in->iova,
			     in->comp_mask, slot_ptr(t, in->dmah)));
	object = slot_fill(t, b, mr);
	if (!object)
		return;
	if (in->comp_mask & MR_ATTR_IOVA)
		object->shift = in->iova - (uintptr_t)mr->addr;
	else if (in->access & IBV_ACCESS_ZERO_BASED)
		object->shift = 0 - (uintptr_t)mr->addr;
	object->memory = mr->addr;
	object->length = mapped_length(in->length);
	o->out.keys.lkey = mr->lkey;
	o->out.keys.rkey = mr->rkey;
	o->out.keys.top = 0 - (object->shift + (uintptr_t)mr->addr);
}

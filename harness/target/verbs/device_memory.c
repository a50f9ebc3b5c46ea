/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Device memory, its regions, and null regions of a libibverbs device: regions
 * without memory of the program.
 */
#include <string.h>
#include "program/repro/parts/memory.h"
#include "target/verbs/verbs_target.h"

static void report_keys(struct verbs_target *t, const struct bound *b,
			struct ibv_mr *mr, struct outcome *o)
{
	if (!slot_fill(t, b, mr))
		return;
	o->out.keys.lkey = mr->lkey;
	o->out.keys.rkey = mr->rkey;
}

void real_alloc_null_mr(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct ibv_mr *mr;

	RECORD_PTR(o, mr, ibv_alloc_null_mr(pd));
	report_keys(t, b, mr, o);
}

void real_alloc_dm(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	struct ibv_alloc_dm_attr attr = b->in.dm;
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_dm *dm;

	RECORD_PTR(o, dm, ibv_alloc_dm(context, &attr));
	o->in_changed = memcmp(&attr, &b->in.dm, sizeof(attr)) != 0;
	slot_fill(t, b, dm);
}

void real_free_dm(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	if (slot_import_holds(t, b->on)) {
		o->ret = EBUSY;
		return;
	}
	RECORD_INT(o, ibv_free_dm(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

/* The kernel would take memory of another context for some memory of the
 * context of the protection domain. */
void real_reg_dm_mr(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct dm_mr_args *in = &b->in.dm_mr;
	struct ibv_dm *dm = slot_ptr(t, in->dm);
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct ibv_mr *mr;

	o->ret = -1;
	o->err = EINVAL;
	if (!dm || dm->context != pd->context)
		return;
	RECORD_PTR(o, mr,
		   ibv_reg_dm_mr(pd, dm, in->offset, (size_t)in->length,
				 in->access));
	report_keys(t, b, mr, o);
}

void real_memcpy_to_dm(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	const struct memory_args *in = &b->in.memory;

	RECORD_INT(o, copy_to_dm(slot_ptr(t, b->on), in->pattern, in->offset,
				 in->length));
}

void real_memcpy_from_dm(struct verbs_target *t, const struct bound *b,
			 struct outcome *o)
{
	const struct memory_args *in = &b->in.memory;

	RECORD_INT(o, copy_from_dm(slot_ptr(t, b->on), in->offset, in->length,
				   &o->out.view));
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands that make and change memory regions, and make memory windows.
 */
#include <errno.h>
#include <stdlib.h>
#include "model/data/ring.h"
#include "virtual/uverbs/object.h"

#define PAGE_OFFSET   4095u
#define REMOTE_WRITES (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

int access_check(const struct virtual_device *d, uint32_t access)
{
	if (access & REMOTE_WRITES && !(access & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (access & ~VIRTUAL_ACCESS_KNOWN)
		return -EINVAL;
	return access & IBV_ACCESS_ON_DEMAND &&
			       !(d->info.limit[LIM_odp_general_caps] &
				 IBV_ODP_SUPPORT)
		       ? -EINVAL
		       : 0;
}

/* Checks the range of an on-demand region; its pages need not exist. A region
 * from 0 with the length SIZE_MAX is implicit: the whole address space. */
static int check_on_demand(const struct virtual_device *d,
			   const struct virtual_region *r)
{
	uint64_t end = r->start + r->length;

	if (!r->start && r->length == UINT64_MAX)
		return r->iova || !(d->info.limit[LIM_odp_general_caps] &
				    IBV_ODP_SUPPORT_IMPLICIT)
			       ? -EINVAL
			       : 0;
	if (end < r->start || end > UINT64_MAX - PAGE_OFFSET)
		return -EOVERFLOW;
	return r->length || r->start & PAGE_OFFSET ? 0 : -EINVAL;
}

static int check_memory(const struct virtual_device *d,
			const struct virtual_region *r)
{
	if (r->memory)
		return 0;
	if (r->access & IBV_ACCESS_ON_DEMAND)
		return check_on_demand(d, r);
	return pages_check(r->start, r->length, r->access & VIRTUAL_WRITABLE);
}

static void give_one_key(const struct command *c, struct making *w)
{
	uint32_t key =
		model_use_one_key(core_model(c->device), w->object->slot);

	w->a.outcome.out.keys.lkey = key;
	w->a.outcome.out.keys.rkey = key;
}

int region_make(struct command *c, const struct virtual_region *r,
		struct making *w)
{
	int err = check_memory(c->device, r);
	struct virtual_region *kept;

	if (err)
		return err;
	making_init(w, UVERBS_OBJECT_MR, V_reg_mr, r->pd);
	w->kept = kept = malloc(sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	*kept = *r;
	w->b.in.mr.length = r->length;
	w->b.in.mr.page_offset = (uint32_t)r->start;
	w->b.in.mr.access = r->access & ~(uint32_t)IBV_ACCESS_OPTIONAL_RANGE;
	err = object_make(c, w);
	if (!err && c->device->driver->one_key)
		give_one_key(c, w);
	return err;
}

int reg_mr(struct command *c)
{
	struct ib_uverbs_reg_mr_resp r = {0};
	struct ib_uverbs_reg_mr asked;
	struct virtual_region region;
	struct making w;
	int err;

	legacy_get(c, &asked);
	if ((asked.start ^ asked.hca_va) & PAGE_OFFSET)
		return -EINVAL;
	region = (struct virtual_region){.start = asked.start,
					 .length = asked.length,
					 .iova = asked.hca_va,
					 .access = asked.access_flags,
					 .pd = NO_OBJ};
	err = access_check(c->device, asked.access_flags);
	if (!err)
		err = object_slot(c->file, UVERBS_OBJECT_PD, asked.pd_handle,
				  &region.pd);
	if (!err)
		err = region_make(c, &region, &w);
	if (err)
		return err;
	r.mr_handle = w.handle;
	r.lkey = w.a.outcome.out.keys.lkey;
	r.rkey = w.a.outcome.out.keys.rkey;
	return legacy_answer(c, &r, sizeof(r));
}

static int check_change(const struct ib_uverbs_rereg_mr *asked)
{
	if (!asked->flags)
		return -EINVAL;
	if (asked->flags &
	    ~(uint32_t)(IBV_REREG_MR_CHANGE_TRANSLATION |
			IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS))
		return -EOPNOTSUPP;
	if (asked->flags & IBV_REREG_MR_CHANGE_TRANSLATION &&
	    (asked->start ^ asked->hca_va) & PAGE_OFFSET)
		return -EINVAL;
	return 0;
}

static int apply_change(const struct command *c,
			const struct ib_uverbs_rereg_mr *asked,
			struct virtual_region *r)
{
	int err = 0;

	if (r->memory || r->mapped)
		return -EINVAL;
	if (asked->flags & IBV_REREG_MR_CHANGE_ACCESS) {
		err = access_check(c->device, asked->access_flags);
		r->access = asked->access_flags;
	}
	if (!err && asked->flags & IBV_REREG_MR_CHANGE_PD)
		err = object_slot(c->file, UVERBS_OBJECT_PD, asked->pd_handle,
				  &r->pd);
	if (asked->flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		r->start = asked->start;
		r->length = asked->length;
		r->iova = asked->hca_va;
	}
	return err;
}

/* Changes a region, which keeps its keys. */
static int change_in_place(const struct command *c, uint32_t handle,
			   const struct virtual_region *changed)
{
	const struct virtual_object *o = &c->file->object[handle];
	struct virtual_region *region = o->kept;
	int err = check_memory(c->device, changed);

	if (err)
		return err;
	*region = *changed;
	model_change_region(
		core_model(c->device), o->slot, changed->pd, changed->length,
		changed->access & ~(uint32_t)IBV_ACCESS_OPTIONAL_RANGE);
	return 0;
}

/* Replaces a region by a new region with new keys. The handle stays. */
static int change_by_new(struct command *c, uint32_t handle,
			 const struct virtual_region *changed)
{
	struct making w;
	int err = region_make(c, changed, &w);

	return err ? err : object_replace(c->file, handle, w.handle);
}

int rereg_mr(struct command *c)
{
	struct ib_uverbs_rereg_mr_resp r = {0};
	struct ib_uverbs_rereg_mr asked;
	const struct virtual_object *o;
	struct virtual_region changed;
	int err, in_place;

	legacy_get(c, &asked);
	err = check_change(&asked);
	if (!err)
		err = object_check(c->file, UVERBS_OBJECT_MR, asked.mr_handle);
	if (err)
		return err;
	o = &c->file->object[asked.mr_handle];
	changed = *(const struct virtual_region *)o->kept;
	err = apply_change(c, &asked, &changed);
	if (err)
		return err;
	if (!c->device->driver->in_place)
		return -EOPNOTSUPP;
	in_place = c->device->driver->in_place(o->kept, &changed, asked.flags);
	if (in_place < 0)
		return in_place;
	err = in_place ? change_in_place(c, asked.mr_handle, &changed)
		       : change_by_new(c, asked.mr_handle, &changed);
	if (err)
		return err;
	model_keys(core_model(c->device), c->file->object[asked.mr_handle].slot,
		   &r.lkey, &r.rkey);
	return legacy_answer(c, &r, sizeof(r));
}

int alloc_mw(struct command *c)
{
	struct ib_uverbs_alloc_mw_resp r = {0};
	struct ib_uverbs_alloc_mw asked;
	struct making w;
	uint16_t pd;
	int err;

	legacy_get(c, &asked);
	err = object_slot(c->file, UVERBS_OBJECT_PD, asked.pd_handle, &pd);
	if (err)
		return err;
	making_init(&w, UVERBS_OBJECT_MW, V_alloc_mw, pd);
	w.b.in.mw.type = asked.mw_type;
	err = object_make(c, &w);
	if (err)
		return err;
	r.rkey = w.a.outcome.out.keys.rkey;
	r.mw_handle = w.handle;
	return legacy_answer(c, &r, sizeof(r));
}

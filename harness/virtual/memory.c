// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands of memory regions and memory windows.
 */
#include <errno.h>
#include <stdlib.h>
#include "virtual/object.h"

#define PAGE_OFFSET 4095u
#define WRITABLE                                                               \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                    \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)
#define REMOTE_WRITES (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)
#define ACCESS_KNOWN                                                           \
	((uint32_t)(REMOTE_WRITES | IBV_ACCESS_LOCAL_WRITE |                   \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND |              \
		    IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND |             \
		    IBV_ACCESS_HUGETLB | IBV_ACCESS_OPTIONAL_RANGE))

static int check_access(uint32_t access)
{
	if (access & REMOTE_WRITES && !(access & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (access & ~ACCESS_KNOWN)
		return -EINVAL;
	return access & IBV_ACCESS_ON_DEMAND ? -EOPNOTSUPP : 0;
}

static int make_region(struct command *c, const struct virtual_region *r,
		       struct making *w)
{
	int err = pages_check(r->start, r->length, r->access & WRITABLE);
	struct virtual_region *kept;

	if (err)
		return err;
	making_init(w, UVERBS_OBJECT_MR, V_reg_mr, r->pd);
	w->kept = kept = malloc(sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	*kept = *r;
	w->b.in.mr.length = r->length;
	w->b.in.mr.access = r->access & ~(uint32_t)IBV_ACCESS_OPTIONAL_RANGE;
	return object_make(c, w);
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
	err = check_access(asked.access_flags);
	if (!err)
		err = object_slot(c->file, UVERBS_OBJECT_PD, asked.pd_handle,
				  &region.pd);
	if (!err)
		err = make_region(c, &region, &w);
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

static int change(const struct command *c,
		  const struct ib_uverbs_rereg_mr *asked,
		  struct virtual_region *r)
{
	int err = 0;

	if (asked->flags & IBV_REREG_MR_CHANGE_ACCESS) {
		err = check_access(asked->access_flags);
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

/* A new region takes the place of the old one, with keys of its own. */
int rereg_mr(struct command *c)
{
	struct ib_uverbs_rereg_mr_resp r = {0};
	struct ib_uverbs_rereg_mr asked;
	struct virtual_region region;
	struct making w;
	int err;

	legacy_get(c, &asked);
	err = check_change(&asked);
	if (!err)
		err = object_check(c->file, UVERBS_OBJECT_MR, asked.mr_handle);
	if (err)
		return err;
	region =
		*(const struct virtual_region *)c->file->object[asked.mr_handle]
			 .kept;
	err = change(c, &asked, &region);
	if (!err)
		err = make_region(c, &region, &w);
	if (err)
		return err;
	err = object_replace(c->file, asked.mr_handle, w.handle);
	if (err)
		return err;
	r.lkey = w.a.outcome.out.keys.lkey;
	r.rkey = w.a.outcome.out.keys.rkey;
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

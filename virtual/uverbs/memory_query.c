// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queries of memory regions, and ibv_advise_mr(): prefetches pages of on-demand
 * regions.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include "model/data/ring.h"
#include "virtual/uverbs/object.h"

#define PAGE_END UINT64_C(4095)

int query_mr(struct command *c)
{
	const struct virtual_object *o =
		attr_object(c, UVERBS_ATTR_QUERY_MR_HANDLE);
	const struct virtual_region *r = o->kept;
	uint32_t lkey, rkey;

	model_keys(core_model(c->device), o->slot, &lkey, &rkey);
	command_put(c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &lkey, sizeof(lkey));
	command_put(c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &rkey, sizeof(rkey));
	command_put(c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &r->length,
		    sizeof(r->length));
	command_put(c, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &r->iova,
		    sizeof(r->iova));
	return 0;
}

/* Returns the on-demand region of a key, in any context of the device, or NULL.
 */
static const struct virtual_region *find_on_demand(const struct command *c,
						   uint16_t user, uint32_t key)
{
	bool from_zero;
	uint16_t mr = model_region_of_key(core_model(c->device), user, key,
					  false, &from_zero);
	const struct virtual_region *r =
		mr == NO_OBJ ? NULL : core_object(c->device, mr)->kept;

	return r && r->access & IBV_ACCESS_ON_DEMAND ? r : NULL;
}

static bool is_write(uint64_t advice)
{
	return advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
}

static int check_prefetch(const struct command *c, uint16_t pd, uint64_t advice,
			  const struct ib_uverbs_sge *sge,
			  const struct virtual_region **found)
{
	const struct virtual_region *r = find_on_demand(c, pd, sge->lkey);

	*found = r;
	if (!r)
		return -ENOENT;
	if (r->pd != pd)
		return -EPERM;
	return is_write(advice) && !(r->access & VIRTUAL_WRITABLE) ? -EPERM : 0;
}

/* Returns true if a range lies within a region, whose end is rounded up to a
 * whole page. */
static bool is_within(const struct virtual_region *r, uint64_t at,
		      uint64_t length)
{
	uint64_t end = (r->start + r->length + PAGE_END) & ~PAGE_END;

	if (r->length == UINT64_MAX)
		return true;
	return at >= r->start && at < end && length <= end - at;
}

/* Populates the pages of an element. Returns 0 or -errno. */
static int prefetch(const struct virtual_region *r, uint64_t advice,
		    const struct ib_uverbs_sge *sge)
{
	uint64_t at = r->start + (sge->addr - r->iova);

	if (sge->addr < r->iova || !is_within(r, at, sge->length))
		return -EFAULT;
	if (!sge->length ||
	    advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return 0;
	return pages_check(at, sge->length, is_write(advice));
}

/* Prefetches a list of elements. If the program waits (FLUSH), the first error
 * ends the prefetch. If not, only the check of all elements can fail. */
static int advise(const struct command *c, uint64_t advice, bool waits,
		  const struct ib_uverbs_sge *sge, size_t n)
{
	uint16_t pd = attr_slot(c, UVERBS_ATTR_ADVISE_MR_PD_HANDLE);
	const struct virtual_region *r;
	int err;

	for (size_t i = 0; i < n; i++) {
		err = check_prefetch(c, pd, advice, &sge[i], &r);
		if (!err && waits)
			err = prefetch(r, advice, &sge[i]);
		if (err)
			return err;
	}
	for (size_t i = 0; i < n && !waits; i++)
		if (!check_prefetch(c, pd, advice, &sge[i], &r))
			prefetch(r, advice, &sge[i]);
	return 0;
}

int advise_mr(struct command *c)
{
	uint64_t advice = command_number(c, UVERBS_ATTR_ADVISE_MR_ADVICE);
	uint64_t flags = command_number(c, UVERBS_ATTR_ADVISE_MR_FLAGS);
	const struct ib_uverbs_attr *list =
		command_attr(c, UVERBS_ATTR_ADVISE_MR_SGE_LIST);
	const struct ib_uverbs_sge *sge = (const void *)(uintptr_t)list->data;

	if (!(c->device->info.limit[LIM_odp_general_caps] & IBV_ODP_SUPPORT))
		return -EOPNOTSUPP;
	if (advice > UINT32_MAX ||
	    flags & ~(uint64_t)IB_UVERBS_ADVISE_MR_FLAG_FLUSH ||
	    list->len % sizeof(*sge))
		return -EINVAL;
	if (advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	return advise(c, advice, flags, sge, list->len / sizeof(*sge));
}

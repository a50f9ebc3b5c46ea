// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides whether mlx5_ib changes a region in place and keeps its keys, or
 * needs new keys.
 */
#include <errno.h>
#include "vendor-mlx5/virtual/device.h"

#define PAGE	  4096u
#define FEW_PAGES 4u /* the least room of a region */
#define CHANGEABLE                                                             \
	((uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |         \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |        \
		    IBV_ACCESS_RELAXED_ORDERING))

static bool is_on_demand(const struct virtual_region *r)
{
	return r->access & IBV_ACCESS_ON_DEMAND;
}

static bool is_of_all(const struct virtual_region *r)
{
	return is_on_demand(r) && r->length == UINT64_MAX;
}

static uint64_t pages_of(const struct virtual_region *r)
{
	uint64_t end = r->start + r->length;

	return (end + PAGE - 1) / PAGE - r->start / PAGE;
}

/* Returns true if the new pages fit; room for pages is a power of two. */
static bool fits(const struct virtual_region *is,
		 const struct virtual_region *will)
{
	uint32_t room = mlx5_round_up((uint32_t)pages_of(is));

	if (room < FEW_PAGES)
		room = FEW_PAGES;
	return pages_of(will) <= room;
}

int mlx5_in_place(const struct virtual_region *is, struct virtual_region *will,
		  uint32_t changes)
{
	bool same = !((is->access ^ will->access) & ~CHANGEABLE);
	bool moves = changes & IBV_REREG_MR_CHANGE_TRANSLATION;

	if (is_of_all(is) && !moves)
		return is_on_demand(will) ? 0 : -EOPNOTSUPP;
	if (moves)
		return !is_on_demand(is) && same && fits(is, will);
	if (!same && is_on_demand(is))
		return -EOPNOTSUPP;
	return same;
}

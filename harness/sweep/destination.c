// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides which masks are tried with a group's address, and which of them with
 * the peer's as well.
 */
#include <netinet/in.h>
#include "sweep/destination.h"

#define ONE_OF 512

/* 224.0.0.1, and ff02::1: all hosts of the link */
static const union ibv_gid ipv4_group = {{[10] = 0xff, 0xff, 224, 0, 0, 1}};
static const union ibv_gid ipv6_group = {{0xff, 0x02, [15] = 1}};

bool destination_is_looked_up(const struct device_info *d)
{
	return !device_iwarp(d) &&
	       device_port(d)->attr.link_layer == IBV_LINK_LAYER_ETHERNET;
}

bool destination_is_group(const struct sweep_map *m,
			  const struct map_cell *cell)
{
	return m->head->live && !cell->destination.matters &&
	       (cell->cell.sort == CELL_MASKS ||
		cell->cell.sort == CELL_LIES) &&
	       destination_is_looked_up(&m->head->info);
}

static void set_group(union ibv_gid *gid)
{
	*gid = IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)gid->raw)
		       ? ipv4_group
		       : ipv6_group;
}

void destination_set_group(struct qp_attr_args *in)
{
	set_group(&in->attr.ah_attr.grh.dgid);
	set_group(&in->attr.alt_ah_attr.grh.dgid);
}

bool destination_is_checked(const struct mask_order *order, uint32_t place)
{
	return place % ONE_OF == 0 || place < order_within(order, MASKS_NEAR);
}

/* Returns how many accepted masks are not tried with both addresses anyway. */
static uint32_t accepted_elsewhere(const struct mask_order *order,
				   const uint64_t *accepted)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < MASKS_NR / 64; w++)
		for (uint64_t left = accepted[w]; left; left &= left - 1) {
			uint32_t call =
				w * 64 + (uint32_t)__builtin_ctzll(left);

			n += !destination_is_checked(order,
						     order_place(order, call));
		}
	return n;
}

uint32_t destination_checked(const struct map_cell *cell,
			     const uint64_t *accepted)
{
	struct mask_order order = cell_order(&cell->cell);
	uint32_t near = order_within(&order, MASKS_NEAR), done = cell->done;
	uint32_t n = done < near ? done : near;

	if (done > near)
		n += (done - 1) / ONE_OF - (near - 1) / ONE_OF;
	return n + accepted_elsewhere(&order, accepted);
}

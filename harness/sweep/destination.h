/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The destination in the calls of masks. For the peer's address the kernel
 * looks up a neighbour before it judges the mask, on RoCE: twenty times the
 * cost of the call. For a group's address it looks up nothing. So masks are
 * tried with a group's address, and some of them again with the peer's.
 */
#ifndef IBVET_SWEEP_DESTINATION_H
#define IBVET_SWEEP_DESTINATION_H

#include "sweep/map.h"

/* Returns true if the kernel looks up the neighbour of a port of the device. */
bool destination_is_looked_up(const struct device_info *d);
/* Returns true if the calls of the cell are made with a group's address first.
 */
bool destination_is_group(const struct sweep_map *m,
			  const struct map_cell *cell);
/* Replaces the peer's address, in both paths, by a group's of the same family.
 */
void destination_set_group(struct qp_attr_args *in);
/* Returns true if the mask at a place is tried with both addresses, though it
 * is refused: those near the legal mask, and one in 512 of the others. */
bool destination_is_checked(const struct mask_order *order, uint32_t place);
/* Returns how many masks of the cell were tried with both addresses. */
uint32_t destination_checked(const struct map_cell *cell,
			     const uint64_t *accepted);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the generators about messages to groups share: the group, the address
 * that leads to it, and joining it.
 */
#ifndef IBVET_CASES_DATA_MULTICAST_H
#define IBVET_CASES_DATA_MULTICAST_H

#include "cases/post/post.h"

#define MCAST_QPN 0xffffff
#define MCAST_LID 0xc001

/* All nodes of the link: on Ethernet the network layer, which a queue pair
 * does not join by being attached, takes every host for a member of it. */
extern const union ibv_gid mcast_nodes;

enum claim mcast_traffic_claim(const struct gen *g);
/* Adds to the address in the making that it leads to a group: from the device
 * under test, or from the second one. */
void mcast_lead_to(struct gen *g, bool second, const union ibv_gid *gid);
/* V_attach_mcast or V_detach_mcast. */
void mcast_member(struct gen *g, enum verb verb, uint8_t qp,
		  const union ibv_gid *gid);
/* Adds to a send that it goes to all members. */
void mcast_put_receivers(struct gen *g);

void gen_data_multicast_traffic(
	struct gen *g); /* parts of gen_create_multicast() */
void gen_data_multicast_bytes(struct gen *g);

#endif

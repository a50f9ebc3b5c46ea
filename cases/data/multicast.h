/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about messages to groups: the group, its address, and
 * membership.
 */
#ifndef IBVET_CASES_DATA_MULTICAST_H
#define IBVET_CASES_DATA_MULTICAST_H

#include "cases/post/post.h"

#define MCAST_QPN 0xffffff
#define MCAST_LID 0xc001

/* All nodes of the link. On Ethernet attaching does not join a group on the
 * network layer; every host is a member of this one. */
extern const union ibv_gid mcast_nodes;

enum claim mcast_traffic_claim(const struct gen *g);
/* Adds the address of a group to an address handle of the first or the second
 * device. */
void mcast_put_address(struct gen *g, bool second, const union ibv_gid *gid);
/* `verb` is V_attach_mcast or V_detach_mcast. */
void mcast_member(struct gen *g, enum verb verb, uint8_t qp,
		  const union ibv_gid *gid);
/* Sends the request to all members. */
void mcast_put_receivers(struct gen *g);
/* Begins a case about the traffic of a group: `p` has an address handle of the
 * group of all nodes. Returns false if the case is not wanted. */
bool mcast_traffic_case(struct gen *g, const char *name, enum row row,
			struct post *p);
/* Creates a queue pair in RTS with receives `wr_id` and `wr_id` + 1. */
uint8_t mcast_receiver(const struct post *p, uint64_t wr_id);
/* The same, attached to the group of all nodes. */
uint8_t mcast_new_member(const struct post *p, uint64_t wr_id);
/* Sends from p->a to the group of p->ah. */
void mcast_send(const struct post *p, uint64_t wr_id);
/* Sends two messages and counts the copies; one too many is seen as well. */
void mcast_count_copies(const struct post *p, unsigned int copies);
/* Make the sender, and a completion queue with room for POST_LOSABLE messages
 * to so many members; make a queue pair with a receive for each of these
 * messages and for `more`; and send them, of which some reach each member. */
void mcast_losable_sender(struct post *p, unsigned int members);
uint8_t mcast_losable_receiver(const struct post *p, uint64_t wr_id,
			       unsigned int more);
void mcast_send_losable(const struct post *p, unsigned int copies);
/* Joins a group by rdma_cm. */
void mcast_join(struct gen *g, uint8_t qp, const union ibv_gid *gid,
		bool send_only);
/* Attaches a new queue pair to the group, joins the group by rdma_cm if that is
 * asked for, and sends so many messages that they are not all lost by chance.
 */
void mcast_some_arrive(struct post *p, const union ibv_gid *gid, bool join);

/* Parts of gen_create_multicast() */
void gen_data_multicast_traffic(struct gen *g);
void gen_data_multicast_groups(struct gen *g);
void gen_data_multicast_order(struct gen *g);
void gen_data_multicast_bytes(struct gen *g);
void gen_data_multicast_join(struct gen *g);

#endif

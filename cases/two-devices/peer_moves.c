// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The peer changes its GID: its queue pair is connected again, from another GID
 * of its port. The other end still has the address of before. Its messages, and
 * those from the new GID, may be dropped or arrive (ROW_PACKET_GID).
 */
#include "cases/two-devices/two_devices.h"

#define PATIENT 14 /* a timeout of about 67 ms: an answer may take long */

static const struct length small = {"1000", NULL, 1000};

/* Returns another GID of the second device's port: of the same type if there is
 * one, else the same address with another type; or NULL. */
static const struct gid_entry *other_gid(const struct device_info *d)
{
	const struct gid_entry *usual = device_gid(d->second);
	const struct port_info *port = device_port(d->second);
	const struct gid_entry *found = NULL;

	for (int i = 0; usual && i < port->ngids; i++) {
		const struct gid_entry *gid = &port->gid[i];

		if (gid == usual)
			continue;
		if (gids_share_network(usual, gid))
			return gid;
		if (!found && gids_are_alike(&usual->gid, &gid->gid))
			found = gid;
	}
	return found;
}

static void move(const struct pair *p, const struct gid_entry *to)
{
	struct pair moved = *p;

	gen_value(&moved.with, F_ah_sgid_index, NULL, to->index);
	gen_modify(p->g, p->side[1].qp, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET,
		   NULL);
	pair_bring_side(&moved, 1);
}

/* Both ends use the GID of before again, and carry messages. */
static void move_back(const struct pair *p, int from)
{
	for (int at = 0; at < 2; at++) {
		gen_modify(p->g, p->side[at].qp, A_STATE, IBV_QPS_RTS,
			   IBV_QPS_ERR, NULL);
		if (at != from)
			pair_poll_for(p, at, 1, POST_MAYBE);
		gen_modify(p->g, p->side[at].qp, A_STATE, IBV_QPS_ERR,
			   IBV_QPS_RESET, NULL);
	}
	pair_bring(p);
	pair_recv(p, !from, 300, &small);
	pair_send(p, from, IBV_WR_SEND, 3, &small);
	pair_poll(p, from, 1);
	pair_poll(p, !from, 1);
	pair_quiet(p);
	gen_query(p->g, p->side[1].qp);
	gen_done(p->g);
}

static void moved(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  int from)
{
	const struct gid_entry *to = other_gid(g->d);
	enum claim retries = post_reliable(kind) ? CLAIM_RETRIES : CLAIM_NONE;
	struct pair p;

	if (!to || !gen_id(g, "moved/%s/%s", from ? "from" : "to", op->slug) ||
	    !pair_says(g, kind, op, retries, ROW_PACKET_GID,
		       from ? "Messages from a peer that has changed its GID"
			    : "Messages to a peer that has changed its GID"))
		return;
	p = pair_stage(g, kind, &small);
	if (post_reliable(kind))
		post_retries(&p.with, PATIENT, 2);
	pair_fill(&p);
	pair_bring(&p);
	move(&p, to);
	pair_recv(&p, !from, 200, &small);
	pair_send(&p, from, op->value, 1, &small);
	pair_send(&p, from, op->value, 2, &small);
	pair_poll_for(&p, from, 2, PAIR_ENDS);
	pair_poll_for(&p, !from, 1, POST_MAYBE);
	pair_look(&p);
	gen_query(g, p.side[0].qp);
	gen_query(g, p.side[1].qp);
	move_back(&p, from);
}

void gen_two_devices_peer_moves(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (!g->global || !g->d->second || device_iwarp(g->d) ||
	    !post_carries(kind) || kind_addresses(kind))
		return;
	gen_prefix(g, "gone/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]) ||
		    (!gen_full(g) && op[i].value != IBV_WR_SEND &&
		     op[i].value != IBV_WR_RDMA_READ))
			continue;
		moved(g, kind, &op[i], 0);
		if (kind != QK_XRC_SEND)
			moved(g, kind, &op[i], 1);
	}
}

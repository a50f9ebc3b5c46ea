/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages from one GID of the port to another one of the same network: of the
 * same type, both IPv4 or both IPv6, both link-local or neither.
 */
#include "run/gen_post.h"

#define MOST_GIDS 4

/* To RTS, with an address from `own` to `other`. */
static void bring(const struct post *p, uint8_t qp, uint8_t peer,
		  const struct gid_entry *own, const struct gid_entry *other)
{
	static const int path[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR,
				   IBV_QPS_RTS};
	struct gen *g = p->g;
	struct gen_values v = {0};
	uint8_t self = g->qp;
	enum qp_kind kind = qp == p->b ? post_receiver(p->kind) : p->kind;

	post_values(g, &v);
	gen_value(&v, F_ah_is_global, NULL, 1);
	gen_value(&v, F_ah_sgid_index, NULL, own->index);
	g->qp = peer;
	for (int i = 0; i < 3; i++) {
		gen_modify(g, qp, gen_minimal(kind, path[i], path[i + 1]),
			   path[i], path[i + 1], &v);
		if (path[i + 1] == IBV_QPS_RTR && p->kind != QK_UD)
			prog_gid(g->p, F_ah_dgid, &other->gid);
	}
	g->qp = self;
}

/* The address handle of a datagram says both. */
static void address(struct post *p, const struct gid_entry *from,
		    const struct gid_entry *to)
{
	if (p->kind != QK_UD)
		return;
	p->ah = gen_ah(p->g, p->g->pd);
	prog_num(p->g->p, F_addr_is_global, 1);
	prog_num(p->g->p, F_addr_sgid_index, from->index);
	prog_gid(p->g->p, F_addr_dgid, &to->gid);
}

static void between(struct gen *g, enum qp_kind kind,
		    const struct gid_entry *from, const struct gid_entry *to)
{
	struct post p;

	if (!gen_id(g, "gids/%u-%u", from->index, to->index) ||
	    !gen_says(g, ROW_POLL_FIELDS,
		      device_iwarp(g->d)
			      ? CLAIM_VERBS_CONNECT
			      : post_claim(g, kind, IBV_QPS_RTS, NULL),
		      "%s from GID %u to GID %u: %s", qp_kind_name(kind),
		      from->index, to->index, rule(ROW_POLL_FIELDS)->text))
		return;
	p = post_pair(g, kind);
	address(&p, from, to);
	bring(&p, p.b, p.a, to, from);
	bring(&p, p.a, p.b, from, to);
	post_recv(&p, p.b, 200, 1);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_query(g, p.a);
	gen_query(g, p.b);
	gen_done(g);
}

void gen_post_gids(struct gen *g, enum qp_kind kind)
{
	const struct port_info *port = device_port(g->d);
	int n = port->ngids < MOST_GIDS ? port->ngids : MOST_GIDS;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			if (gids_share_network(&port->gid[i], &port->gid[k]))
				between(g, kind, &port->gid[i], &port->gid[k]);
}

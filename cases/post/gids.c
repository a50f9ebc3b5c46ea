/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages between GIDs of one port: of one network, of two networks, of
 * different scope; and from IPv4 to IPv6, which is refused.
 */
#include "cases/data/data.h"

#define MOST_GIDS 8

/* How two GIDs of a port are related. Between GIDs of different types no packet
 * is valid. */
enum relation {
	RELATION_SAME,
	RELATION_NETWORK, /* of the same kind, in one network or two */
	RELATION_SCOPE,	  /* one of them is link-local */
	RELATION_FAMILY,  /* IPv4 and IPv6 */
	RELATION_TYPE
};

static enum relation relation(const struct gen *g, const struct gid_entry *from,
			      const struct gid_entry *to)
{
	if (from == to)
		return RELATION_SAME;
	if (gids_share_network(from, to))
		return RELATION_NETWORK;
	if (g->global && from->type == to->type &&
	    gids_differ_in_family(from, &to->gid))
		return RELATION_FAMILY;
	if (from->type != to->type ||
	    gid_is_ipv4(&from->gid) != gid_is_ipv4(&to->gid))
		return RELATION_TYPE;
	return RELATION_SCOPE;
}

/* Creates an address handle from one GID to another. */
static uint8_t address(struct gen *g, const struct gid_entry *from,
		       const struct gid_entry *to)
{
	uint8_t ah = gen_ah(g, g->pd);

	prog_num(g->p, F_addr_is_global, 1);
	prog_num(g->p, F_addr_sgid_index, from->index);
	prog_gid(g->p, F_addr_dgid, &to->gid);
	return ah;
}

static bool says(struct gen *g, enum qp_kind kind, enum row row,
		 const struct gid_entry *from, const struct gid_entry *to)
{
	enum claim claim = device_iwarp(g->d)
				   ? CLAIM_VERBS_CONNECT
				   : post_claim(g, kind, IBV_QPS_RTS, NULL);

	return gen_id(g, "gids/%u-%u", from->index, to->index) &&
	       gen_says_rule(g, row, claim,
			     "A message on %s from GID %u to GID %u",
			     qp_kind_name(kind), from->index, to->index);
}

static const struct length small = {"", NULL, 100};

static struct data connected(struct gen *g, enum qp_kind kind,
			     const struct gid_entry *from,
			     const struct gid_entry *to)
{
	struct data d = data_stage(g, kind, &small);

	if (kind == QK_UD)
		d.p.ah = address(g, from, to);
	data_make_pair(&d);
	post_bring_by_gids(&d.p, d.p.b, d.p.a, to, from);
	post_bring_by_gids(&d.p, d.p.a, d.p.b, from, to);
	return d;
}

/* Makes an address handle from the received header. It leads back to `from`. */
static void look_back(const struct data *d)
{
	struct gen *g = d->p.g;
	uint8_t wc;

	data_recv(d, 199, &small);
	data_send(d, opcode_of(IBV_WR_SEND), 9, &small);
	prog_num(g->p, F_send_flags, 0);
	wc = post_poll_one(g, g->cq);
	gen_call(g, V_init_ah_from_wc, NO_OBJ);
	prog_obj(g->p, F_from_completion, wc);
	prog_obj(g->p, F_from_mr, d->into);
	prog_num(g->p, F_from_offset, DATA_AT);
	prog_sym(g->p, F_from_port_num, "port", 0);
}

static void between(struct gen *g, enum qp_kind kind,
		    const struct gid_entry *from, const struct gid_entry *to)
{
	struct data d;

	if (!says(g, kind, ROW_POLL_FIELDS, from, to))
		return;
	d = connected(g, kind, from, to);
	if (kind == QK_UD)
		look_back(&d);
	data_recv(&d, 200, &small);
	data_send(&d, opcode_of(IBV_WR_SEND), 1, &small);
	post_poll(&d.p, 2);
	data_look_all(&d);
	data_recv(&d, 201, &small);
	data_send(&d, opcode_of(IBV_WR_SEND_WITH_IMM), 2, &small);
	post_poll(&d.p, 2);
	post_poll(&d.p, 0);
	gen_query(g, d.p.a);
	gen_query(g, d.p.b);
	gen_done(g);
}

/* The address is refused, and one with equal GIDs accepted. */
static void refused_address(struct gen *g, enum qp_kind kind,
			    const struct gid_entry *from,
			    const struct gid_entry *to)
{
	uint32_t mask = gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR);
	struct gen_values v = {0};

	if (!says(g, kind, ROW_AV_FAMILY, from, to))
		return;
	gen_value(&v, F_ah_is_global, NULL, 1);
	gen_value(&v, F_ah_sgid_index, NULL, from->index);
	gen_fixture(g, kind, IBV_QPS_INIT);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, mask, IBV_QPS_INIT, IBV_QPS_RTR, &v);
	prog_gid(g->p, F_ah_dgid, &to->gid);
	gen_query(g, g->qp);
	gen_step(g, g->qp, IBV_QPS_INIT, IBV_QPS_RTR);
	gen_query(g, g->qp);
	gen_done(g);
}

static void refused_handle(struct gen *g, const struct gid_entry *from,
			   const struct gid_entry *to)
{
	if (!says(g, QK_UD, ROW_AH_FAMILY, from, to))
		return;
	gen_parents(g, QK_UD);
	address(g, from, to);
	gen_call(g, V_destroy_ah, address(g, from, from));
	gen_done(g);
}

static void relation_case(struct gen *g, enum qp_kind kind, enum relation is,
			  const struct gid_entry *from,
			  const struct gid_entry *to)
{
	if (is == RELATION_TYPE)
		return;
	if (is != RELATION_FAMILY)
		between(g, kind, from, to);
	else if (kind == QK_UD)
		refused_handle(g, from, to);
	else
		refused_address(g, kind, from, to);
}

/* The quick profile tests one pair of each relation. */
void gen_post_gids(struct gen *g, enum qp_kind kind)
{
	const struct port_info *port = device_port(g->d);
	int n = port->ngids < MOST_GIDS ? port->ngids : MOST_GIDS;
	bool seen[RELATION_TYPE + 1] = {false};

	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++) {
			enum relation is =
				relation(g, &port->gid[i], &port->gid[k]);

			if (gen_full(g) || !seen[is])
				relation_case(g, kind, is, &port->gid[i],
					      &port->gid[k]);
			seen[is] = true;
		}
}

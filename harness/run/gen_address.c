/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Addresses that need more than one field: destinations by GID, and ports
 * that contradict each other.
 */
#include "run/gen.h"

static const struct {
	const char *name;
	enum row row;
	union ibv_gid gid;
} destinations[] = {
	{"unknown", ROW_AV_UNREACHABLE, {{0x20, 0x01, 0x0d, 0xb8, [15] = 1}}},
	{"unknown-ipv4",
	 ROW_AV_UNREACHABLE,
	 {{[10] = 0xff, 0xff, 192, 0, 2, 77}}},
	{"link-local", ROW_AV_UNREACHABLE, {{0xfe, 0x80, [15] = 0x77}}},
};

static void destination(struct gen *g, enum qp_kind kind, size_t i)
{
	uint32_t mask = gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR);
	const struct field_bound hops = {NULL, 64};
	struct gen_values v = {0};
	enum row row = destinations[i].row;

	if (!gen_id(g, "destination/%s", destinations[i].name) ||
	    !gen_says(g, row, gen_claim(g, kind, IBV_QPS_INIT, IBV_QPS_RTR),
		      "%s INIT to RTR with a destination GID that is %s: %s",
		      qp_kind_name(kind), destinations[i].name,
		      rule(row)->text))
		return;
	v.at[v.n++] = (struct gen_value){F_ah_hop_limit, hops};
	gen_fixture(g, kind, IBV_QPS_INIT);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, mask, IBV_QPS_INIT, IBV_QPS_RTR, &v);
	prog_gid(g->p, F_ah_dgid, &destinations[i].gid);
	gen_query(g, g->qp);
	gen_done(g);
}

/* PORT and the port of AV in one call: they have to be the same. */
static void port_pair(struct gen *g, enum qp_kind kind)
{
	int64_t other = g->d->port_num == 1 ? 2 : 1;
	struct gen_values v = {0};
	enum claim claim = gen_claim(g, kind, IBV_QPS_SQD, IBV_QPS_SQD);

	if (!(gen_allowed(kind, IBV_QPS_SQD, IBV_QPS_SQD) & A_PORT))
		return;
	if (claim == CLAIM_NONE && !claim_holds(CLAIM_TWO_PORTS, g->d))
		claim = CLAIM_TWO_PORTS;
	if (!gen_id(g, "port-pair") ||
	    !gen_says(g, ROW_AV_PORT_PAIR, claim, "%s in SQD: %s",
		      qp_kind_name(kind), rule(ROW_AV_PORT_PAIR)->text))
		return;
	gen_value(&v, F_port_num, NULL, other);
	gen_fixture(g, kind, IBV_QPS_SQD);
	gen_probe(g, A_STATE | A_AV | A_PORT, IBV_QPS_SQD, IBV_QPS_SQD, &v,
		  ROW_AV_PORT_PAIR);
	gen_done(g);
}

void gen_addresses(struct gen *g, enum qp_kind kind)
{
	size_t n = sizeof(destinations) / sizeof(destinations[0]);

	if (!(gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR) & A_AV))
		return;
	gen_prefix(g, "modify/%s/address/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++)
		destination(g, kind, i);
	port_pair(g, kind);
}

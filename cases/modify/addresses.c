/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Addresses that need more than one field: destination GIDs, and ports that
 * contradict each other.
 */
#include "cases/generate/generate.h"

static const struct {
	const char *name;
	union ibv_gid gid;
} destinations[] = {
	{"unknown", {{0x20, 0x01, 0x0d, 0xb8, [15] = 1}}},
	{"unknown-ipv4", {{[10] = 0xff, 0xff, 192, 0, 2, 77}}},
	{"link-local", {{0xfe, 0x80, [15] = 0x77}}},
};

static enum row destination_row(const struct gen *g, size_t i)
{
	const struct gid_entry *own = device_gid(g->d);

	if (g->global && own &&
	    gids_differ_in_family(own, &destinations[i].gid))
		return ROW_AV_FAMILY;
	return ROW_AV_UNREACHABLE;
}

static void destination(struct gen *g, enum qp_kind kind, size_t i)
{
	uint32_t mask = gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR);
	const struct field_bound hops = {NULL, 64};
	struct gen_values v = {0};
	enum row row = destination_row(g, i);

	if (!gen_id(g, "destination/%s", destinations[i].name) ||
	    !gen_says_rule(g, row,
			   gen_claim(g, kind, IBV_QPS_INIT, IBV_QPS_RTR),
			   "%s INIT to RTR with a destination GID (%s)",
			   qp_kind_name(kind), destinations[i].name))
		return;
	v.at[v.n++] = (struct gen_value){F_ah_hop_limit, hops};
	gen_fixture(g, kind, IBV_QPS_INIT);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, mask, IBV_QPS_INIT, IBV_QPS_RTR, &v);
	prog_gid(g->p, F_ah_dgid, &destinations[i].gid);
	gen_query(g, g->qp);
	gen_done(g);
}

static int other_port(const struct gen *g)
{
	return g->d->port_num == 1 ? 2 : 1;
}

static enum claim two_ports_claim(const struct gen *g, enum qp_kind kind,
				  int from, int to)
{
	return gen_also(g, gen_claim(g, kind, from, to), CLAIM_TWO_PORTS);
}

/* PORT and the port of AV in one call must be equal. */
static void port_pair(struct gen *g, enum qp_kind kind)
{
	enum claim claim = two_ports_claim(g, kind, IBV_QPS_SQD, IBV_QPS_SQD);
	struct gen_values v = {0};

	if (!(gen_allowed(kind, IBV_QPS_SQD, IBV_QPS_SQD) & A_PORT))
		return;
	if (!gen_id(g, "port-pair") ||
	    !gen_says_rule(g, ROW_AV_PORT_PAIR, claim,
			   "%s in SQD with a PORT that contradicts the address",
			   qp_kind_name(kind)))
		return;
	gen_value(&v, F_port_num, NULL, other_port(g));
	gen_fixture(g, kind, IBV_QPS_SQD);
	gen_probe(g, A_STATE | A_AV | A_PORT, IBV_QPS_SQD, IBV_QPS_SQD, &v,
		  ROW_AV_PORT_PAIR);
	gen_done(g);
}

/* A valid address of the other port, which INIT did not name. */
static void other_address(struct gen *g, uint32_t mask)
{
	const struct port_info *port = &g->d->port[other_port(g) - 1];
	struct gen_values v = {0};

	gen_value(&v, F_ah_port_num, NULL, other_port(g));
	gen_value(&v, F_ah_dlid, NULL, port->attr.lid);
	if (port->ngids) {
		gen_value(&v, F_ah_is_global, NULL, 1);
		gen_value(&v, F_ah_sgid_index, NULL, port->gid[0].index);
	}
	gen_modify(g, g->qp, mask, IBV_QPS_INIT, IBV_QPS_RTR, &v);
	if (port->ngids)
		prog_gid(g->p, F_ah_dgid, &port->gid[0].gid);
}

static void port_of_init(struct gen *g, enum qp_kind kind)
{
	enum claim claim = two_ports_claim(g, kind, IBV_QPS_INIT, IBV_QPS_RTR);

	if (!gen_id(g, "av-port-other") ||
	    !gen_says_rule(g, ROW_AV_PORT_RTR, claim,
			   "%s INIT to RTR with an address of the other port",
			   qp_kind_name(kind)))
		return;
	gen_fixture(g, kind, IBV_QPS_INIT);
	gen_query(g, g->qp);
	other_address(g, gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR));
	gen_query(g, g->qp);
	gen_step(g, g->qp, IBV_QPS_INIT, IBV_QPS_RTR);
	gen_query(g, g->qp);
	gen_done(g);
}

/* Both ports of an alternate path are equal but do not exist. */
static void alt_port(struct gen *g, enum qp_kind kind, const char *name,
		     const struct field_bound *port)
{
	uint32_t mask = gen_minimal(kind, IBV_QPS_RTR, IBV_QPS_RTS);
	uint64_t num = field_bound(port, g->d);
	struct gen_values v = {0};

	mask |= A_ALT_PATH;
	if (num > field_max(F_alt_port_num) ||
	    !gen_id(g, "value/alt_port_num/%s-both", name) ||
	    !gen_says_rule(
		    g, ROW_ALT_PORT,
		    gen_claim_mask(g, kind, IBV_QPS_RTR, IBV_QPS_RTS, mask),
		    "%s RTR to RTS with both alternate port numbers %llu",
		    qp_kind_name(kind), (unsigned long long)num))
		return;
	gen_value(&v, F_alt_port_num, port->symbol, port->plus);
	gen_value(&v, F_alt_ah_port_num, port->symbol, port->plus);
	gen_fixture(g, kind, IBV_QPS_RTR);
	gen_probe(g, mask, IBV_QPS_RTR, IBV_QPS_RTS, &v, ROW_ALT_PORT);
	gen_done(g);
}

static void alt_ports(struct gen *g, enum qp_kind kind)
{
	static const struct field_bound zero = {NULL, 0}, past = {"ports", 1};

	if (!(gen_allowed(kind, IBV_QPS_RTR, IBV_QPS_RTS) & A_ALT_PATH))
		return;
	gen_modify_prefix(g, kind, IBV_QPS_RTR, IBV_QPS_RTS);
	alt_port(g, kind, "zero", &zero);
	alt_port(g, kind, "past", &past);
}

void gen_modify_addresses(struct gen *g, enum qp_kind kind)
{
	if (!(gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR) & A_AV))
		return;
	gen_prefix(g, "modify/%s/address/", qp_kind_slug(kind));
	for (size_t i = 0; i < COUNT(destinations); i++)
		destination(g, kind, i);
	port_pair(g, kind);
	gen_modify_prefix(g, kind, IBV_QPS_INIT, IBV_QPS_RTR);
	port_of_init(g, kind);
	alt_ports(g, kind);
}

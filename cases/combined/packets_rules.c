// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The rules of combined raw packets: which fields the first rule names, what it
 * does, and which packet differs from it. The second rule leads to another
 * receiver. Behind the first one it is for all packets of the address, before
 * the first one for those of a second sender.
 */
#include "cases/combined/packets.h"

#define VLAN	      5
#define PORT	      1234
#define SECOND_SENDER (FLOW_SOURCE_MAC + 1)

/* A field of a rule, and of packets. */
struct named {
	enum field value, mask, packet;
	uint64_t is, bits;
};

#define NAMED(field, of, is, bits)                                             \
	{                                                                      \
		F_flow_val_##field, F_flow_mask_##field, F_packet_##of, is,    \
			bits                                                   \
	}

/* The first rule, by the level of FIELDS: headers behind Ethernet and
 * fields. A packet differs in one field. IPv6 addresses are set apart. */
static const struct filter {
	uint32_t header[2], l3, l4;
	struct named named[3];
	enum field field;
	uint64_t differs;
} filters[] = {
	[BY_ETH] = {{0}, 0, 0, {{0}}, F_packet_eth_dst, GEN_MAC + 7},
	[BY_VLAN] = {{0},
		     0,
		     0,
		     {NAMED(eth_vlan, eth_vlan, VLAN, 0xffff)},
		     F_packet_eth_vlan,
		     VLAN + 1},
	[BY_IPV4] = {{IBV_FLOW_SPEC_IPV4},
		     0,
		     0,
		     {NAMED(ipv4_dst, ipv4_dst, FLOW_IPV4 + 1, UINT32_MAX)},
		     F_packet_ipv4_dst,
		     FLOW_IPV4 + 7},
	[BY_IPV6] = {{IBV_FLOW_SPEC_IPV6}, IBV_FLOW_SPEC_IPV6, 0, {{0}}, 0, 0},
	[BY_TCP] = {{IBV_FLOW_SPEC_IPV4, IBV_FLOW_SPEC_TCP},
		    0,
		    IBV_FLOW_SPEC_TCP,
		    {NAMED(l4_dst, l4_dst, PORT, 0xffff)},
		    F_packet_l4,
		    IBV_FLOW_SPEC_UDP},
	[BY_MANY] = {{IBV_FLOW_SPEC_IPV4, IBV_FLOW_SPEC_UDP},
		     0,
		     0,
		     {NAMED(eth_src, eth_src, FLOW_SOURCE_MAC,
			    UINT64_MAX >> 16),
		      NAMED(ipv4_dst, ipv4_dst, FLOW_IPV4 + 1, UINT32_MAX),
		      NAMED(l4_src, l4_src, PORT, 0xffff)},
		     F_packet_l4_src,
		     PORT + 1},
};

static const union ibv_gid ipv6 = {.raw = {0x20, 1, 13, 0xb8, [15] = 99}};
static const union ibv_gid other = {.raw = {0x20, 1, 13, 0xb8, [15] = 98}};
static const union ibv_gid all = {.raw = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0xff}};

static const struct filter *filter(const struct packets *t)
{
	return &filters[t->row[FIELDS]];
}

void packets_match(const struct packets *t, enum packets_fate fate)
{
	const struct filter *f = filter(t);
	struct program *p = t->g->p;

	if (f->l3) {
		prog_num(p, F_packet_l3, f->l3);
		prog_gid(p, F_packet_ipv6_dst,
			 fate == DIFFERS ? &other : &ipv6);
	}
	if (f->l4)
		prog_num(p, F_packet_l4, f->l4);
	if (packets_has(t, TAGGED, 1))
		prog_num(p, F_packet_eth_vlan, VLAN);
	for (unsigned int i = 0; i < COUNT(f->named) && f->named[i].bits; i++)
		prog_num(p, f->named[i].packet, f->named[i].is);
	if (fate == DIFFERS && f->field)
		prog_num(p, f->field, f->differs);
	if (fate == COMES_BEFORE)
		prog_num(p, F_packet_eth_src, SECOND_SENDER);
}

/* Adds a specification behind `n` others. Returns the number of all. */
static unsigned int put_spec(const struct packets *t, unsigned int n,
			     uint32_t spec)
{
	prog_num(t->g->p, (enum field)(F_flow_spec0 + n), spec);
	return n + 1;
}

static void put_action(const struct packets *t, unsigned int n)
{
	struct program *p = t->g->p;

	if (packets_has(t, ACTION, TAG)) {
		n = put_spec(t, n, IBV_FLOW_SPEC_ACTION_TAG);
		prog_num(p, F_flow_tag, 77);
	}
	if (packets_has(t, ACTION, DROP) || packets_has(t, ACTION, DROP_COUNT))
		n = put_spec(t, n, IBV_FLOW_SPEC_ACTION_DROP);
	if (packets_count(t)) {
		n = put_spec(t, n, IBV_FLOW_SPEC_ACTION_COUNT);
		prog_obj(p, F_flow_counters, t->counters);
	}
	prog_num(p, F_flow_specs, n);
}

/* Makes the first rule, for a queue pair. */
static void make_first(struct packets *t, uint8_t qp)
{
	const struct filter *f = filter(t);
	struct program *p = t->g->p;
	unsigned int n = 1;

	t->rule = gen_flow(t->g, qp, packets_mac(t));
	if (packets_has(t, OVERLAP, BEFORE))
		prog_num(p, F_flow_priority, 1);
	for (unsigned int i = 0; i < COUNT(f->header) && f->header[i]; i++)
		n = put_spec(t, n, f->header[i]);
	for (unsigned int i = 0; i < COUNT(f->named) && f->named[i].bits; i++) {
		prog_num(p, f->named[i].value, f->named[i].is);
		prog_num(p, f->named[i].mask, f->named[i].bits);
	}
	if (f->l3) {
		prog_gid(p, F_flow_val_ipv6_dst, &ipv6);
		prog_gid(p, F_flow_mask_ipv6_dst, &all);
	}
	put_action(t, n);
}

static void make_other(struct packets *t)
{
	struct gen *g = t->g;

	if (packets_has(t, OVERLAP, NO_OVERLAP))
		return;
	if (packets_has(t, COUNTED, TWO_RULES))
		t->other = flow_counting_rule(g, t->other_qp, packets_mac(t),
					      t->counters);
	else
		t->other = gen_flow(g, t->other_qp, packets_mac(t));
	if (packets_has(t, OVERLAP, BEHIND)) {
		prog_num(g->p, F_flow_priority, 1);
		return;
	}
	prog_num(g->p, F_flow_val_eth_src, SECOND_SENDER);
	prog_num(g->p, F_flow_mask_eth_src, UINT64_MAX >> 16);
}

static void make_counters(struct packets *t)
{
	struct gen *g = t->g;

	if (!packets_count(t))
		return;
	t->counters = flow_counters(g);
	flow_attach(g, t->counters, IBV_COUNTER_PACKETS, 0);
	if (packets_has(t, COUNTED, SUM))
		flow_attach(g, t->counters, IBV_COUNTER_PACKETS, 0);
	flow_attach(g, t->counters, IBV_COUNTER_BYTES,
		    packets_has(t, COUNTED, SUM) ? 0 : 1);
}

void packets_make_rules(struct packets *t)
{
	make_counters(t);
	if (packets_has(t, MADE, MADE_LAST))
		make_other(t);
	make_first(t, t->qp);
	if (packets_has(t, MADE, MADE_FIRST))
		make_other(t);
}

static void drop(const struct packets *t, uint8_t *rule)
{
	if (*rule != NO_OBJ)
		gen_call(t->g, V_destroy_flow, *rule);
	*rule = NO_OBJ;
}

void packets_change_rules(struct packets *t)
{
	if (packets_has(t, CHANGED, OTHER_GONE))
		drop(t, &t->other);
	else if (!packets_has(t, CHANGED, NOT_CHANGED))
		drop(t, &t->rule);
	if (packets_has(t, CHANGED, RULE_ANEW))
		make_first(t, t->qp);
	if (packets_has(t, CHANGED, RULE_MOVED))
		make_first(t, t->other_qp);
}

void packets_drop_rules(struct packets *t)
{
	drop(t, &t->rule);
	drop(t, &t->other);
}

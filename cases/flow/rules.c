// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flow steering rules that a device must grant or refuse. Each case creates a
 * queue pair and a rule for it, then destroys both.
 */
#include <string.h>
#include "cases/flow/flow.h"

#define MAC_ALL	 (UINT64_MAX >> 16)
#define IPV4_TO	 0xc0000201 /* 192.0.2.1, from RFC 5737 */
#define SETTINGS 9

/* A legal rule for an Ethernet address, with other settings. */
struct variant {
	const char *name;
	enum row row;
	struct {
		enum field field;
		uint64_t value;
	} set[SETTINGS]; /* field 0 ends the list */
};

#define ETH  IBV_FLOW_SPEC_ETH
#define TCP  IBV_FLOW_SPEC_TCP
#define UDP  IBV_FLOW_SPEC_UDP
#define IPV4 IBV_FLOW_SPEC_IPV4

#define SPECS(n)                                                               \
	{                                                                      \
		F_flow_specs, n                                                \
	}
#define FIRST(spec)                                                            \
	{                                                                      \
		F_flow_spec0, spec                                             \
	}
#define SECOND(spec)                                                           \
	{                                                                      \
		F_flow_spec1, spec                                             \
	}
#define THIRD(spec)                                                            \
	{                                                                      \
		F_flow_spec2, spec                                             \
	}
#define FOURTH(spec)                                                           \
	{                                                                      \
		F_flow_spec3, spec                                             \
	}
#define FILTER(field, value, mask)                                             \
	{F_flow_val_##field, value},                                           \
	{                                                                      \
		F_flow_mask_##field, mask                                      \
	}

enum claim flow_claim(const struct gen *g)
{
	return gen_needs(g, CLAIM_FLOW, CLAIM_TYPE_RAW_PACKET, CLAIM_NET_RAW);
}

/* clang-format off */
static const struct variant variants[] = {
	{"eth", ROW_FLOW_ACCEPT, {{0}}},
	{"eth-src", ROW_FLOW_ACCEPT, {FILTER(eth_src, GEN_MAC + 1, MAC_ALL)}},
	{"eth-type", ROW_FLOW_ACCEPT, {FILTER(eth_type, 0x88b5, 0xffff)}},
	{"eth-vlan", ROW_FLOW_ACCEPT, {FILTER(eth_vlan, 5, 0xffff)}},
	{"ipv4", ROW_FLOW_ACCEPT, {SPECS(2), SECOND(IPV4),
		FILTER(ipv4_dst, IPV4_TO, UINT32_MAX)}},
	{"ipv4-both", ROW_FLOW_ACCEPT, {SPECS(2), SECOND(IPV4),
		FILTER(ipv4_dst, IPV4_TO, UINT32_MAX),
		FILTER(ipv4_src, IPV4_TO + 1, UINT32_MAX)}},
	{"tcp", ROW_FLOW_ACCEPT, {SPECS(3), SECOND(IPV4), THIRD(TCP),
		FILTER(l4_dst, 4791, 0xffff)}},
	{"udp", ROW_FLOW_ACCEPT, {SPECS(3), SECOND(IPV4), THIRD(UDP),
		FILTER(l4_src, 4791, 0xffff)}},
	{"unordered", ROW_FLOW_ACCEPT, {SPECS(3), FIRST(UDP), SECOND(IPV4),
		THIRD(ETH), FILTER(l4_dst, 9, 0xffff)}},
	{"unmasked", ROW_FLOW_ACCEPT, {SPECS(2), SECOND(IPV4),
		FILTER(ipv4_dst, IPV4_TO, 0), FILTER(eth_type, 5, 0)}},

	{"ipv6", ROW_FLOW_SPEC_OFFERED, {SPECS(2), SECOND(IBV_FLOW_SPEC_IPV6),
		FILTER(ipv6_next, 17, 0xff)}},
	{"ipv4-ext", ROW_FLOW_SPEC_OFFERED, {SPECS(2),
		SECOND(IBV_FLOW_SPEC_IPV4_EXT), FILTER(ipv4_tos, 4, 0xff)}},
	{"vxlan", ROW_FLOW_SPEC_OFFERED, {SPECS(4), SECOND(IPV4), THIRD(UDP),
		FOURTH(IBV_FLOW_SPEC_VXLAN_TUNNEL),
		FILTER(tunnel_id, 7, 0xffffff)}},
	{"gre", ROW_FLOW_SPEC_OFFERED, {SPECS(3), SECOND(IPV4),
		THIRD(IBV_FLOW_SPEC_GRE), FILTER(gre_proto, 0x800, 0xffff)}},
	{"mpls", ROW_FLOW_SPEC_OFFERED, {SPECS(2), SECOND(IBV_FLOW_SPEC_MPLS),
		FILTER(mpls, 0x100, 0xfffff000)}},
	{"esp", ROW_FLOW_SPEC_OFFERED, {SPECS(3), SECOND(IPV4),
		THIRD(IBV_FLOW_SPEC_ESP), FILTER(esp_spi, 7, UINT32_MAX)}},
	{"tag", ROW_FLOW_SPEC_OFFERED, {SPECS(2),
		SECOND(IBV_FLOW_SPEC_ACTION_TAG), {F_flow_tag, 0x1234}}},
	{"drop", ROW_FLOW_SPEC_OFFERED, {SPECS(2),
		SECOND(IBV_FLOW_SPEC_ACTION_DROP)}},
	{"inner", ROW_FLOW_SPEC_OFFERED, {SPECS(4), SECOND(IPV4),
		THIRD(IBV_FLOW_SPEC_GRE), FOURTH(IPV4), {F_flow_inner, 4},
		FILTER(ipv4_dst, IPV4_TO, UINT32_MAX)}},
	{"tag-wide", ROW_FLOW_TAG, {SPECS(2),
		SECOND(IBV_FLOW_SPEC_ACTION_TAG), {F_flow_tag, 1u << 24}}},

	{"mask-mac", ROW_FLOW_MASK, {FILTER(eth_dst, GEN_MAC, 0xffffff000000)}},
	{"mask-ipv4", ROW_FLOW_MASK, {SPECS(2), SECOND(IPV4),
		FILTER(ipv4_dst, IPV4_TO & ~0xffu, 0xffffff00)}},
	{"mask-port", ROW_FLOW_MASK, {SPECS(3), SECOND(IPV4), THIRD(TCP),
		FILTER(l4_dst, 0x1200, 0xff00)}},

	{"priority-1", ROW_FLOW_PRIORITY, {{F_flow_priority, 1}}},
	{"priority-max", ROW_FLOW_PRIORITY, {{F_flow_priority, UINT16_MAX}}},
	{"no-specs", ROW_FLOW_NO_SPECS, {SPECS(0)}},
	{"default-all", ROW_FLOW_DEFAULT, {SPECS(0),
		{F_flow_type, IBV_FLOW_ATTR_ALL_DEFAULT}}},
	{"default-mc", ROW_FLOW_DEFAULT, {SPECS(0),
		{F_flow_type, IBV_FLOW_ATTR_MC_DEFAULT}}},
	{"sniffer", ROW_FLOW_DEFAULT, {SPECS(0),
		{F_flow_type, IBV_FLOW_ATTR_SNIFFER}}},
	{"type-4", ROW_FLOW_TYPE, {{F_flow_type, 4}}},
	{"type-max", ROW_FLOW_TYPE, {{F_flow_type, UINT32_MAX}}},

	{"dont-trap", ROW_FLOW_DONT_TRAP, {
		{F_flow_flags, IBV_FLOW_ATTR_FLAGS_DONT_TRAP}}},
	{"egress", ROW_FLOW_EGRESS, {
		{F_flow_flags, IBV_FLOW_ATTR_FLAGS_EGRESS}}},
	{"dont-trap-all", ROW_FLOW_DONT_TRAP_DEFAULT, {SPECS(0),
		{F_flow_type, IBV_FLOW_ATTR_ALL_DEFAULT},
		{F_flow_flags, IBV_FLOW_ATTR_FLAGS_DONT_TRAP}}},
	{"dont-trap-mc", ROW_FLOW_DONT_TRAP_DEFAULT, {SPECS(0),
		{F_flow_type, IBV_FLOW_ATTR_MC_DEFAULT},
		{F_flow_flags, IBV_FLOW_ATTR_FLAGS_DONT_TRAP}}},
	{"flags-bit0", ROW_FLOW_FLAGS, {{F_flow_flags, 1}}},
	{"flags-bit3", ROW_FLOW_FLAGS, {{F_flow_flags, 8}}},
	{"flags-bit31", ROW_FLOW_FLAGS, {{F_flow_flags, 1u << 31}}},
	{"comp-mask", ROW_FLOW_COMP_MASK, {{F_flow_comp_mask, 1}}},

	{"specs-10", ROW_FLOW_CONTRADICTS, {SPECS(10), SECOND(ETH), THIRD(ETH),
		FOURTH(ETH)}},
	{"specs-11", ROW_FLOW_SPECS_MANY, {SPECS(11), SECOND(ETH), THIRD(ETH),
		FOURTH(ETH)}},
	{"specs-255", ROW_FLOW_SPECS_MANY, {SPECS(255), SECOND(ETH), THIRD(ETH),
		FOURTH(ETH)}},
	{"tcp-udp", ROW_FLOW_CONTRADICTS, {SPECS(4), SECOND(IPV4), THIRD(TCP),
		FOURTH(UDP)}},
	{"ipv4-ipv6", ROW_FLOW_CONTRADICTS, {SPECS(3), SECOND(IPV4),
		THIRD(IBV_FLOW_SPEC_IPV6)}},
	{"spec-0", ROW_FLOW_SPEC_TYPE, {SPECS(2), SECOND(0)}},
	{"spec-0x33", ROW_FLOW_SPEC_TYPE, {SPECS(2), SECOND(0x33)}},
	{"spec-0x1fff", ROW_FLOW_SPEC_TYPE, {SPECS(2), SECOND(0x1fff)}},
	{"inner-gre", ROW_FLOW_SPEC_TYPE, {SPECS(2),
		SECOND(IBV_FLOW_SPEC_GRE), {F_flow_inner, 2}}},
	{"inner-vxlan", ROW_FLOW_SPEC_TYPE, {SPECS(2),
		SECOND(IBV_FLOW_SPEC_VXLAN_TUNNEL), {F_flow_inner, 2}}},
	{"label-bit20", ROW_FLOW_SPEC_RANGE, {SPECS(2),
		SECOND(IBV_FLOW_SPEC_IPV6),
		FILTER(ipv6_label, 1u << 20, 0xfffff)}},
	{"label-mask", ROW_FLOW_SPEC_RANGE, {SPECS(2),
		SECOND(IBV_FLOW_SPEC_IPV6), FILTER(ipv6_label, 5, UINT32_MAX)}},
	{"tunnel-bit24", ROW_FLOW_SPEC_RANGE, {SPECS(4), SECOND(IPV4),
		THIRD(UDP), FOURTH(IBV_FLOW_SPEC_VXLAN_TUNNEL),
		FILTER(tunnel_id, 1u << 24, 0xffffff)}},
	{"tunnel-mask", ROW_FLOW_SPEC_RANGE, {SPECS(4), SECOND(IPV4),
		THIRD(UDP), FOURTH(IBV_FLOW_SPEC_VXLAN_TUNNEL),
		FILTER(tunnel_id, 5, UINT32_MAX)}},
	{"size-more", ROW_FLOW_SPEC_SIZE, {{F_flow_size_plus, 8}}},
	{"size-less", ROW_FLOW_SPEC_SIZE, {{F_flow_size_plus, (uint64_t)-8}}},
	{"spec-longer", ROW_FLOW_SPEC_SIZE, {{F_flow_spec_plus, 8}}},
	{"ipv6-short", ROW_FLOW_SPEC_SHORT, {FIRST(IBV_FLOW_SPEC_IPV6),
		{F_flow_spec_plus, (uint64_t)-16}}},
	{"ipv4-ext-short", ROW_FLOW_SPEC_SHORT, {FIRST(IBV_FLOW_SPEC_IPV4_EXT),
		{F_flow_spec_plus, (uint64_t)-8}}},
	{"vxlan-short", ROW_FLOW_SPEC_SHORT, {
		FIRST(IBV_FLOW_SPEC_VXLAN_TUNNEL),
		{F_flow_spec_plus, (uint64_t)-8}}},
	{"port-0", ROW_FLOW_PORT, {{F_flow_port, 0}}},
	{"port-255", ROW_FLOW_PORT, {{F_flow_port, 255}}},
};
/* clang-format on */

/* The rest of a case: a rule for g->qp, which then can be destroyed. */
static void put_rule(struct gen *g, enum row row, const struct variant *v)
{
	uint8_t flow = gen_flow(g, g->qp, GEN_MAC);

	for (int i = 0; i < SETTINGS && v && v->set[i].field; i++)
		prog_num(g->p, v->set[i].field, v->set[i].value);
	if (row_accepts(row))
		gen_call(g, V_destroy_flow, flow);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

static void variant(struct gen *g, const struct variant *v)
{
	if (!gen_id(g, "rule/%s", v->name) ||
	    !gen_says_rule(g, v->row, flow_claim(g),
			   "ibv_create_flow on RAW_PACKET, %s", v->name))
		return;
	gen_qp(g, QK_RAW_PACKET);
	put_rule(g, v->row, v);
}

static void port_past_last(struct gen *g)
{
	const struct variant v = {
		"port-past-last",
		ROW_FLOW_PORT,
		{{F_flow_port, (uint64_t)g->d->nports + 1}},
	};

	variant(g, &v);
}

/* A queue pair takes rules in each state. */
static void in_state(struct gen *g, int state)
{
	if (!gen_id(g, "state/%s", state_slug(state)) ||
	    !gen_says_rule(g, ROW_FLOW_ACCEPT,
			   gen_also(g, flow_claim(g),
				    gen_claim(g, QK_RAW_PACKET, state, state)),
			   "ibv_create_flow in %s", state_name(state)))
		return;
	gen_fixture(g, QK_RAW_PACKET, state);
	put_rule(g, ROW_FLOW_ACCEPT, NULL);
}

/* Two rules of one queue pair; each keeps it, and one can be destroyed without
 * the other. */
static void two_rules(struct gen *g)
{
	uint8_t first, second;

	if (!gen_id(g, "two") ||
	    !gen_says_rule(g, ROW_LIFE_QP_FLOW, flow_claim(g),
			   "RAW_PACKET with two rules"))
		return;
	gen_qp(g, QK_RAW_PACKET);
	first = gen_flow(g, g->qp, GEN_MAC);
	second = gen_flow(g, g->qp, GEN_MAC + 1);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_flow, first);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_flow, second);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

/* A rule that was destroyed leaves room for the same rule of another queue
 * pair. */
static void again(struct gen *g)
{
	uint8_t flow, other;

	if (!gen_id(g, "again") ||
	    !gen_says_rule(g, ROW_FLOW_ACCEPT, flow_claim(g),
			   "A rule that was destroyed, on another queue pair"))
		return;
	gen_qp(g, QK_RAW_PACKET);
	other = gen_qp_of(g, QK_RAW_PACKET);
	flow = gen_flow(g, g->qp, GEN_MAC);
	gen_call(g, V_destroy_flow, flow);
	flow = gen_flow(g, other, GEN_MAC);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_flow, flow);
	gen_call(g, V_destroy_qp, other);
	gen_done(g);
}

static enum row type_row(const struct gen *g, enum qp_kind kind)
{
	if (!device_flag(g->d, IBV_DEVICE_MANAGED_FLOW_STEERING))
		return ROW_FLOW_UNSUPPORTED;
	if (!g->d->can_raw)
		return ROW_FLOW_PRIV;
	return kind == QK_UD ? ROW_FLOW_UD : ROW_FLOW_QP_TYPE;
}

/* A rule for another type than RAW_PACKET. */
void gen_flow_type(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RAW_PACKET || kind_is_vendors(kind))
		return;
	gen_prefix(g, "flow/type/");
	if (!gen_id(g, "%s", qp_kind_slug(kind)) ||
	    !gen_says_rule(g, type_row(g, kind), gen_claim(g, kind, 0, 0),
			   "ibv_create_flow on %s", qp_kind_name(kind)))
		return;
	gen_qp(g, kind);
	put_rule(g, type_row(g, kind), NULL);
}

void gen_flow_rules(struct gen *g)
{
	gen_prefix(g, "flow/");
	for (size_t i = 0; i < COUNT(variants); i++)
		variant(g, &variants[i]);
	port_past_last(g);
	/* The rules above are created in RESET. */
	for (int state = IBV_QPS_INIT; state < STATE_NR; state++)
		if (kind_enters(QK_RAW_PACKET, state))
			in_state(g, state);
	two_rules(g);
	again(g);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets that one RAW_PACKET queue pair sends, and rules of the same port that
 * lead them to others. A NIC need not loop a packet back. A packet that is
 * received must be the one that was sent, and must match the rule.
 */
#include "cases/flow/flow.h"

#define LINE 128 /* of the longest cache line */

static bool packet_case(struct gen *g, const char *id, enum row row,
			const char *what)
{
	return flow_packet_case(g, id, row, CLAIM_NONE, what);
}

/* A rule with one more header, and a packet that matches it or does not. */
struct filter {
	const char *name;
	uint32_t spec; /* the second header of the rule, 0: none */
	enum field value, mask, packet;
	uint64_t match, differ, bits;
};

#define BY(name, spec, field, of, match, differ, bits)                         \
	{                                                                      \
		name, spec, F_flow_val_##field, F_flow_mask_##field,           \
			F_packet_##of, match, differ, bits                     \
	}
#define MAC_ALL (UINT64_MAX >> 16)

static const struct filter filters[] = {
	BY("dst-mac", 0, eth_dst, eth_dst, GEN_MAC, GEN_MAC + 7, MAC_ALL),
	BY("src-mac", 0, eth_src, eth_src, FLOW_SOURCE_MAC, GEN_MAC + 98,
	   MAC_ALL),
	BY("vlan", 0, eth_vlan, eth_vlan, 5, 6, 0xffff),
	BY("vlan-priority", 0, eth_vlan, eth_vlan, 0x2005, 5, 0xffff),
	BY("ipv4-src", IBV_FLOW_SPEC_IPV4, ipv4_src, ipv4_src, FLOW_IPV4,
	   FLOW_IPV4 + 7, UINT32_MAX),
	BY("ipv4-dst", IBV_FLOW_SPEC_IPV4, ipv4_dst, ipv4_dst, FLOW_IPV4 + 1,
	   FLOW_IPV4 + 7, UINT32_MAX),
	BY("udp-src", IBV_FLOW_SPEC_UDP, l4_src, l4_src, FLOW_PORT, 1009,
	   0xffff),
	BY("udp-dst", IBV_FLOW_SPEC_UDP, l4_dst, l4_dst, FLOW_PORT, 1009,
	   0xffff),
};

static void rule_by(const struct flow_stage *t, int which,
		    const struct filter *f)
{
	struct gen *g = t->g;

	gen_flow(g, t->to[which], GEN_MAC);
	if (f->spec == IBV_FLOW_SPEC_UDP) {
		prog_num(g->p, F_flow_specs, 3);
		prog_num(g->p, F_flow_spec1, IBV_FLOW_SPEC_IPV4);
		prog_num(g->p, F_flow_spec2, f->spec);
	} else if (f->spec) {
		prog_num(g->p, F_flow_specs, 2);
		prog_num(g->p, F_flow_spec1, f->spec);
	}
	prog_num(g->p, f->value, f->match);
	prog_num(g->p, f->mask, f->bits);
}

/* A packet that matches is received as it was sent; one that differs in the
 * field is not received. */
static void by_field(struct gen *g, const struct filter *f, bool differs)
{
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "%s/%s", differs ? "other" : "match", f->name);
	if (!packet_case(g, id, ROW_FLOW_MATCH,
			 differs ? "A packet that differs from a rule"
				 : "A packet that matches a rule"))
		return;
	t = flow_stage(g, 1, 0);
	rule_by(&t, 0, f);
	flow_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, f->packet, differs ? f->differ : f->match);
	flow_send(g, &t.from, FLOW_LENGTH);
	flow_poll_all(&t, 1);
	flow_poll_all(&t, 1);
	flow_finish(&t, 1);
}

/* One receiver gets the packet, or none. */
static void send_to_rule(struct flow_stage *t, int receivers)
{
	flow_send(t->g, &t->from, FLOW_LENGTH);
	flow_poll_all(t, receivers);
	flow_finish(t, 1);
}

/* A rule of a lower priority, by the address alone, leads packets that the
 * first one does not match to the second receiver. */
static void behind_it(struct flow_stage *t)
{
	gen_flow(t->g, t->to[1], GEN_MAC);
	prog_num(t->g->p, F_flow_priority, 5);
}

static void goes_to_first(struct flow_stage *t, const struct filter *f)
{
	flow_packet(t->g, &t->from, GEN_MAC, FLOW_LENGTH);
	prog_num(t->g->p, f->packet, f->match);
	send_to_rule(t, 2);
}

static void before_broader(struct gen *g, const struct filter *f)
{
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "before-broader/%s", f->name);
	if (!packet_case(g, id, ROW_FLOW_ORDER,
			 "A packet that a rule and a broader one match"))
		return;
	t = flow_stage(g, 2, 0);
	rule_by(&t, 0, f);
	behind_it(&t);
	goes_to_first(&t, f);
}

/* The value has other bits than the packet where the mask has none: in the
 * whole field, or in all but its lowest byte. */
static void masked_out(struct gen *g, const struct filter *f, bool part)
{
	uint64_t bits = part ? 0xff : 0;
	uint64_t other = f->match ^ (f->bits & ~bits);
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "masked/%s%s", f->name, part ? "-part" : "");
	if (!packet_case(g, id, ROW_FLOW_MATCH,
			 "A rule with values outside of their masks"))
		return;
	t = flow_stage(g, 2, 0);
	rule_by(&t, 0, f);
	prog_num(g->p, f->value, other);
	prog_num(g->p, f->mask, bits);
	behind_it(&t);
	goes_to_first(&t, f);
}

/* The fields of a rule that names several of each header. */
static bool in_full_rule(const struct filter *f)
{
	return f->value != F_flow_val_eth_vlan;
}

static void full_rule(const struct flow_stage *t)
{
	struct gen *g = t->g;

	gen_flow(g, t->to[0], GEN_MAC);
	prog_num(g->p, F_flow_specs, 3);
	prog_num(g->p, F_flow_spec1, IBV_FLOW_SPEC_IPV4);
	prog_num(g->p, F_flow_spec2, IBV_FLOW_SPEC_UDP);
	for (size_t i = 0; i < COUNT(filters); i++) {
		if (!in_full_rule(&filters[i]))
			continue;
		prog_num(g->p, filters[i].value, filters[i].match);
		prog_num(g->p, filters[i].mask, filters[i].bits);
	}
}

/* A packet that matches the full rule, but for the field of `f`, if any. */
static void full_packet(struct flow_stage *t, const struct filter *f)
{
	struct gen *g = t->g;

	flow_packet(g, &t->from, GEN_MAC, FLOW_LENGTH);
	for (size_t i = 0; i < COUNT(filters); i++)
		if (in_full_rule(&filters[i]))
			prog_num(g->p, filters[i].packet,
				 &filters[i] == f ? f->differ
						  : filters[i].match);
}

/* The same in a rule that names many fields, of all of which but one it has the
 * packet's value. */
static void masked_of_many(struct gen *g, const struct filter *f)
{
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "masked/of-many/%s", f->name);
	if (!packet_case(g, id, ROW_FLOW_MATCH,
			 "A rule of many fields, one outside of its mask"))
		return;
	t = flow_stage(g, 2, 0);
	full_rule(&t);
	prog_num(g->p, f->value, f->match ^ f->bits);
	prog_num(g->p, f->mask, 0);
	behind_it(&t);
	full_packet(&t, NULL);
	send_to_rule(&t, 2);
}

/* The packet differs in one of all fields that a rule names, or in none. */
static void by_all_fields(struct gen *g, const struct filter *f)
{
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "all/%s", f ? f->name : "match");
	if (!packet_case(g, id, ROW_FLOW_MATCH,
			 f ? "A packet that differs in one of many fields"
			   : "A packet that matches a rule of many fields"))
		return;
	t = flow_stage(g, 1, 0);
	full_rule(&t);
	full_packet(&t, f);
	send_to_rule(&t, 1);
}

/* A rule for UDP, and a packet of TCP with the same ports. */
static void of_other_protocol(struct gen *g)
{
	struct flow_stage t;

	if (!packet_case(g, "other/protocol", ROW_FLOW_MATCH,
			 "A packet of TCP and a rule for UDP"))
		return;
	t = flow_stage(g, 1, 0);
	full_rule(&t);
	full_packet(&t, NULL);
	prog_num(g->p, F_packet_l4, IBV_FLOW_SPEC_TCP);
	send_to_rule(&t, 1);
}

/* Packets of several lengths are received in their order. */
static void in_order(struct gen *g)
{
	struct flow_stage t;

	if (!packet_case(g, "order", ROW_POLL_ORDER,
			 "Packets of several lengths"))
		return;
	t = flow_stage(g, 1, 0);
	gen_flow(g, t.to[0], GEN_MAC);
	for (uint32_t length = 64; length < 64 + FLOW_RECEIVES; length++) {
		flow_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
		prog_num(g->p, F_packet_length, length);
		flow_send(g, &t.from, length);
		flow_poll(&t, 0);
	}
	flow_finish(&t, 1);
}

/* Each of two queue pairs gets the packets to its own address. */
static void two_receivers(struct gen *g)
{
	struct flow_stage t;

	if (!packet_case(g, "two-receivers", ROW_FLOW_MATCH,
			 "Packets to two queue pairs"))
		return;
	t = flow_stage(g, 2, 0);
	gen_flow(g, t.to[0], GEN_MAC);
	gen_flow(g, t.to[1], GEN_MAC + 1);
	for (uint64_t i = 0; i < 2; i++) {
		flow_packet(g, &t.from, GEN_MAC + i, FLOW_LENGTH);
		prog_num(g->p, F_packet_length, 64 + 16 * i);
		flow_send(g, &t.from, (uint32_t)(64 + 16 * i));
		flow_poll_all(&t, 2);
	}
	flow_finish(&t, 1);
}

/* Two rules for the same packets: the one with the lower number decides,
 * whichever is made first. */
static void priorities(struct gen *g, int first, uint64_t from)
{
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "priority/%s%s",
		 first ? "last-first" : "first", from ? "-higher" : "");
	if (!packet_case(g, id, ROW_FLOW_ORDER,
			 "A packet that two rules match"))
		return;
	t = flow_stage(g, 2, 0);
	for (int i = 0; i < 2; i++) {
		int which = i ^ first;

		gen_flow(g, t.to[which], GEN_MAC);
		prog_num(g->p, F_flow_priority, from + (uint64_t)which);
	}
	flow_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	send_to_rule(&t, 2);
}

/* Three equal rules, made in an order of their priorities; then without the one
 * that decided. */
static void three_priorities(struct gen *g, const uint8_t order[3])
{
	uint8_t flow[FLOW_RECEIVERS];
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "priority/of-three/%u-%u-%u", order[0],
		 order[1], order[2]);
	if (!packet_case(g, id, ROW_FLOW_ORDER,
			 "A packet that three equal rules match"))
		return;
	t = flow_stage(g, FLOW_RECEIVERS, 0);
	for (int i = 0; i < FLOW_RECEIVERS; i++) {
		flow[order[i]] = gen_flow(g, t.to[order[i]], GEN_MAC);
		prog_num(g->p, F_flow_priority, order[i]);
	}
	for (int i = 0; i < FLOW_RECEIVERS; i++) {
		flow_send_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
		flow_poll_all(&t, FLOW_RECEIVERS);
		gen_call(g, V_destroy_flow, flow[i]);
	}
	flow_finish(&t, FLOW_RECEIVERS);
}

static void orders_of_three(struct gen *g)
{
	static const uint8_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (size_t i = 0; i < COUNT(orders); i++)
		three_priorities(g, orders[i]);
}

/* The rule with the fewer headers goes first, and is made first or last. */
static void shorter_first(struct gen *g, bool last)
{
	struct flow_stage t;

	if (!packet_case(g, last ? "priority/shorter-last" : "priority/shorter",
			 ROW_FLOW_ORDER,
			 "A packet that two rules match, one by more fields"))
		return;
	t = flow_stage(g, 2, 0);
	for (int i = 0; i < 2; i++) {
		bool shorter = (i == 1) == last;

		if (shorter)
			gen_flow(g, t.to[1], GEN_MAC);
		else
			full_rule(&t);
		prog_num(g->p, F_flow_priority, shorter ? 0 : 5);
	}
	full_packet(&t, NULL);
	flow_send(g, &t.from, FLOW_LENGTH);
	flow_poll_all(&t, 2);
	flow_finish(&t, 2);
}

/* A rule that drops, alone and before a rule that does not. */
static void dropped(struct gen *g, bool other)
{
	struct flow_stage t;

	if (!packet_case(g, other ? "drop/before-another" : "drop/alone",
			 ROW_FLOW_DROP, "A packet that a rule drops"))
		return;
	t = flow_stage(g, 1, 0);
	gen_flow(g, t.to[0], GEN_MAC);
	prog_num(g->p, F_flow_specs, 2);
	prog_num(g->p, F_flow_spec1, IBV_FLOW_SPEC_ACTION_DROP);
	if (other) {
		gen_flow(g, t.to[0], GEN_MAC);
		prog_num(g->p, F_flow_priority, 1);
	}
	flow_send_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	flow_poll_all(&t, 1);
	flow_finish(&t, 1);
}

/* A rule that was destroyed steers nothing. */
static void rule_gone(struct gen *g)
{
	struct flow_stage t;
	uint8_t flow;

	if (!packet_case(g, "destroyed", ROW_FLOW_MATCH,
			 "A packet that matches a rule that was destroyed"))
		return;
	t = flow_stage(g, 1, 0);
	flow = gen_flow(g, t.to[0], GEN_MAC);
	gen_call(g, V_destroy_flow, flow);
	flow_send_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	flow_poll_all(&t, 1);
	flow_finish(&t, 1);
}

/* The state that a queue pair went to RESET from, 0 if it never did. */
static const struct past {
	const char *name;
	int from;
} pasts[] = {
	{"", 0}, {"-after-reset", IBV_QPS_RTS}, {"-after-err", IBV_QPS_ERR}};

/* A queue pair's own multicast packet, with BLOCK_SELF_MCAST_LB or without. */
static void own_multicast(struct gen *g, bool blocked, const struct past *past)
{
	struct flow_stage t = {.g = g};
	uint64_t mac = GEN_MAC | UINT64_C(1) << 40;

	if (!gen_id(g, "self/%s%s", blocked ? "blocked" : "multicast",
		    past->name) ||
	    !gen_says_rule(g, blocked ? ROW_FLOW_SELF : ROW_FLOW_MATCH,
			   flow_packet_claim(g),
			   "A multicast packet to itself"))
		return;
	g->kind = QK_RAW_PACKET;
	gen_parents(g, QK_RAW_PACKET);
	t.mr = flow_memory(g);
	t.from.mr = flow_memory(g);
	t.from.cq = g->cq;
	t.cq[0] = gen_cq(g);
	t.to[0] = t.from.qp = gen_qp_by(g, QK_RAW_PACKET, true);
	prog_obj(g->p, F_recv_cq, t.cq[0]);
	if (blocked)
		flow_put_flags(g, IBV_QP_CREATE_BLOCK_SELF_MCAST_LB);
	gen_bring(g, t.from.qp, IBV_QPS_RTS);
	flow_receive(&t, 0);
	if (past->from)
		flow_restart(&t, 0, past->from);
	gen_flow(g, t.from.qp, mac);
	flow_send_packet(g, &t.from, mac, FLOW_LENGTH);
	flow_poll_all(&t, 1);
	flow_finish(&t, 1);
}

/* Create flags that change a received packet. */
static const struct effect {
	const char *name;
	uint32_t flag;
	enum claim claim;
	enum row row;
} effects[] = {
	{"fcs", IBV_QP_CREATE_SCATTER_FCS, CLAIM_SCATTER_FCS, ROW_FLOW_FCS},
	{"vlan-stripped", IBV_QP_CREATE_CVLAN_STRIPPING, CLAIM_CVLAN_STRIPPING,
	 ROW_FLOW_VLAN},
	{"padding", IBV_QP_CREATE_PCI_WRITE_END_PADDING, CLAIM_WRITE_PADDING,
	 ROW_FLOW_PADDING},
};

static void effect(struct gen *g, const struct effect *e, bool tagged,
		   const struct past *past)
{
	struct flow_stage t;

	if (!gen_id(g, "flag/%s%s%s", e->name, tagged ? "-tagged" : "",
		    past->name) ||
	    !gen_says_rule(
		    g, e->row,
		    gen_also(g, flow_packet_claim(g), gen_needs(g, e->claim)),
		    "A packet %s a VLAN tag", tagged ? "with" : "without"))
		return;
	t = flow_stage(g, 1, e->flag);
	if (past->from)
		flow_restart(&t, 0, past->from);
	gen_flow(g, t.to[0], GEN_MAC);
	flow_packet(g, &t.from, GEN_MAC, 100);
	if (tagged)
		prog_num(g->p, F_packet_eth_vlan, 5);
	flow_send(g, &t.from, 100);
	flow_poll_all(&t, 1);
	gen_read_part(g, t.mr, LINE, FLOW_ROOM - LINE);
	flow_finish(&t, 1);
}

/* The first bytes of a packet, around the lengths of an Ethernet header, of one
 * with a VLAN tag, and of the least frame. */
static void cut_off(struct gen *g, uint32_t length)
{
	struct flow_stage t;
	char id[24];

	snprintf(id, sizeof(id), "cut-off/%u", length);
	if (!packet_case(g, id,
			 length < 60 ? ROW_POST_SHORT_FRAME : ROW_POST_ACCEPT,
			 "A packet of a few bytes"))
		return;
	t = flow_stage(g, 1, 0);
	gen_flow(g, t.to[0], GEN_MAC);
	flow_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	flow_send(g, &t.from, length);
	flow_send_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	gen_done(g);
}

static void no_element(struct gen *g)
{
	struct flow_stage t;

	if (!packet_case(g, "cut-off/no-element", ROW_POST_SHORT_FRAME,
			 "A packet without elements"))
		return;
	t = flow_stage(g, 1, 0);
	gen_call(g, V_post_send, t.from.qp);
	prog_num(g->p, F_send_opcode, IBV_WR_SEND);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED);
	flow_await_sent(g, &t.from);
	gen_flow(g, t.to[0], GEN_MAC);
	flow_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	send_to_rule(&t, 1);
}

void gen_flow_packets(struct gen *g)
{
	static const uint32_t lengths[] = {0, 1, 13, 14, 17, 18, 59, 60};

	gen_prefix(g, "packet/");
	for (size_t i = 0; i < COUNT(lengths); i++)
		cut_off(g, lengths[i]);
	no_element(g);
	for (size_t i = 0; i < COUNT(filters); i++) {
		by_field(g, &filters[i], false);
		by_field(g, &filters[i], true);
	}
	for (size_t i = 0; i < COUNT(filters); i++) {
		before_broader(g, &filters[i]);
		masked_out(g, &filters[i], false);
		masked_out(g, &filters[i], true);
	}
	by_all_fields(g, NULL);
	for (size_t i = 0; i < COUNT(filters); i++)
		if (in_full_rule(&filters[i])) {
			by_all_fields(g, &filters[i]);
			masked_of_many(g, &filters[i]);
		}
	of_other_protocol(g);
	in_order(g);
	two_receivers(g);
	for (int i = 0; i < 2; i++) {
		priorities(g, i, 0);
		priorities(g, i, 1);
		shorter_first(g, i);
		dropped(g, i);
		for (size_t k = 0; k < COUNT(pasts); k++)
			own_multicast(g, i, &pasts[k]);
	}
	orders_of_three(g);
	rule_gone(g);
	for (size_t i = 0; i < COUNT(effects); i++) {
		for (size_t k = 0; k < COUNT(pasts); k++) {
			effect(g, &effects[i], false, &pasts[k]);
			effect(g, &effects[i], true, &pasts[k]);
		}
	}
	flow_shapes(g);
	flow_made_again(g);
	flow_passes(g);
	flow_ether_types(g);
	flow_tags(g);
	flow_again(g);
	flow_inline(g);
}

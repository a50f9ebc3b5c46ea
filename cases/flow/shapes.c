// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Rules that name different headers of one packet: the priority alone decides
 * which queue pair receives it, whichever rule is longer or was made first.
 */
#include "cases/flow/flow.h"

#define MAC_ALL	 (UINT64_MAX >> 16)
#define PROTOCOL 0xff /* all bits of next_hdr */

/* The headers or fields of a rule besides the destination address. */
enum shape { ETH, ETH_SRC, L3, L4, SHAPES };

/* A packet that rules of all shapes match. */
static const struct headers {
	const char *name;
	uint32_t l3, l4;
	uint64_t protocol;
} packets[] = {
	{"udp-ipv4", IBV_FLOW_SPEC_IPV4, IBV_FLOW_SPEC_UDP, 17},
	{"tcp-ipv4", IBV_FLOW_SPEC_IPV4, IBV_FLOW_SPEC_TCP, 6},
	{"udp-ipv6", IBV_FLOW_SPEC_IPV6, IBV_FLOW_SPEC_UDP, 17},
	{"tcp-ipv6", IBV_FLOW_SPEC_IPV6, IBV_FLOW_SPEC_TCP, 6},
};

static const char *const shape_names[] = {"eth", "eth-src", "l3", "l4"};

static void match(struct gen *g, enum field value, enum field mask, uint64_t is,
		  uint64_t bits)
{
	prog_num(g->p, value, is);
	prog_num(g->p, mask, bits);
}

/* Makes a rule of a shape for the receiver with the number of its priority. */
static uint8_t rule_of(const struct flow_stage *t, const struct headers *h,
		       enum shape shape, int priority)
{
	struct gen *g = t->g;
	uint8_t flow = gen_flow(g, t->to[priority], GEN_MAC);

	if (shape == ETH_SRC)
		match(g, F_flow_val_eth_src, F_flow_mask_eth_src,
		      FLOW_SOURCE_MAC, MAC_ALL);
	if (shape >= L3) {
		prog_num(g->p, F_flow_specs, shape == L4 ? 3 : 2);
		prog_num(g->p, F_flow_spec1, h->l3);
		if (h->l3 == IBV_FLOW_SPEC_IPV4)
			match(g, F_flow_val_ipv4_dst, F_flow_mask_ipv4_dst,
			      FLOW_IPV4 + 1, UINT32_MAX);
		else
			match(g, F_flow_val_ipv6_next, F_flow_mask_ipv6_next,
			      h->protocol, PROTOCOL);
	}
	if (shape == L4) {
		prog_num(g->p, F_flow_spec2, h->l4);
		match(g, F_flow_val_l4_dst, F_flow_mask_l4_dst, FLOW_PORT,
		      UINT16_MAX);
	}
	prog_num(g->p, F_flow_priority, (uint64_t)priority);
	return flow;
}

static void send_one(struct flow_stage *t, const struct headers *h, int n)
{
	flow_packet(t->g, &t->from, GEN_MAC, FLOW_LENGTH);
	prog_num(t->g->p, F_packet_l3, h->l3);
	prog_num(t->g->p, F_packet_l4, h->l4);
	flow_send(t->g, &t->from, FLOW_LENGTH);
	flow_poll_all(t, n);
}

/* Two rules; the first one decides until it is destroyed. It is made first or
 * last. */
static void two_shapes(struct gen *g, const struct headers *h, enum shape first,
		       enum shape second, bool last)
{
	struct flow_stage t;
	uint8_t decides = NO_OBJ;
	char id[60];

	snprintf(id, sizeof(id), "shapes/%s/%s-before-%s%s", h->name,
		 shape_names[first], shape_names[second],
		 last ? "-made-last" : "");
	if (!flow_packet_case(g, id, ROW_FLOW_ORDER, CLAIM_NONE,
			      "A packet that rules of two shapes match"))
		return;
	t = flow_stage(g, 2, 0);
	for (int i = 0; i < 2; i++) {
		if (i == last)
			decides = rule_of(&t, h, first, 0);
		else
			rule_of(&t, h, second, 1);
	}
	send_one(&t, h, 2);
	gen_call(g, V_destroy_flow, decides);
	send_one(&t, h, 2);
	flow_finish(&t, 2);
}

/* Rules of three shapes, made from the longest to the shortest. */
static void three_shapes(struct gen *g, const struct headers *h,
			 const uint8_t priority[3])
{
	static const enum shape shapes[] = {L4, L3, ETH};
	uint8_t flow[FLOW_RECEIVERS];
	struct flow_stage t;
	char id[60];

	snprintf(id, sizeof(id), "shapes/%s/of-three/%u-%u-%u", h->name,
		 priority[0], priority[1], priority[2]);
	if (!flow_packet_case(g, id, ROW_FLOW_ORDER, CLAIM_NONE,
			      "A packet that rules of three shapes match"))
		return;
	t = flow_stage(g, FLOW_RECEIVERS, 0);
	for (int i = 0; i < FLOW_RECEIVERS; i++)
		flow[priority[i]] = rule_of(&t, h, shapes[i], priority[i]);
	for (int i = 0; i < FLOW_RECEIVERS; i++) {
		send_one(&t, h, FLOW_RECEIVERS);
		gen_call(g, V_destroy_flow, flow[i]);
	}
	flow_finish(&t, FLOW_RECEIVERS);
}

/* Makes the pairs of shapes. Pairs with ETH_SRC are made for the first packet
 * only. */
static void pairs(struct gen *g, const struct headers *h)
{
	for (int i = 0; i < SHAPES; i++)
		for (int k = 0; k < SHAPES; k++) {
			if (i == k ||
			    (h != packets && (i == ETH_SRC || k == ETH_SRC)))
				continue;
			two_shapes(g, h, (enum shape)i, (enum shape)k, false);
			two_shapes(g, h, (enum shape)i, (enum shape)k, true);
		}
}

void flow_shapes(struct gen *g)
{
	static const uint8_t orders[][3] = {
		{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (size_t i = 0; i < COUNT(packets); i++)
		pairs(g, &packets[i]);
	for (size_t i = 0; i < COUNT(orders); i++)
		three_shapes(g, packets, orders[i]);
}

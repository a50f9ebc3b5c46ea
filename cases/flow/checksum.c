// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of what completions say about the checksums of packets.
 */
#include "cases/flow/flow.h"

#define BOTH	   3 /* of F_packet_spoiled: 1 that of IPv4, 2 of TCP or UDP */
#define NO_OPTIONS 4 /* that of IPv4 leaves the options out */

static const struct variant {
	const char *name;
	uint32_t l4;
	uint64_t spoiled;
	bool computed;	  /* by the device that sends */
	uint32_t options; /* words of IPv4 options */
} variants[] = {
	{"right-udp", IBV_FLOW_SPEC_UDP, 0, false, 0},
	{"right-tcp", IBV_FLOW_SPEC_TCP, 0, false, 0},
	{"computed-udp", IBV_FLOW_SPEC_UDP, BOTH, true, 0},
	{"computed-tcp", IBV_FLOW_SPEC_TCP, BOTH, true, 0},
	{"wrong-ipv4", IBV_FLOW_SPEC_UDP, 1, false, 0},
	{"wrong-udp", IBV_FLOW_SPEC_UDP, 2, false, 0},
	{"wrong-tcp", IBV_FLOW_SPEC_TCP, 2, false, 0},
	{"options/right-udp", IBV_FLOW_SPEC_UDP, 0, false, 1},
	{"options/right-tcp", IBV_FLOW_SPEC_TCP, 0, false, 2},
	{"options/right-most", IBV_FLOW_SPEC_UDP, 0, false, 10},
	{"options/wrong-ipv4", IBV_FLOW_SPEC_TCP, 1, false, 1},
	{"options/left-out", IBV_FLOW_SPEC_UDP, NO_OPTIONS, false, 1},
	{"options/wrong-udp", IBV_FLOW_SPEC_UDP, 2, false, 3},
};

static void one_packet(struct gen *g, const struct variant *v)
{
	bool right = !v->spoiled || v->computed;
	struct flow_stage t;

	if (!gen_id(g, "%s", v->name) ||
	    !gen_says_rule(g, right ? ROW_FLOW_CSUM_OK : ROW_FLOW_CSUM,
			   gen_also(g, flow_packet_claim(g),
				    gen_needs(g, CLAIM_RAW_CSUM)),
			   "A packet with checksums that are %s",
			   right ? "right" : "wrong"))
		return;
	t = flow_stage(g, 1, 0);
	gen_flow(g, t.to[0], GEN_MAC);
	flow_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, F_packet_l4, v->l4);
	if (v->spoiled)
		prog_num(g->p, F_packet_spoiled, v->spoiled);
	if (v->options)
		prog_num(g->p, F_packet_options, v->options);
	flow_send_with(g, &t.from, FLOW_LENGTH,
		       v->computed ? IBV_SEND_IP_CSUM : 0);
	flow_poll(&t, 0);
	flow_finish(&t, 1);
}

void gen_flow_checksum(struct gen *g)
{
	gen_prefix(g, "packet/checksum/");
	for (size_t i = 0; i < COUNT(variants); i++)
		one_packet(g, &variants[i]);
}

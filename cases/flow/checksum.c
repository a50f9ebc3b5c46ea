// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of what completions say about the checksums of packets.
 */
#include "cases/flow/flow.h"

#define BOTH	   3 /* of F_packet_spoiled: 1 that of IPv4, 2 of TCP or UDP */
#define NO_OPTIONS 4 /* that of IPv4 leaves the options out */

static const struct variant {
	const char *name;
	uint32_t l4, length; /* 0: the usual length */
	uint64_t spoiled;
	bool computed;	  /* by the device that sends */
	uint32_t options; /* words of IPv4 options */
} variants[] = {
	{"right-udp", IBV_FLOW_SPEC_UDP, 0, 0, false, 0},
	{"right-tcp", IBV_FLOW_SPEC_TCP, 0, 0, false, 0},
	{"computed-udp", IBV_FLOW_SPEC_UDP, 0, BOTH, true, 0},
	{"computed-tcp", IBV_FLOW_SPEC_TCP, 0, BOTH, true, 0},
	{"wrong-ipv4", IBV_FLOW_SPEC_UDP, 0, 1, false, 0},
	{"wrong-udp", IBV_FLOW_SPEC_UDP, 0, 2, false, 0},
	{"wrong-tcp", IBV_FLOW_SPEC_TCP, 0, 2, false, 0},
	{"options/right-udp", IBV_FLOW_SPEC_UDP, 0, 0, false, 1},
	{"options/right-tcp", IBV_FLOW_SPEC_TCP, 0, 0, false, 2},
	{"options/right-most", IBV_FLOW_SPEC_UDP, 0, 0, false, 10},
	{"options/wrong-ipv4", IBV_FLOW_SPEC_TCP, 0, 1, false, 1},
	{"options/left-out", IBV_FLOW_SPEC_UDP, 0, NO_OPTIONS, false, 1},
	{"options/wrong-udp", IBV_FLOW_SPEC_UDP, 0, 2, false, 3},
};

static void one_packet(struct gen *g, const struct variant *v)
{
	bool right = !v->spoiled || v->computed;
	uint32_t length = v->length ? v->length : FLOW_LENGTH;
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
	flow_packet(g, &t.from, GEN_MAC, length);
	prog_num(g->p, F_packet_l4, v->l4);
	if (v->spoiled)
		prog_num(g->p, F_packet_spoiled, v->spoiled);
	if (v->options)
		prog_num(g->p, F_packet_options, v->options);
	flow_send_with(g, &t.from, length, v->computed ? IBV_SEND_IP_CSUM : 0);
	flow_poll(&t, 0);
	flow_finish(&t, 1);
}

/* Which checksum is wrong. */
static const struct spoilt {
	const char *name;
	uint64_t spoiled;
	bool needs_options;
} spoilts[] = {
	{"right", 0, false},
	{"wrong-ipv4", 1, false},
	{"wrong-l4", 2, false},
	{"left-out", NO_OPTIONS, true},
};

static const struct {
	const char *name;
	uint32_t l4;
} protocols[] = {{"udp", IBV_FLOW_SPEC_UDP}, {"tcp", IBV_FLOW_SPEC_TCP}};

/* Each checksum behind a number of words of options, and of a packet of some
 * length. */
static void every_checksum(struct gen *g, const char *prefix, uint32_t options,
			   uint32_t length)
{
	for (size_t i = 0; i < COUNT(spoilts); i++)
		for (size_t k = 0; k < COUNT(protocols); k++) {
			char name[48];
			const struct variant v = {
				name,	protocols[k].l4,
				length, spoilts[i].spoiled,
				false,	options,
			};

			if (spoilts[i].needs_options && !options)
				continue;
			snprintf(name, sizeof(name), "%s/%s-%s", prefix,
				 spoilts[i].name, protocols[k].name);
			one_packet(g, &v);
		}
}

void gen_flow_checksum(struct gen *g)
{
	static const uint32_t words[] = {1, 2, 5, 9, 10};
	char prefix[24];

	gen_prefix(g, "packet/checksum/");
	for (size_t i = 0; i < COUNT(words); i++) {
		snprintf(prefix, sizeof(prefix), "options-%u", words[i]);
		every_checksum(g, prefix, words[i], 0);
	}
	every_checksum(g, "odd-length", 0, FLOW_LENGTH - 1);
	every_checksum(g, "options-odd-length", 3, FLOW_LENGTH - 1);
	for (size_t i = 0; i < COUNT(variants); i++)
		one_packet(g, &variants[i]);
}

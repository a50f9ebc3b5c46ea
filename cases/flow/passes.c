// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Rules with DONT_TRAP: the packets that they give to their queue pair also go
 * on to the rules of lower priority.
 */
#include "cases/flow/flow.h"

/* Headers of a rule besides the address: none, IPv4, IPv4 and UDP. */
enum { ETH, IPV4, UDP, SHAPES };
static const char *const shape_names[SHAPES] = {"eth", "ipv4", "udp"};

static bool passes_case(struct gen *g, const char *id, const char *what)
{
	return flow_packet_case(g, id, ROW_FLOW_PASSES, CLAIM_NONE, what);
}

/* Makes a rule of a shape for a receiver, whose number is its priority. */
static uint8_t rule_of(const struct flow_stage *t, int which, int shape,
		       bool passes)
{
	struct program *p = t->g->p;
	uint8_t flow = gen_flow(t->g, t->to[which], GEN_MAC);

	prog_num(p, F_flow_priority, (uint64_t)which);
	if (passes)
		prog_num(p, F_flow_flags, IBV_FLOW_ATTR_FLAGS_DONT_TRAP);
	if (shape == ETH)
		return flow;
	prog_num(p, F_flow_specs, (uint64_t)shape + 1);
	prog_num(p, F_flow_spec1, IBV_FLOW_SPEC_IPV4);
	if (shape == UDP) {
		prog_num(p, F_flow_spec2, IBV_FLOW_SPEC_UDP);
		prog_num(p, F_flow_val_l4_dst, FLOW_PORT);
		prog_num(p, F_flow_mask_l4_dst, 0xffff);
	}
	return flow;
}

/* Polls at a receiver until its copy of a packet must have arrived. */
static void await(const struct flow_stage *t, int which)
{
	flow_poll(t, which);
	prog_num(t->g->p, F_poll_timeout, FLOW_ARRIVING);
}

static void send_one(struct flow_stage *t)
{
	flow_send_packet(t->g, &t->from, GEN_MAC, FLOW_LENGTH);
}

/* Sends a packet that the first n receivers get. */
static void send_to(struct flow_stage *t, int n)
{
	send_one(t);
	for (int i = 0; i < n; i++)
		await(t, i);
}

/* Two rules of any two shapes, made in either order. */
static void two_rules(struct gen *g, int first, int second, bool last)
{
	struct flow_stage t;
	char id[60];

	snprintf(id, sizeof(id), "passes/%s-before-%s%s", shape_names[first],
		 shape_names[second], last ? "-made-last" : "");
	if (!passes_case(g, id, "A packet that DONT_TRAP lets pass"))
		return;
	t = flow_stage(g, 2, 0);
	for (int i = 0; i < 2; i++) {
		int which = last ? 1 - i : i;

		rule_of(&t, which, which ? second : first, !which);
	}
	send_to(&t, 2);
	flow_finish(&t, 2);
}

/* Three rules; the bits of `passing` are those with DONT_TRAP. The first one
 * without it traps the packet. */
static void three_rules(struct gen *g, unsigned int passing)
{
	struct flow_stage t;
	int reached = 1;
	char id[40];

	snprintf(id, sizeof(id), "passes/of-three/%u", passing);
	if (!passes_case(g, id, "A packet that three rules match"))
		return;
	t = flow_stage(g, FLOW_RECEIVERS, 0);
	for (int i = 0; i < FLOW_RECEIVERS; i++)
		rule_of(&t, i, ETH, passing >> i & 1);
	while (reached < FLOW_RECEIVERS && passing >> (reached - 1) & 1)
		reached++;
	send_to(&t, reached);
	for (int i = reached; i < FLOW_RECEIVERS; i++)
		flow_poll(&t, i);
	flow_finish(&t, FLOW_RECEIVERS);
}

/* The next rule does not match the packet, but the one behind it does. */
static void over_another(struct gen *g)
{
	struct flow_stage t;

	if (!passes_case(g, "passes/over-another",
			 "A packet that DONT_TRAP lets pass to the third rule"))
		return;
	t = flow_stage(g, FLOW_RECEIVERS, 0);
	rule_of(&t, 0, ETH, true);
	rule_of(&t, 1, UDP, false);
	prog_num(g->p, F_flow_val_l4_dst, FLOW_PORT + 1);
	rule_of(&t, 2, ETH, false);
	send_one(&t);
	await(&t, 0);
	await(&t, 2);
	flow_poll(&t, 1);
	flow_finish(&t, FLOW_RECEIVERS);
}

/* One of two rules is destroyed between two packets. */
static void rule_gone(struct gen *g, int gone)
{
	struct flow_stage t;
	uint8_t flow[2];

	if (!passes_case(g, gone ? "passes/gone/second" : "passes/gone/first",
			 "A packet after one of two rules was destroyed"))
		return;
	t = flow_stage(g, 2, 0);
	for (int i = 0; i < 2; i++)
		flow[i] = rule_of(&t, i, ETH, !i);
	send_to(&t, 2);
	gen_call(g, V_destroy_flow, flow[gone]);
	send_one(&t);
	await(&t, 1 - gone);
	flow_poll(&t, gone);
	flow_finish(&t, 2);
}

/* A rule with DONT_TRAP is made after the other one has got a packet. */
static void made_later(struct gen *g)
{
	struct flow_stage t;

	if (!passes_case(g, "passes/made-later",
			 "A packet after a rule with DONT_TRAP was made"))
		return;
	t = flow_stage(g, 2, 0);
	rule_of(&t, 1, ETH, false);
	send_one(&t);
	await(&t, 1);
	rule_of(&t, 0, ETH, true);
	send_to(&t, 2);
	flow_finish(&t, 2);
}

/* One of three rules, of which the last one traps, is made again. */
static void made_again(struct gen *g, int which)
{
	uint8_t flow[FLOW_RECEIVERS];
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "passes/made-again/%d", which);
	if (!passes_case(g, id, "A packet after a rule was made again"))
		return;
	t = flow_stage(g, FLOW_RECEIVERS, 0);
	for (int i = 0; i < FLOW_RECEIVERS; i++)
		flow[i] = rule_of(&t, i, ETH, i < FLOW_RECEIVERS - 1);
	gen_call(g, V_destroy_flow, flow[which]);
	rule_of(&t, which, ETH, which < FLOW_RECEIVERS - 1);
	send_to(&t, FLOW_RECEIVERS);
	flow_finish(&t, FLOW_RECEIVERS);
}

/* Packets of different lengths, before a receiver is polled. */
static void several(struct gen *g)
{
	struct flow_stage t;

	if (!passes_case(g, "passes/several",
			 "Packets that DONT_TRAP lets pass, polled together"))
		return;
	t = flow_stage(g, 2, 0);
	for (int i = 0; i < 2; i++)
		rule_of(&t, i, ETH, !i);
	for (uint32_t i = 0; i < FLOW_RECEIVES; i++) {
		flow_send_packet(g, &t.from, GEN_MAC, FLOW_LENGTH + i);
	}
	for (int i = 0; i < 2 * FLOW_RECEIVES; i++)
		await(&t, i / FLOW_RECEIVES);
	flow_finish(&t, 2);
}

/* The rule behind one with DONT_TRAP drops the packet. */
static void then_dropped(struct gen *g)
{
	struct flow_stage t;

	if (!passes_case(g, "passes/then-dropped",
			 "A packet that DONT_TRAP lets pass to ACTION_DROP"))
		return;
	t = flow_stage(g, 2, 0);
	rule_of(&t, 0, ETH, true);
	rule_of(&t, 1, ETH, false);
	prog_num(g->p, F_flow_specs, 2);
	prog_num(g->p, F_flow_spec1, IBV_FLOW_SPEC_ACTION_DROP);
	send_to(&t, 1);
	flow_poll(&t, 1);
	flow_finish(&t, 2);
}

void flow_passes(struct gen *g)
{
	for (int first = 0; first < SHAPES; first++)
		for (int second = 0; second < SHAPES; second++) {
			two_rules(g, first, second, false);
			two_rules(g, first, second, true);
		}
	for (unsigned int passing = 0; passing < 8; passing++)
		three_rules(g, passing);
	over_another(g);
	rule_gone(g, 0);
	rule_gone(g, 1);
	made_later(g);
	for (int which = 0; which < FLOW_RECEIVERS; which++)
		made_again(g, which);
	several(g);
	then_dropped(g);
}

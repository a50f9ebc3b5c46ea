// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tags of rules, which extended completion queues report of received packets.
 */
#include "cases/flow/flow.h"

#define WAIT  100    /* ms in which a packet may arrive */
#define NONE  0	     /* instead of a tag: the rule has none */
#define FIRST 0x1234 /* tags */
#define OTHER 0xabcdef

#define FIELDS (IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_FLOW_TAG)

static bool tag_case(struct gen *g, const char *id, const char *what)
{
	return gen_id(g, "tag/%s", id) &&
	       gen_says_rule(g, ROW_FLOW_TAG_READ,
			     gen_also(g, flow_packet_claim(g),
				      gen_needs(g, CLAIM_CQ_EX)),
			     "%s", what);
}

/* A stage of receivers whose completion queues report tags. */
static struct flow_stage stage(struct gen *g, int n)
{
	struct flow_stage t = {.g = g};

	t.from = flow_sender(g);
	gen_parents(g, QK_RAW_PACKET);
	t.mr = flow_memory(g);
	for (int i = 0; i < n; i++) {
		t.cq[i] = gen_cq_by(g, V_create_cq_ex);
		prog_num(g->p, F_cqe, 16);
		prog_num(g->p, F_wc_flags, FIELDS);
		t.to[i] = gen_qp_by(g, QK_RAW_PACKET, false);
		prog_obj(g->p, F_recv_cq, t.cq[i]);
		gen_bring(g, t.to[i], IBV_QPS_RTS);
		flow_receive(&t, i);
	}
	return t;
}

/* A rule for an address, with a tag unless it is NONE. */
static uint8_t rule_for(const struct flow_stage *t, int which, uint64_t mac,
			uint32_t tag)
{
	struct program *p = t->g->p;
	uint8_t flow = gen_flow(t->g, t->to[which], mac);

	if (tag == NONE)
		return flow;
	prog_num(p, F_flow_specs, 2);
	prog_num(p, F_flow_spec1, IBV_FLOW_SPEC_ACTION_TAG);
	prog_num(p, F_flow_tag, tag);
	return flow;
}

static void send_to(struct flow_stage *t, uint64_t mac)
{
	flow_send_packet(t->g, &t->from, mac, FLOW_LENGTH);
}

static void poll_for(const struct flow_stage *t, int which)
{
	gen_call(t->g, V_start_poll, t->cq[which]);
	prog_num(t->g->p, F_poll_timeout, WAIT);
	gen_call(t->g, V_end_poll, t->cq[which]);
}

static void carry(struct flow_stage *t, int which, uint64_t mac)
{
	send_to(t, mac);
	poll_for(t, which);
}

static void value(struct gen *g, uint32_t tag)
{
	struct flow_stage t;
	char id[24];

	snprintf(id, sizeof(id), "value/0x%x", tag);
	if (!tag_case(g, id, "A rule with a tag"))
		return;
	t = stage(g, 1);
	rule_for(&t, 0, GEN_MAC, tag);
	carry(&t, 0, GEN_MAC);
	carry(&t, 0, GEN_MAC);
	flow_finish(&t, 1);
}

/* The tag stands in another place of the rule. */
static void place(struct gen *g, int at)
{
	static const enum field fields[] = {F_flow_spec0, F_flow_spec1,
					    F_flow_spec2, F_flow_spec3};
	static const uint32_t headers[] = {
		IBV_FLOW_SPEC_ETH, IBV_FLOW_SPEC_IPV4, IBV_FLOW_SPEC_UDP};
	struct flow_stage t;
	char id[24];

	snprintf(id, sizeof(id), "place/%d", at);
	if (!tag_case(g, id, "A rule with headers and a tag"))
		return;
	t = stage(g, 1);
	rule_for(&t, 0, GEN_MAC, FIRST);
	prog_num(g->p, F_flow_specs, COUNT(fields));
	for (int i = 0, header = 0; i < (int)COUNT(fields); i++)
		prog_num(g->p, fields[i],
			 i == at ? IBV_FLOW_SPEC_ACTION_TAG
				 : headers[header++]);
	prog_num(g->p, F_flow_val_l4_dst, FLOW_PORT);
	prog_num(g->p, F_flow_mask_l4_dst, 0xffff);
	carry(&t, 0, GEN_MAC);
	flow_finish(&t, 1);
}

/* Two rules of one queue pair or of two, in the order in which they are made.
 * Packets of both arrive in turn. */
static const struct pair {
	const char *name;
	uint32_t tag[2];
} pairs[] = {
	{"differ", {FIRST, OTHER}},	   {"higher-first", {OTHER, FIRST}},
	{"next", {FIRST, FIRST + 1}},	   {"equal", {FIRST, FIRST}},
	{"second-without", {FIRST, NONE}}, {"first-without", {NONE, FIRST}},
};

static void two_rules(struct gen *g, const struct pair *v, int receivers)
{
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "two/%s%s", v->name,
		 receivers > 1 ? "-receivers" : "");
	if (!tag_case(g, id, "Two rules with tags"))
		return;
	t = stage(g, receivers);
	for (int i = 0; i < 2; i++)
		rule_for(&t, i % receivers, GEN_MAC + (uint64_t)i, v->tag[i]);
	for (int i = 0; i < 4; i++)
		carry(&t, i % 2 % receivers, GEN_MAC + (uint64_t)i % 2);
	flow_finish(&t, receivers);
}

/* Completions of both rules in one batch. */
static void one_batch(struct gen *g)
{
	struct flow_stage t;

	if (!tag_case(g, "two/batch", "Packets of two rules, polled together"))
		return;
	t = stage(g, 1);
	rule_for(&t, 0, GEN_MAC, FIRST);
	rule_for(&t, 0, GEN_MAC + 1, OTHER);
	for (uint64_t i = 0; i < 3; i++)
		send_to(&t, GEN_MAC + i % 2);
	gen_call(g, V_start_poll, t.cq[0]);
	prog_num(g->p, F_poll_timeout, WAIT);
	for (int i = 0; i < 2; i++)
		gen_call(g, V_next_poll, t.cq[0]);
	gen_call(g, V_end_poll, t.cq[0]);
	flow_finish(&t, 1);
}

/* Both rules match; the one with the lower priority number decides. */
static void overlap(struct gen *g, bool decides_last)
{
	struct flow_stage t;

	if (!tag_case(g, decides_last ? "overlap/last" : "overlap/first",
		      "A packet that two rules with tags match"))
		return;
	t = stage(g, 1);
	for (int i = 0; i < 2; i++) {
		bool decides = (i == 1) == decides_last;

		rule_for(&t, 0, GEN_MAC, decides ? FIRST : OTHER);
		prog_num(g->p, F_flow_priority, decides ? 0 : 5);
	}
	carry(&t, 0, GEN_MAC);
	flow_finish(&t, 1);
}

/* DONT_TRAP gives each queue pair a copy with the tag of its own rule. */
static void passed(struct gen *g, const struct pair *v)
{
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "passed/%s", v->name);
	if (!tag_case(g, id, "A packet that passes a rule with a tag"))
		return;
	t = stage(g, 2);
	for (int i = 0; i < 2; i++) {
		rule_for(&t, i, GEN_MAC, v->tag[i]);
		prog_num(g->p, F_flow_priority, (uint64_t)i);
		if (!i)
			prog_num(g->p, F_flow_flags,
				 IBV_FLOW_ATTR_FLAGS_DONT_TRAP);
	}
	carry(&t, 0, GEN_MAC);
	poll_for(&t, 1);
	flow_finish(&t, 2);
}

/* The second rule is destroyed; or the first one, which is made again with
 * another tag. */
static void destroyed(struct gen *g, bool again)
{
	struct flow_stage t;
	uint8_t flow[2];

	if (!tag_case(g, again ? "destroyed/made-again" : "destroyed/second",
		      "A rule with a tag after one was destroyed"))
		return;
	t = stage(g, 1);
	flow[0] = rule_for(&t, 0, GEN_MAC, FIRST);
	flow[1] = rule_for(&t, 0, GEN_MAC + 1, OTHER);
	carry(&t, 0, GEN_MAC);
	gen_call(g, V_destroy_flow, flow[!again]);
	if (again)
		rule_for(&t, 0, GEN_MAC, FIRST + 1);
	carry(&t, 0, GEN_MAC);
	flow_finish(&t, 1);
}

void flow_tags(struct gen *g)
{
	static const uint32_t values[] = {1,	    0x80,   0xff,    0x100,
					  FIRST,    0xffff, 0x8000,  0x10000,
					  0x800000, OTHER,  0xffffff};

	gen_prefix(g, "packet/");
	for (size_t i = 0; i < COUNT(values); i++)
		value(g, values[i]);
	for (int at = 0; at < 4; at++)
		place(g, at);
	for (size_t i = 0; i < COUNT(pairs); i++) {
		two_rules(g, &pairs[i], 1);
		two_rules(g, &pairs[i], 2);
		passed(g, &pairs[i]);
	}
	one_batch(g);
	overlap(g, false);
	overlap(g, true);
	destroyed(g, false);
	destroyed(g, true);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of flow rules: what may be attached to them, who uses them, and the
 * packets and bytes that they count.
 */
#include "cases/flow/flow.h"

#define VALUES 4 /* that a read gives, and cases look at */

static enum claim counters_claim(const struct gen *g)
{
	return gen_also(g, flow_claim(g), gen_needs(g, CLAIM_COUNTERS));
}

uint8_t flow_counters(struct gen *g)
{
	return gen_make(g, V_create_counters, NO_OBJ);
}

void flow_attach(struct gen *g, uint8_t counters, uint32_t desc, uint64_t index)
{
	gen_call(g, V_attach_counters_point_flow, counters);
	prog_num(g->p, F_attach_desc, desc);
	prog_num(g->p, F_attach_index, index);
}

uint8_t flow_both_counters(struct gen *g)
{
	uint8_t counters = flow_counters(g);

	flow_attach(g, counters, IBV_COUNTER_PACKETS, 0);
	flow_attach(g, counters, IBV_COUNTER_BYTES, 1);
	return counters;
}

void flow_read_counters(struct gen *g, uint8_t counters, uint64_t n,
			uint32_t flags)
{
	gen_call(g, V_read_counters, counters);
	prog_num(g->p, F_read_number, n);
	prog_num(g->p, F_read_flags, flags);
}

uint8_t flow_counting_rule(struct gen *g, uint8_t qp, uint64_t mac,
			   uint8_t counters)
{
	uint8_t flow = gen_flow(g, qp, mac);

	prog_num(g->p, F_flow_specs, 2);
	prog_num(g->p, F_flow_spec1, IBV_FLOW_SPEC_ACTION_COUNT);
	prog_obj(g->p, F_flow_counters, counters);
	return flow;
}

static bool begin(struct gen *g, const char *id, enum row row, const char *what)
{
	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row, counters_claim(g), "%s", what);
}

static void creation(struct gen *g)
{
	static const int bits[] = {0, 1, 31};

	if (gen_id(g, "two") &&
	    gen_says_rule(g, ROW_COUNTERS_ACCEPT, gen_needs(g, CLAIM_COUNTERS),
			  "Two counters")) {
		uint8_t first = flow_counters(g), second = flow_counters(g);

		gen_call(g, V_destroy_counters, first);
		first = flow_counters(g);
		gen_call(g, V_destroy_counters, second);
		gen_call(g, V_destroy_counters, first);
		gen_done(g);
	}
	for (size_t i = 0; i < COUNT(bits); i++) {
		if (!gen_id(g, "comp-mask/bit%d", bits[i]) ||
		    !gen_says_rule(g, ROW_COUNTERS_MASK,
				   gen_needs(g, CLAIM_COUNTERS),
				   "ibv_create_counters with bit %d", bits[i]))
			continue;
		flow_counters(g);
		prog_num(g->p, F_counters_comp_mask,
			 (uint64_t)(int64_t)(int32_t)(1u << bits[i]));
		gen_done(g);
	}
	if (g->d->can_count || !gen_id(g, "unsupported") ||
	    !gen_says_rule(g, ROW_COUNTERS_UNSUPPORTED, CLAIM_NONE,
			   "ibv_create_counters on a device without them"))
		return;
	flow_counters(g);
	gen_done(g);
}

/* An attachment to counters without a rule. */
struct attachment {
	const char *name;
	enum row row;
	uint64_t desc, index, comp_mask;
};

static void attachment(struct gen *g, const struct attachment *a)
{
	uint8_t counters;

	if (!gen_id(g, "attach/%s", a->name) ||
	    !gen_says_rule(g, a->row, gen_needs(g, CLAIM_COUNTERS),
			   "ibv_attach_counters_point_flow, %s", a->name))
		return;
	counters = flow_counters(g);
	flow_attach(g, counters, (uint32_t)a->desc, a->index);
	prog_num(g->p, F_attach_comp_mask, a->comp_mask);
	flow_attach(g, counters, IBV_COUNTER_PACKETS, 0);
	gen_call(g, V_destroy_counters, counters);
	gen_done(g);
}

static void attachments(struct gen *g)
{
	static const struct attachment list[] = {
		{"packets", ROW_ATTACH_ACCEPT, IBV_COUNTER_PACKETS, 0, 0},
		{"bytes", ROW_ATTACH_ACCEPT, IBV_COUNTER_BYTES, 0, 0},
		{"index-7", ROW_ATTACH_ACCEPT, IBV_COUNTER_PACKETS, 7, 0},
		{"desc-2", ROW_ATTACH_DESC, 2, 0, 0},
		{"desc-255", ROW_ATTACH_DESC, 255, 0, 0},
		{"desc-bit31", ROW_ATTACH_DESC, 1u << 31, 0, 0},
		{"comp-mask-bit0", ROW_ATTACH_MASK, 0, 0, 1},
		{"comp-mask-bit31", ROW_ATTACH_MASK, 1, 0, 1u << 31},
	};

	for (size_t i = 0; i < COUNT(list); i++)
		attachment(g, &list[i]);
}

/* Nothing is attached while a rule uses the counters, and again afterwards. */
static void bound(struct gen *g)
{
	uint8_t counters, flow;

	if (!begin(g, "attach/bound", ROW_ATTACH_BOUND,
		   "An attachment to counters that a rule uses"))
		return;
	gen_qp(g, QK_RAW_PACKET);
	counters = flow_both_counters(g);
	flow = flow_counting_rule(g, g->qp, GEN_MAC, counters);
	flow_attach(g, counters, IBV_COUNTER_BYTES, 2);
	gen_call(g, V_destroy_flow, flow);
	flow_attach(g, counters, IBV_COUNTER_BYTES, 2);
	flow = flow_counting_rule(g, g->qp, GEN_MAC, counters);
	flow_read_counters(g, counters, VALUES, 0);
	gen_call(g, V_destroy_flow, flow);
	gen_call(g, V_destroy_counters, counters);
	gen_done(g);
}

/* An attachment to a rule that exists. */
static void to_rule(struct gen *g)
{
	uint8_t counters, flow;

	if (!begin(g, "attach/rule", ROW_ATTACH_FLOW,
		   "A counter attached to a rule"))
		return;
	gen_qp(g, QK_RAW_PACKET);
	counters = flow_counters(g);
	flow = gen_flow(g, g->qp, GEN_MAC);
	flow_attach(g, counters, IBV_COUNTER_PACKETS, 0);
	prog_obj(g->p, F_attach_flow, flow);
	gen_call(g, V_destroy_flow, flow);
	gen_call(g, V_destroy_counters, counters);
	gen_done(g);
}

/* Rules that count, and one whose counters have no attachment. */
static void rules(struct gen *g)
{
	uint8_t counters, flow;

	if (begin(g, "rule/both", ROW_FLOW_COUNT, "A rule that counts")) {
		gen_qp(g, QK_RAW_PACKET);
		counters = flow_both_counters(g);
		flow = flow_counting_rule(g, g->qp, GEN_MAC, counters);
		gen_call(g, V_destroy_flow, flow);
		gen_call(g, V_destroy_counters, counters);
		gen_call(g, V_destroy_qp, g->qp);
		gen_done(g);
	}
	if (begin(g, "rule/count-first", ROW_FLOW_COUNT,
		  "A rule whose action stands before its header")) {
		gen_qp(g, QK_RAW_PACKET);
		counters = flow_both_counters(g);
		flow_counting_rule(g, g->qp, GEN_MAC, counters);
		prog_num(g->p, F_flow_spec0, IBV_FLOW_SPEC_ACTION_COUNT);
		prog_num(g->p, F_flow_spec1, IBV_FLOW_SPEC_ETH);
		gen_done(g);
	}
	if (begin(g, "rule/no-header", ROW_FLOW_NO_SPECS,
		  "A rule of the action alone")) {
		gen_qp(g, QK_RAW_PACKET);
		counters = flow_both_counters(g);
		flow_counting_rule(g, g->qp, GEN_MAC, counters);
		prog_num(g->p, F_flow_specs, 1);
		prog_num(g->p, F_flow_spec0, IBV_FLOW_SPEC_ACTION_COUNT);
		gen_done(g);
	}
	if (begin(g, "rule/empty", ROW_FLOW_COUNT_EMPTY,
		  "A rule by counters without an attachment")) {
		gen_qp(g, QK_RAW_PACKET);
		counters = flow_counters(g);
		flow_counting_rule(g, g->qp, GEN_MAC, counters);
		gen_call(g, V_destroy_qp, g->qp);
		gen_done(g);
	}
}

/* Two rules use the counters; each keeps them. */
static void two_rules(struct gen *g)
{
	uint8_t counters, first, second;

	if (!begin(g, "rule/two", ROW_LIFE_COUNTERS,
		   "Counters that two rules use"))
		return;
	gen_qp(g, QK_RAW_PACKET);
	counters = flow_both_counters(g);
	first = flow_counting_rule(g, g->qp, GEN_MAC, counters);
	second = flow_counting_rule(g, g->qp, GEN_MAC + 1, counters);
	gen_call(g, V_destroy_counters, counters);
	gen_call(g, V_destroy_flow, first);
	gen_call(g, V_destroy_counters, counters);
	gen_call(g, V_destroy_flow, second);
	gen_call(g, V_destroy_counters, counters);
	gen_done(g);
}

/* Reads of counters that a rule uses, before any packet. */
static void reads(struct gen *g)
{
	static const struct {
		const char *name;
		enum row row;
		uint64_t n, flags;
	} list[] = {
		{"zeros", ROW_COUNTERS_CLEARED, 2, 0},
		{"longer", ROW_COUNTERS_GUARD, 3, 0},
		{"cached", ROW_COUNTERS_CACHED, 2, 1},
		{"flag-bit1", ROW_COUNTERS_FLAGS, 2, 1u << 1},
		{"flag-bit31", ROW_COUNTERS_FLAGS, 2, 1u << 31},
		{"short", ROW_COUNTERS_SHORT, 1, 0},
		{"empty", ROW_COUNTERS_SHORT, 0, 0},
	};
	uint8_t counters;

	for (size_t i = 0; i < COUNT(list); i++) {
		char id[32];

		snprintf(id, sizeof(id), "read/%s", list[i].name);
		if (!begin(g, id, list[i].row, "A read before any packet"))
			continue;
		gen_qp(g, QK_RAW_PACKET);
		counters = flow_both_counters(g);
		flow_counting_rule(g, g->qp, GEN_MAC, counters);
		flow_read_counters(g, counters, list[i].n,
				   (uint32_t)list[i].flags);
		gen_done(g);
	}
	if (!begin(g, "read/unbound", ROW_COUNTERS_UNBOUND,
		   "A read of counters that no rule uses"))
		return;
	counters = flow_both_counters(g);
	flow_read_counters(g, counters, 2, 0);
	gen_call(g, V_destroy_counters, counters);
	gen_done(g);
}

void flow_count(struct flow_stage *t, uint64_t mac, int n, uint32_t length)
{
	flow_packet(t->g, &t->from, mac, length);
	for (int i = 0; i < n; i++) {
		flow_send(t->g, &t->from, length);
		flow_poll(t, 0);
	}
}

bool flow_counts_case(struct gen *g, const char *id, enum row row,
		      const char *what)
{
	return flow_packet_case(g, id, row, gen_needs(g, CLAIM_COUNTERS), what);
}

/* Packets and bytes, or one of them. */
static void counted(struct gen *g, const char *id, enum row row, bool both,
		    uint32_t desc)
{
	struct flow_stage t;
	uint8_t counters;

	if (!flow_counts_case(g, id, row, "Packets that a rule counts"))
		return;
	t = flow_stage(g, 1, 0);
	counters = both ? flow_both_counters(g) : flow_counters(g);
	if (!both)
		flow_attach(g, counters, desc, 0);
	flow_counting_rule(g, t.to[0], GEN_MAC, counters);
	flow_read_counters(g, counters, VALUES, 0);
	flow_count(&t, GEN_MAC, 1, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	flow_count(&t, GEN_MAC, 2, FLOW_LENGTH / 2 + 1);
	flow_read_counters(g, counters, VALUES, 0);
	flow_finish(&t, 1);
}

/* Packets that the rule does not match, and a rule that does not count. */
static void not_counted(struct gen *g)
{
	struct flow_stage t;
	uint8_t counters;

	if (!flow_counts_case(g, "packets/others", ROW_COUNTERS_CLEARED,
			      "Packets that no counting rule takes"))
		return;
	t = flow_stage(g, 1, 0);
	counters = flow_both_counters(g);
	flow_counting_rule(g, t.to[0], GEN_MAC, counters);
	gen_flow(g, t.to[0], GEN_MAC + 1);
	flow_count(&t, GEN_MAC + 1, 2, FLOW_LENGTH);
	flow_count(&t, GEN_MAC + 7, 1, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	flow_count(&t, GEN_MAC, 1, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	flow_finish(&t, 1);
}

/* Several attachments to one index add up. */
static void summed(struct gen *g, const char *id, uint32_t first,
		   uint32_t second)
{
	struct flow_stage t;
	uint8_t counters;

	if (!flow_counts_case(g, id, ROW_COUNTERS_SUM,
			      "Two counters at one index"))
		return;
	t = flow_stage(g, 1, 0);
	counters = flow_counters(g);
	flow_attach(g, counters, first, 1);
	flow_attach(g, counters, second, 1);
	flow_counting_rule(g, t.to[0], GEN_MAC, counters);
	flow_count(&t, GEN_MAC, 3, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	flow_finish(&t, 1);
}

/* Two rules with the same counters; one of them is destroyed. */
static void shared(struct gen *g)
{
	uint8_t counters, flow;
	struct flow_stage t;

	if (!flow_counts_case(g, "packets/two-rules", ROW_COUNTERS_SHARED,
			      "Packets of two rules with the same counters"))
		return;
	t = flow_stage(g, 1, 0);
	counters = flow_both_counters(g);
	flow = flow_counting_rule(g, t.to[0], GEN_MAC, counters);
	flow_counting_rule(g, t.to[0], GEN_MAC + 1, counters);
	flow_count(&t, GEN_MAC, 1, FLOW_LENGTH);
	flow_count(&t, GEN_MAC + 1, 2, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	gen_call(g, V_destroy_flow, flow);
	flow_count(&t, GEN_MAC, 1, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	flow_finish(&t, 1);
}

/* Two rules with counters of their own. */
static void apart(struct gen *g)
{
	uint8_t first, second;
	struct flow_stage t;

	if (!flow_counts_case(g, "packets/two-counters", ROW_COUNTERS_PACKETS,
			      "Two rules with counters of their own"))
		return;
	t = flow_stage(g, 1, 0);
	first = flow_both_counters(g);
	second = flow_both_counters(g);
	flow_counting_rule(g, t.to[0], GEN_MAC, first);
	flow_counting_rule(g, t.to[0], GEN_MAC + 1, second);
	flow_count(&t, GEN_MAC, 1, FLOW_LENGTH);
	flow_count(&t, GEN_MAC + 1, 2, FLOW_LENGTH / 2 + 1);
	flow_read_counters(g, first, VALUES, 0);
	flow_read_counters(g, second, VALUES, 0);
	flow_finish(&t, 1);
}

/* Values stay when a rule goes, and another rule adds to them. */
static void kept(struct gen *g)
{
	uint8_t counters, flow;
	struct flow_stage t;

	if (!flow_counts_case(g, "packets/next-rule", ROW_COUNTERS_RISE,
			      "A rule that is destroyed, and the next one"))
		return;
	t = flow_stage(g, 1, 0);
	counters = flow_both_counters(g);
	flow = flow_counting_rule(g, t.to[0], GEN_MAC, counters);
	flow_count(&t, GEN_MAC, 2, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	gen_call(g, V_destroy_flow, flow);
	flow_counting_rule(g, t.to[0], GEN_MAC + 1, counters);
	flow_read_counters(g, counters, VALUES, 0);
	flow_count(&t, GEN_MAC + 1, 1, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	flow_finish(&t, 1);
}

/* Reads from the cache, between reads of the device. */
static void cached(struct gen *g)
{
	struct flow_stage t;
	uint8_t counters;

	if (!flow_counts_case(g, "packets/cached", ROW_COUNTERS_CACHED,
			      "Reads with PREFER_CACHED"))
		return;
	t = flow_stage(g, 1, 0);
	counters = flow_both_counters(g);
	flow_counting_rule(g, t.to[0], GEN_MAC, counters);
	flow_count(&t, GEN_MAC, 1, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 1);
	flow_count(&t, GEN_MAC, 1, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 1);
	flow_read_counters(g, counters, VALUES, 0);
	flow_read_counters(g, counters, VALUES, 1);
	flow_finish(&t, 1);
}

void gen_flow_counters(struct gen *g)
{
	gen_prefix(g, "counters/");
	creation(g);
	attachments(g);
	bound(g);
	to_rule(g);
	rules(g);
	two_rules(g);
	reads(g);
	counted(g, "packets/both", ROW_COUNTERS_PACKETS, true, 0);
	counted(g, "packets/alone", ROW_COUNTERS_PACKETS, false,
		IBV_COUNTER_PACKETS);
	counted(g, "packets/bytes", ROW_COUNTERS_BYTES, false,
		IBV_COUNTER_BYTES);
	not_counted(g);
	summed(g, "packets/sum", IBV_COUNTER_PACKETS, IBV_COUNTER_BYTES);
	summed(g, "packets/twice", IBV_COUNTER_PACKETS, IBV_COUNTER_PACKETS);
	shared(g);
	apart(g);
	kept(g);
	cached(g);
	flow_counters_sum(g);
	flow_counters_again(g);
}

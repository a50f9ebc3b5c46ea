// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Segments that a device cuts with TSO, and that a rule of the same port leads
 * to another queue pair.
 */
#include "cases/flow/flow.h"

#define MSS	       100 /* a segment and its header fit into a receive */
#define NOBODY	       0   /* the address in the header */
#define RECEIVES       6   /* a request has fewer segments */
#define PATTERN	       5
#define PATTERN_BEFORE 6 /* in receives */

static bool segment_case(struct gen *g, const char *id, enum row row,
			 const char *what)
{
	return flow_packet_case(g, id, row, gen_needs(g, CLAIM_TSO), what);
}

static void ask_for_tso(struct gen *g)
{
	flow_ask_tso(g);
	prog_num(g->p, F_max_send_sge, 2);
}

static void ask_for_batches(struct gen *g)
{
	ask_for_tso(g);
	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER |
			 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_num(g->p, F_send_ops_flags, IBV_QP_EX_WITH_TSO);
}

/* A sender, and a queue pair whose receives have memory of their own, since
 * segments come together. */
static struct flow_stage stage(struct gen *g, void (*ask)(struct gen *g))
{
	struct flow_stage t = {.g = g, .from = flow_sender_with(g, ask)};

	gen_fill(g, t.from.mr, PATTERN);
	gen_parents(g, QK_RAW_PACKET);
	t.mr = gen_mr_of(g, g->pd, RECEIVES * FLOW_ROOM,
			 IBV_ACCESS_LOCAL_WRITE);
	gen_fill(g, t.mr, PATTERN_BEFORE);
	t.cq[0] = gen_cq(g);
	t.to[0] = gen_qp_of(g, QK_RAW_PACKET);
	prog_obj(g->p, F_recv_cq, t.cq[0]);
	gen_bring(g, t.to[0], IBV_QPS_RTS);
	for (int i = 0; i < RECEIVES; i++)
		flow_post(g, V_post_recv, t.to[0], t.mr, i, 1);
	return t;
}

static void put_request(struct flow_stage *t, uint32_t length, uint32_t header)
{
	flow_put_tso(t->g, &t->from, length, header, MSS);
}

/* Posts a payload. Callers may add or replace settings. */
static void post(struct flow_stage *t, uint32_t length, uint32_t header)
{
	gen_call(t->g, V_post_send, t->from.qp);
	put_request(t, length, header);
}

/* Polls for the send, for the segments of `length` bytes, and once more. */
static void take_segments(const struct flow_stage *t, uint32_t length,
			  uint32_t mss)
{
	struct gen *g = t->g;

	flow_await_sent(g, &t->from);
	for (uint32_t at = 0; at < length + mss; at += mss)
		flow_poll(t, 0);
}

static void take(const struct flow_stage *t, uint32_t length)
{
	take_segments(t, length, MSS);
}

static const struct payload {
	const char *name;
	uint32_t length, header;
	uint32_t mss; /* 0: MSS */
} payloads[] = {
	{"none", 0, TSO_HEADER_LEN, 0},
	{"less", MSS - 1, TSO_HEADER_LEN, 0},
	{"one", MSS, TSO_HEADER_LEN, 0},
	{"one-more", MSS + 1, TSO_HEADER_LEN, 0},
	{"three", 3 * MSS, TSO_HEADER_LEN, 0},
	{"rest", 3 * MSS + 5, TSO_HEADER_LEN, 0},
	{"longer-header", 2 * MSS + 50, FLOW_TSO_HEADER, 0},
	{"longer-header-two", 2 * MSS, FLOW_TSO_HEADER, 0},
	{"two", 2 * MSS, TSO_HEADER_LEN, 0},
	{"four", 4 * MSS, TSO_HEADER_LEN, 0},
	{"mss-1-one", 1, TSO_HEADER_LEN, 1},
	{"mss-1-two", 2, TSO_HEADER_LEN, 1},
	{"mss-1-four", 4, TSO_HEADER_LEN, 1},
};

static void cut(struct gen *g, const struct payload *p)
{
	struct flow_stage t;

	if (!segment_case(g, p->name, ROW_TSO_SEGMENTS, "A payload with TSO"))
		return;
	t = stage(g, ask_for_tso);
	gen_flow(g, t.to[0], NOBODY);
	post(&t, p->length, p->header);
	if (p->mss)
		prog_num(g->p, F_send_tso_mss, p->mss);
	take_segments(&t, p->length, p->mss ? p->mss : MSS);
	flow_finish(&t, RECEIVES);
}

/* A segment has bytes of both elements of `each` bytes, or of one of them. */
static void gathered(struct gen *g, const char *id, uint32_t each)
{
	struct flow_stage t;

	if (!segment_case(g, id, ROW_TSO_SEGMENTS,
			  "A payload of two elements with TSO"))
		return;
	t = stage(g, ask_for_tso);
	gen_flow(g, t.to[0], NOBODY);
	post(&t, each, TSO_HEADER_LEN);
	prog_num(g->p, F_send_num_sge, 2);
	take(&t, 2 * each);
	flow_finish(&t, RECEIVES);
}

/* Between two requests with TSO stands a packet to the same address. */
static void between(struct gen *g)
{
	struct flow_stage t;

	if (!segment_case(g, "between", ROW_TSO_SEGMENTS,
			  "A packet behind a payload with TSO"))
		return;
	t = stage(g, ask_for_tso);
	gen_flow(g, t.to[0], NOBODY);
	post(&t, 2 * MSS - 1, TSO_HEADER_LEN);
	take(&t, 2 * MSS);
	flow_send_packet(g, &t.from, NOBODY, FLOW_LENGTH);
	flow_poll(&t, 0);
	post(&t, MSS, TSO_HEADER_LEN);
	take(&t, MSS);
	flow_finish(&t, RECEIVES);
}

static void in_batch(struct gen *g, const char *id, uint32_t each)
{
	struct flow_stage t;

	if (!segment_case(g, id, ROW_TSO_SEGMENTS,
			  "Two requests of a batch with TSO"))
		return;
	t = stage(g, ask_for_batches);
	gen_flow(g, t.to[0], NOBODY);
	gen_call(g, V_wr_start, t.from.qp);
	for (uint32_t i = 0; i < 2; i++) {
		gen_call(g, V_wr, t.from.qp);
		put_request(&t, each, TSO_HEADER_LEN);
		prog_num(g->p, F_send_offset, 1000 * i);
	}
	gen_call(g, V_wr_complete, t.from.qp);
	take(&t, 3 * MSS);
	take(&t, 0);
	flow_finish(&t, RECEIVES);
}

/* A rule for TCP from a port that the header has, or has not. */
static void by_port(struct gen *g, bool differs)
{
	struct flow_stage t;

	if (!segment_case(g, differs ? "port-other" : "port", ROW_FLOW_MATCH,
			  "A rule for TCP, and segments"))
		return;
	t = stage(g, ask_for_tso);
	gen_flow(g, t.to[0], NOBODY);
	prog_num(g->p, F_flow_specs, 3);
	prog_num(g->p, F_flow_spec1, IBV_FLOW_SPEC_IPV4);
	prog_num(g->p, F_flow_spec2, IBV_FLOW_SPEC_TCP);
	prog_num(g->p, F_flow_val_l4_src, FLOW_PORT + differs);
	prog_num(g->p, F_flow_mask_l4_src, UINT16_MAX);
	post(&t, 2 * MSS, TSO_HEADER_LEN);
	take(&t, 2 * MSS);
	flow_finish(&t, RECEIVES);
}

/* Each segment is a packet of its own to counters. */
static void counted(struct gen *g)
{
	struct flow_stage t;
	uint8_t counters;

	if (!flow_packet_case(g, "counted", ROW_COUNTERS_PACKETS,
			      gen_needs(g, CLAIM_TSO, CLAIM_COUNTERS),
			      "Counters of a rule for segments"))
		return;
	t = stage(g, ask_for_tso);
	counters = flow_counters(g);
	flow_attach(g, counters, IBV_COUNTER_PACKETS, 0);
	flow_attach(g, counters, IBV_COUNTER_BYTES, 1);
	flow_counting_rule(g, t.to[0], NOBODY, counters);
	post(&t, 2 * MSS + 50, TSO_HEADER_LEN);
	take(&t, 2 * MSS + 50);
	flow_read_counters(g, counters, 2, 0);
	flow_finish(&t, RECEIVES);
}

void gen_flow_segments(struct gen *g)
{
	gen_prefix(g, "packet/segments/");
	for (size_t i = 0; i < COUNT(payloads); i++)
		cut(g, &payloads[i]);
	gathered(g, "gathered", MSS + 30);
	gathered(g, "gathered-two", MSS);
	gathered(g, "gathered-halves", MSS / 2);
	between(g);
	in_batch(g, "batch", MSS + 50);
	in_batch(g, "batch-whole", MSS);
	by_port(g, false);
	by_port(g, true);
	counted(g);
}

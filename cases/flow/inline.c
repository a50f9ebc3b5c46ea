// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets of just the granted max_inline_data bytes, in one element or in as
 * many as were asked for. The memory is overwritten once a packet is posted.
 */
#include "cases/flow/flow.h"

#define PARTS 4
#define ASKED 96

/* The elements of a packet. Number `part` has the bytes that the others leave.
 */
static const struct parts {
	const char *name;
	unsigned int n, part;
	uint64_t others;
} parts[] = {
	{"one", 1, 1, 0},
	{"equal", PARTS, PARTS, ASKED / PARTS},
	{"first-longer", PARTS, 1, 1},
	{"within-headers", PARTS, 4, 9},
	{"empty-others", PARTS, 2, 0},
};

static void ask_inline(struct gen *g)
{
	prog_num(g->p, F_max_send_sge, PARTS);
	prog_num(g->p, F_max_inline_data, ASKED);
}

static void write_packet(struct flow_stage *t)
{
	flow_packet(t->g, &t->from, GEN_MAC, ASKED);
	prog_out(t->g->p, F_packet_length, t->from.qp, F_max_inline_data, 0);
}

/* Posts a packet of elements that lie one behind the other. */
static void send_parts(struct flow_stage *t, const struct parts *is)
{
	struct program *p = t->g->p;

	gen_call(t->g, V_post_send, t->from.qp);
	prog_num(p, F_send_wr_id, ++t->from.sent);
	prog_num(p, F_send_opcode, IBV_WR_SEND);
	prog_num(p, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_num(p, F_send_num_sge, is->n);
	prog_obj(p, F_send_mr, t->from.mr);
	prog_num(p, F_send_length, is->others);
	prog_num(p, F_send_stride, is->others);
	prog_num(p, F_send_part, is->part);
	prog_out(p, F_send_part_length, t->from.qp, F_max_inline_data,
		 -(int64_t)((is->n - 1) * is->others));
}

static void inline_case(struct gen *g, const struct parts *is)
{
	struct flow_stage t;
	char id[40];

	snprintf(id, sizeof(id), "inline/%s", is->name);
	if (!flow_packet_case(g, id, ROW_DATA_INLINE, CLAIM_NONE,
			      "Packets of inline data"))
		return;
	t = flow_stage_from(g, flow_sender_with(g, ask_inline), 1, 0);
	gen_flow(g, t.to[0], GEN_MAC);
	for (int i = 0; i < 3; i++) {
		write_packet(&t);
		send_parts(&t, is);
		gen_fill(g, t.from.mr, 5);
		flow_await_sent(g, &t.from);
		flow_poll(&t, 0);
		prog_num(g->p, F_poll_timeout, FLOW_ARRIVING);
	}
	flow_finish(&t, 1);
}

void flow_inline(struct gen *g)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		inline_case(g, &parts[i]);
}

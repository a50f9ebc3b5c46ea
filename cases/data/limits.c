// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages of max_msg_sz bytes and one more, and READs of max_sge_rd elements
 * and one more.
 */
#include "cases/data/data.h"

/* ms for the longest message, and bytes of memory for a part of it */
#define LONGEST_WAIT 9000
#define FOLDED_MOST  (64u << 20)

static const struct length most = {"", "max_msg_sz", 0};
static const struct length over = {"", "max_msg_sz", 1};

/* The receive has room for all bytes, so only the limit of the port is
 * exceeded. */
static void longest(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    bool too_long)
{
	const struct length *length = too_long ? &over : &most;
	enum row row = too_long ? ROW_MESSAGE_LONG : ROW_DATA_BYTES;
	struct data d;

	if (!gen_id(g, "%s/%smax_msg_sz", op->slug, too_long ? "over-" : "") ||
	    !post_op_says_with(g, kind, op, CLAIM_SHORT_MESSAGES, row))
		return;
	d = data_stage(g, kind, length);
	data_pair(&d);
	if (op->receive)
		data_recv(&d, 200, length);
	data_send(&d, op, 1, length);
	post_poll_for(&d.p, too_long || !op->receive ? 1 : 2, LONGEST_WAIT);
	if (!too_long)
		data_look_all(&d);
	gen_query(g, d.p.a);
	gen_done(g);
}

/* Returns the largest power of two of elements that divides the message. */
static uint32_t parts(const struct gen *g)
{
	uint32_t bytes = device_port(g->d)->attr.max_msg_sz, n = 1;

	while (2 * n <= g->d->limit[LIM_max_sge] && bytes % (2 * n) == 0)
		n *= 2;
	return n;
}

static uint8_t qp_of_parts(struct gen *g, enum qp_kind kind)
{
	uint8_t qp = gen_qp_of(g, kind);

	prog_num(g->p, F_max_send_sge, parts(g));
	prog_num(g->p, F_max_recv_sge, parts(g));
	return qp;
}

/* A message that exceeds memory: all of its elements are the same bytes. */
static void folded(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	uint32_t part = device_port(g->d)->attr.max_msg_sz / parts(g);
	struct length length = {"", NULL, part};
	struct data d;

	if (part > FOLDED_MOST || !gen_exhaustive(g) ||
	    !post_op_case(g, kind, op, ROW_POST_ACCEPT, "max_msg_sz-folded"))
		return;
	d = data_stage(g, kind, &length);
	d.p.a = g->qp = qp_of_parts(g, kind);
	d.p.b = qp_of_parts(g, kind);
	post_both(&d.p, 0);
	data_recv(&d, 200, &length);
	prog_num(g->p, F_recv_num_sge, parts(g));
	data_send(&d, op, 1, &length);
	prog_num(g->p, F_send_num_sge, parts(g));
	post_poll_for(&d.p, 2, LONGEST_WAIT);
	data_look_at(&d, d.into, 0, DATA_AT);
	data_look(&d, d.from);
	gen_done(g);
}

/* Messages of one element, or of several of which only the last one lies in its
 * region. */
static const struct {
	const char *name;
	uint64_t element, last;
	uint8_t n;
} huge[] = {
	{"element-past-2-GiB", (UINT64_C(1) << 31) + 1, 0, 1},
	{"elements-past-2-GiB", (UINT64_C(1) << 31) + 1, 37, 2},
	{"elements-past-4-GiB", UINT32_MAX / 2, 39, 3}, /* 37 in 32 bits */
};

static void longest_of_all(struct gen *g, enum qp_kind kind,
			   const struct opcode *op, size_t at)
{
	static const struct length length = {"", NULL, 39};
	struct data d;

	if (!gen_id(g, "%s/%s", op->slug, huge[at].name) ||
	    !post_op_says_with(g, kind, op, CLAIM_NONE, ROW_MESSAGE_OUTSIDE))
		return;
	d = data_stage(g, kind, &length);
	data_pair(&d);
	if (op->receive)
		data_recv(&d, 200, &length);
	data_send(&d, op, 1, &length);
	prog_num(g->p, F_send_num_sge, huge[at].n);
	prog_num(g->p, F_send_length, huge[at].element);
	if (huge[at].last) {
		prog_num(g->p, F_send_part, huge[at].n);
		prog_num(g->p, F_send_part_length, huge[at].last);
	}
	post_poll_for(&d.p, 1, POST_WAIT);
	data_look_all(&d);
	gen_query(g, d.p.a);
	gen_done(g);
}

#define READ_PART 16 /* bytes of each element of a READ */

static void read_elements(struct gen *g, enum qp_kind kind, int plus)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_READ);
	static const struct length length = {"", NULL, 2 * DATA_MARGIN};
	enum row row = plus ? ROW_POST_SGE_READ : ROW_DATA_BYTES;
	struct data d;

	if (!post_op_case(g, kind, op, row, "%smax_sge_rd",
			  plus ? "over-" : ""))
		return;
	d = data_stage(g, kind, &length);
	d.p.a = g->qp = data_qp(g, kind);
	prog_limit(g->p, F_max_send_sge, LIM_max_sge_rd, plus);
	d.p.b = data_qp(g, kind);
	post_both(&d.p, 0);
	data_send(&d, op, 1, &length);
	prog_limit(g->p, F_send_num_sge, LIM_max_sge_rd, plus);
	prog_num(g->p, F_send_length, READ_PART);
	prog_num(g->p, F_send_stride, READ_PART + 3);
	post_poll_for(&d.p, 1, plus ? POST_MAYBE : POST_WAIT);
	data_look_all(&d);
	gen_query(g, d.p.a);
	gen_done(g);
}

/* Returns true if queue pairs can have more elements than a READ. */
static bool has_over(const struct gen *g)
{
	return g->d->limit[LIM_max_sge_rd] < g->d->limit[LIM_max_sge];
}

void gen_data_limits(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		bool quick = kind == QK_RC && op[i].value == IBV_WR_SEND;

		if (kind == QK_UD || !post_has(kind, &op[i]) || op[i].atomic ||
		    op[i].imm || (!quick && !gen_full(g)))
			continue;
		longest(g, kind, &op[i], false);
		longest(g, kind, &op[i], true);
		for (size_t at = 0; at < COUNT(huge); at++)
			longest_of_all(g, kind, &op[i], at);
	}
	if (kind != QK_RC)
		return;
	folded(g, kind);
	read_elements(g, kind, 0);
	if (has_over(g))
		read_elements(g, kind, 1);
}

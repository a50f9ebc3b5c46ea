// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Batches of requests that take several blocks of a send ring, which are
 * aborted or refused. None of them keeps a block: a full batch fits afterwards,
 * again and again.
 */
#include "cases/post/post.h"

#define INLINE_ASKED 200 /* bytes: four blocks of 64 bytes with a header */
#define ELEMENTS     4
#define PART	     16 /* bytes of an element */
#define ROUNDS_ONE   48 /* batches of one request, more than blocks */
#define ROUNDS_FULL  4

/* Requests that take several blocks */
static const struct shape {
	const char *name;
	uint32_t opcode, setter;
} shapes[] = {
	{"inline", IBV_WR_SEND, SET_INLINE},
	{"inline-list", IBV_WR_SEND, SET_INLINE_LIST},
	{"write-inline", IBV_WR_RDMA_WRITE, SET_INLINE},
	{"write-inline-list", IBV_WR_RDMA_WRITE, SET_INLINE_LIST},
	{"elements", IBV_WR_SEND, SET_SGE_LIST},
	{"swap", IBV_WR_ATOMIC_CMP_AND_SWP, SET_SGE},
};

/* How a batch ends: aborted, of one request or of as many as the queue holds;
 * or refused for its last request, which has too many elements. */
enum end { ABORTED_ONE, ABORTED_FULL, REFUSED_FULL, ENDS };
static const char *const end_names[ENDS] = {"aborted-one", "aborted-full",
					    "refused-full"};

static bool is_inline(const struct shape *shape)
{
	return shape->setter == SET_INLINE || shape->setter == SET_INLINE_LIST;
}

/* Gives the last request its elements, or all inline bytes that were granted.
 */
static void put_shape(const struct post *p, const struct shape *shape)
{
	struct program *prog = p->g->p;

	prog_num(prog, F_send_setter, shape->setter);
	if (shape->setter == SET_SGE_LIST)
		prog_num(prog, F_send_num_sge, ELEMENTS);
	if (shape->setter == SET_INLINE_LIST)
		prog_num(prog, F_send_num_sge, 2);
	if (shape->setter == SET_INLINE) {
		prog_out(prog, F_send_length, p->a, F_max_inline_data, 0);
	} else if (shape->setter != SET_SGE) {
		prog_num(prog, F_send_length, PART);
		prog_num(prog, F_send_stride, PART);
	}
	if (shape->setter == SET_INLINE_LIST) {
		prog_num(prog, F_send_part, 1);
		prog_out(prog, F_send_part_length, p->a, F_max_inline_data,
			 -PART);
	}
}

/* Opens a batch of a full queue but for `less` requests. */
static void begin_full(const struct post *p, const struct shape *shape,
		       uint64_t wr_id, int less)
{
	post_send(p, shape->opcode, wr_id, IBV_SEND_SIGNALED);
	put_shape(p, shape);
	prog_out(p->g->p, F_send_more, p->a, F_max_send_wr, -1 - less);
}

/* Builds one batch that is not posted. */
static void leave_one(const struct post *p, const struct shape *shape,
		      enum end end)
{
	if (end == ABORTED_ONE) {
		post_send(p, shape->opcode, 1, IBV_SEND_SIGNALED);
		put_shape(p, shape);
		post_abort(p);
		return;
	}
	begin_full(p, shape, 100, end == REFUSED_FULL);
	if (end == ABORTED_FULL) {
		post_abort(p);
		return;
	}
	post_more(p, shape->opcode, 300, IBV_SEND_SIGNALED);
	prog_out(p->g->p, F_send_num_sge, p->a, F_max_send_sge, 1);
	prog_num(p->g->p, F_send_length, 4);
}

/* Carries out a full batch of requests that need no receive, inline as those
 * that were not posted. */
static void carry_full(const struct post *p, const struct shape *shape,
		       uint64_t wr_id)
{
	const struct shape full = {"", post_without_receive(p->kind),
				   shape->opcode == IBV_WR_ATOMIC_CMP_AND_SWP
					   ? SET_SGE_LIST
					   : shape->setter};

	begin_full(p, &full, wr_id, 0);
	post_poll_granted(p, F_max_send_wr);
}

static struct post ready(struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents_with_room(g, kind);

	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_inline_data, INLINE_ASKED);
	prog_num(g->p, F_max_send_sge, ELEMENTS);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 0);
	return p;
}

static void unposted(struct gen *g, enum qp_kind kind,
		     const struct shape *shape, enum end end)
{
	const struct opcode *op = opcode_of(shape->opcode);
	uint64_t limit = g->d->limit[LIM_max_inline_data];
	struct post p;

	if (!post_has(kind, op) || (end == REFUSED_FULL && op->atomic) ||
	    (is_inline(shape) && limit && limit < INLINE_ASKED) ||
	    !gen_id(g, "unposted/%s/%s", shape->name, end_names[end]) ||
	    !post_op_says(g, kind, op,
			  end == REFUSED_FULL ? ROW_WR_WHOLE : ROW_WR_ABORT))
		return;
	p = ready(g, kind);
	for (uint64_t half = 0; half < 2; half++) {
		for (unsigned int i = 0;
		     i < (end == ABORTED_ONE ? ROUNDS_ONE : ROUNDS_FULL) / 2;
		     i++)
			leave_one(&p, shape, end);
		post_poll(&p, 0);
		carry_full(&p, shape, 1000 * (half + 1));
	}
	post_recv(&p, p.b, 200, 0);
	post_send(&p, IBV_WR_SEND, 9, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_end_bytes(&p);
}

void gen_post_unposted(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(shapes); i++)
		for (int end = 0; end < ENDS; end++)
			unposted(g, kind, &shapes[i], (enum end)end);
}

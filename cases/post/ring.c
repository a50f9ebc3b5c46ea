/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests with and without a part that is optional, in turn, around the end of
 * the send ring. Nothing of the request that had a place before may be left.
 */
#include "cases/post/post.h"

#define LENGTH 32 /* of a message; also the inline data that are asked for */
#define TARGET 2048
#define PLACES 16 /* of the bytes of a block */

/* The operations of requests with the part, and of those without. */
static const struct ring {
	const char *name;
	uint32_t with, without;
	uint32_t flags; /* of requests with the part */
	bool empty;	/* requests with the part have elements, others none */
} rings[] = {
	{"imm-data", IBV_WR_SEND_WITH_IMM, IBV_WR_SEND, 0, false},
	{"write-imm-data", IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_WRITE, 0,
	 false},
	{"remote", IBV_WR_RDMA_WRITE, IBV_WR_SEND, 0, false},
	{"remote-imm-data", IBV_WR_RDMA_WRITE, IBV_WR_SEND_WITH_IMM, 0, false},
	{"inline", IBV_WR_SEND, IBV_WR_SEND, IBV_SEND_INLINE, false},
	{"write-inline", IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE, IBV_SEND_INLINE,
	 false},
	{"elements", IBV_WR_SEND, IBV_WR_SEND, 0, true},
	{"write-elements", IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE, 0, true},
	{"swap", IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD, 0,
	 false},
	{"atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_RDMA_READ, 0, false},
};

unsigned int post_ring_block(unsigned int block)
{
	static const unsigned int lengths[] = {1, 2, 3, 5, 7, 4, 6};

	return lengths[block % COUNT(lengths)];
}

static void put_bytes(const struct post *p, const struct opcode *op,
		      unsigned int block)
{
	const uint64_t at = POST_LENGTH * (block % PLACES);
	struct program *prog = p->g->p;

	prog_num(prog, F_send_offset, at);
	if (!op->atomic)
		prog_num(prog, F_send_length, LENGTH);
	if (op->access)
		prog_num(prog, F_send_remote_offset, TARGET + at);
	if (op->atomic)
		prog_num(prog, F_send_compare_add, block);
	if (op->value == IBV_WR_ATOMIC_CMP_AND_SWP)
		prog_num(prog, F_send_swap, POST_VALUE);
}

static void post_block(const struct post *p, const struct ring *ring,
		       unsigned int block)
{
	const bool with = block % 2 == 0;
	const uint32_t opcode = with ? ring->with : ring->without;
	const struct opcode *op = opcode_of(opcode);
	const unsigned int n = post_ring_block(block);

	if (op->receive)
		post_recv(p, p->b, 1000 + 10 * block, n - 1);
	post_send(p, opcode, 10 * block,
		  IBV_SEND_SIGNALED | (with ? ring->flags : 0));
	prog_num(p->g->p, F_send_more, n - 1);
	put_bytes(p, op, block);
	if (ring->empty && !with)
		prog_num(p->g->p, F_send_num_sge, 0);
	if (op->receive)
		post_poll(p, n);
	post_poll(p, n);
}

static void around(struct gen *g, enum qp_kind kind, const struct ring *ring)
{
	const struct opcode *with = opcode_of(ring->with);
	const struct opcode *without = opcode_of(ring->without);
	struct post p;

	if (!post_has(kind, with) || !post_has(kind, without) ||
	    !gen_id(g, "ring/%s", ring->name) ||
	    !post_op_says(g, kind, post_offers(g, kind, with) ? without : with,
			  ROW_POLL_FIELDS))
		return;
	p = post_parents(g, kind);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_inline_data, LENGTH);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 0);
	gen_fill(g, p.mr, 1);
	for (unsigned int i = 0; i < POST_RING_BLOCKS; i++)
		post_block(&p, ring, i);
	post_end_bytes(&p);
}

void gen_post_ring(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(rings); i++)
		around(g, kind, &rings[i]);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ATOMIC_WRITE and FLUSH, which only batches have: a wrong key, offset or right
 * at the other end, and the value that ATOMIC_WRITE writes.
 */
#include "cases/post/post.h"

#define REGION 4096

static struct post ready(struct gen *g, enum qp_kind kind)
{
	struct post p = post_ready(g, kind, IBV_QPS_RTS);

	gen_fill(g, p.mr, 1);
	return p;
}

static void put_at(const struct post *p, const struct opcode *op,
		   uint64_t wr_id, uint64_t offset)
{
	post_send(p, op->value, wr_id, IBV_SEND_SIGNALED);
	prog_num(p->g->p, F_send_remote_offset, offset);
}

static void put_value(const struct post *p, uint64_t wr_id, uint64_t offset,
		      uint64_t value)
{
	put_at(p, opcode_of(IBV_WR_ATOMIC_WRITE), wr_id, offset);
	prog_num(p->g->p, F_send_swap, value);
}

static void values(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_op_case(g, kind, opcode_of(IBV_WR_ATOMIC_WRITE),
			  ROW_DATA_VALUE, "values"))
		return;
	p = ready(g, kind);
	for (uint64_t i = 0; i < 4; i++) {
		put_value(&p, i, 1024 * i, POST_VALUE << 4 * i);
		post_poll(&p, 1);
	}
	put_value(&p, 9, 1024, 0);
	post_poll(&p, 1);
	post_end_bytes(&p);
}

static void wrong_place(struct gen *g, enum qp_kind kind,
			const struct opcode *op, const char *id, enum row row,
			uint64_t offset)
{
	struct post p;

	if (!post_op_case(g, kind, op, row, "%s", id))
		return;
	p = ready(g, kind);
	put_at(&p, op, 1, offset);
	if (row == ROW_REMOTE_KEY)
		prog_out(g->p, F_send_rkey, p.mr, F_keys_rkey, 1);
	post_poll_for(&p, 1, row == ROW_ATOMIC_ALIGN ? POST_MAYBE : POST_WAIT);
	post_poll_for(&p, 4, POST_MAYBE);
	post_end_bytes(&p);
}

/* The region lacks the right that the operation needs. */
static void region_without_right(struct gen *g, enum qp_kind kind,
				 const struct opcode *op)
{
	uint32_t right = opcode_right(op, FLUSH_GLOBAL);
	struct post p;
	uint8_t mr;

	if (!post_op_case(g, kind, op, ROW_REMOTE_RIGHT, "remote-right"))
		return;
	p = ready(g, kind);
	mr = gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access,
		 IBV_ACCESS_LOCAL_WRITE | (gen_remote_access(g) & ~right));
	put_at(&p, op, 1, 1024);
	prog_obj(g->p, F_send_remote, mr);
	post_poll_for(&p, 1, POST_WAIT);
	post_poll_for(&p, 4, POST_MAYBE);
	gen_call(g, V_read_mr, mr);
	post_end_bytes(&p);
}

/* The queue pair lacks the right that the operation needs. */
static void without_right(struct gen *g, enum qp_kind kind,
			  const struct opcode *op)
{
	uint32_t right = opcode_right(op, FLUSH_GLOBAL);
	struct gen_values none = {0};
	struct post p;

	if (!post_op_case(g, kind, op, ROW_REMOTE_QP, "remote-queue-pair"))
		return;
	p = ready(g, kind);
	gen_value(&none, F_qp_access_flags, NULL,
		  gen_remote_access(g) & ~right);
	gen_modify(g, p.b, A_STATE | A_ACCESS_FLAGS, IBV_QPS_RTS, IBV_QPS_RTS,
		   &none);
	put_at(&p, op, 1, 1024);
	post_poll_for(&p, 1, POST_WAIT);
	post_poll_for(&p, 4, POST_MAYBE);
	post_end_bytes(&p);
}

static void faults(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	wrong_place(g, kind, op, "remote-key", ROW_REMOTE_KEY, 1024);
	wrong_place(g, kind, op, "remote-range", ROW_REMOTE_RANGE, REGION);
	if (op->by_value)
		wrong_place(g, kind, op, "unaligned", ROW_ATOMIC_ALIGN, 1028);
	region_without_right(g, kind, op);
	without_right(g, kind, op);
}

void gen_post_batch_operations(struct gen *g, enum qp_kind kind)
{
	static const uint32_t batched[] = {IBV_WR_ATOMIC_WRITE, WR_FLUSH};

	if (!opcode_offered(IBV_WR_ATOMIC_WRITE, kind))
		return;
	values(g, kind);
	for (size_t i = 0; i < COUNT(batched); i++)
		faults(g, kind, opcode_of(batched[i]));
	gen_data_flush(g, kind);
}

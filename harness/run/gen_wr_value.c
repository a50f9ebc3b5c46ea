// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ATOMIC_WRITE, which only a batch has: what it writes, and what a wrong key,
 * place or right at the other end comes to.
 */
#include "run/gen_post.h"

#define REGION 4096

static bool says(struct gen *g, enum qp_kind kind, const char *id, enum row row)
{
	const struct opcode *op = opcode_of(IBV_WR_ATOMIC_WRITE);

	return gen_id(g, "%s/%s", op->slug, id) &&
	       post_op_says(g, kind, op, row);
}

static struct post ready(struct gen *g, enum qp_kind kind)
{
	struct post p = post_ready(g, kind, IBV_QPS_RTS);

	gen_call(g, V_fill_mr, p.mr);
	prog_num(g->p, F_memory_pattern, 1);
	return p;
}

static void put_value(const struct post *p, uint64_t wr_id, uint64_t offset,
		      uint64_t value)
{
	post_send(p, IBV_WR_ATOMIC_WRITE, wr_id, IBV_SEND_SIGNALED);
	prog_num(p->g->p, F_send_remote_offset, offset);
	prog_num(p->g->p, F_send_swap, value);
}

static void finish(const struct post *p)
{
	post_poll(p, 0);
	gen_call(p->g, V_read_mr, p->mr);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	gen_done(p->g);
}

static void values(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!says(g, kind, "values", ROW_DATA_VALUE))
		return;
	p = ready(g, kind);
	for (uint64_t i = 0; i < 4; i++) {
		put_value(&p, i, 1024 * i, POST_VALUE << 4 * i);
		post_poll(&p, 1);
	}
	put_value(&p, 9, 1024, 0);
	post_poll(&p, 1);
	finish(&p);
}

static void wrong_place(struct gen *g, enum qp_kind kind, const char *id,
			enum row row, uint64_t offset)
{
	struct post p;

	if (!says(g, kind, id, row))
		return;
	p = ready(g, kind);
	put_value(&p, 1, offset, POST_VALUE);
	if (row == ROW_REMOTE_KEY)
		prog_out(g->p, F_send_rkey, p.mr, F_keys_rkey, 1);
	post_poll_for(&p, 1, row == ROW_ATOMIC_ALIGN ? POST_MAYBE : POST_WAIT);
	post_poll_for(&p, 4, POST_MAYBE);
	finish(&p);
}

/* The right that is asked for is that of a write: of the region, */
static void region_without_right(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t mr;

	if (!says(g, kind, "remote-right", ROW_REMOTE_RIGHT))
		return;
	p = ready(g, kind);
	mr = gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access,
		 IBV_ACCESS_LOCAL_WRITE | (gen_remote_access(g) &
					   ~(uint32_t)IBV_ACCESS_REMOTE_WRITE));
	put_value(&p, 1, 1024, POST_VALUE);
	prog_obj(g->p, F_send_remote, mr);
	post_poll_for(&p, 1, POST_WAIT);
	post_poll_for(&p, 4, POST_MAYBE);
	gen_call(g, V_read_mr, mr);
	finish(&p);
}

/* and of the queue pair. */
static void without_right(struct gen *g, enum qp_kind kind)
{
	struct gen_values none = {0};
	struct post p;

	if (!says(g, kind, "remote-queue-pair", ROW_REMOTE_QP))
		return;
	p = ready(g, kind);
	gen_value(&none, F_qp_access_flags, NULL,
		  gen_remote_access(g) & ~(uint32_t)IBV_ACCESS_REMOTE_WRITE);
	gen_modify(g, p.b, A_STATE | A_ACCESS_FLAGS, IBV_QPS_RTS, IBV_QPS_RTS,
		   &none);
	put_value(&p, 1, 1024, POST_VALUE);
	post_poll_for(&p, 1, POST_WAIT);
	post_poll_for(&p, 4, POST_MAYBE);
	finish(&p);
}

void gen_wr_values(struct gen *g, enum qp_kind kind)
{
	if (!opcode_offered(IBV_WR_ATOMIC_WRITE, kind))
		return;
	values(g, kind);
	wrong_place(g, kind, "remote-key", ROW_REMOTE_KEY, 1024);
	wrong_place(g, kind, "remote-range", ROW_REMOTE_RANGE, REGION);
	wrong_place(g, kind, "unaligned", ROW_ATOMIC_ALIGN, 1028);
	region_without_right(g, kind);
	without_right(g, kind);
}

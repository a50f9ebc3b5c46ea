// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Successful FLUSH: after the writes that it waits for, of a range and of a
 * whole region, and to persistent memory.
 */
#include "cases/post/post.h"

#define REGION	4096
#define WRITTEN 2048 /* offset of the written bytes in the remote region */

static void put_flush(const struct post *p, uint32_t type, uint32_t level)
{
	post_more(p, WR_FLUSH, 9, IBV_SEND_SIGNALED);
	prog_num(p->g->p, F_send_flush_type, type);
	prog_num(p->g->p, F_send_flush_level, level);
}

/* Posts unsignaled writes, which the flush behind them completes. */
static void put_writes(const struct post *p, unsigned int n)
{
	gen_fill(p->g, p->mr, 1);
	post_send(p, IBV_WR_RDMA_WRITE, 1, 0);
	for (unsigned int i = 1; i < n; i++) {
		post_more(p, IBV_WR_RDMA_WRITE, 1 + i, 0);
		prog_num(p->g->p, F_send_remote_offset,
			 WRITTEN + i * POST_LENGTH);
	}
}

static void finish(const struct post *p)
{
	post_poll(p, 1);
	gen_call(p->g, V_read_mr, p->mr);
	post_poll(p, 0);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	gen_done(p->g);
}

static void written(struct gen *g, enum qp_kind kind, const char *id,
		    unsigned int writes, uint32_t level)
{
	struct post p;

	if (!post_op_case(g, kind, opcode_of(WR_FLUSH), ROW_DATA_FLUSH, "%s",
			  id))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	put_writes(&p, writes);
	put_flush(&p, FLUSH_GLOBAL, level);
	prog_num(g->p, F_send_length, writes * POST_LENGTH);
	finish(&p);
}

/* A flush of a whole region ignores address and length. */
static void region_elsewhere(struct gen *g, enum qp_kind kind, const char *id,
			     uint64_t offset, uint64_t length)
{
	struct post p;

	if (!post_op_case(g, kind, opcode_of(WR_FLUSH), ROW_FLUSH_REGION, "%s",
			  id))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	put_writes(&p, 1);
	put_flush(&p, FLUSH_GLOBAL, FLUSH_MR);
	prog_num(g->p, F_send_remote_offset, offset);
	prog_num(g->p, F_send_length, length);
	finish(&p);
}

static struct post ready_persistent(struct gen *g, enum qp_kind kind)
{
	struct post p = post_ready(g, kind, IBV_QPS_RTS);
	struct gen_values all = {0};

	gen_value(&all, F_qp_access_flags, NULL,
		  gen_remote_access(g) | ACCESS_FLUSH_PERSISTENT);
	gen_modify(g, p.b, A_STATE | A_ACCESS_FLAGS, IBV_QPS_RTS, IBV_QPS_RTS,
		   &all);
	return p;
}

/* If the region is refused, the calls that need it are left out. */
static void persistent(struct gen *g, enum qp_kind kind, const char *id,
		       uint32_t types)
{
	uint32_t rights = types << 8;
	struct post p;
	uint8_t mr;

	if (!gen_id(g, "%s/%s", opcode_of(WR_FLUSH)->slug, id) ||
	    !post_op_says_with(g, kind, opcode_of(WR_FLUSH),
			       CLAIM_FLUSH_PERSISTENT, ROW_MR_PERSISTENT))
		return;
	p = ready_persistent(g, kind);
	mr = gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access, IBV_ACCESS_LOCAL_WRITE | rights);
	post_send(&p, WR_FLUSH, 1, IBV_SEND_SIGNALED);
	prog_obj(g->p, F_send_remote, mr);
	prog_num(g->p, F_send_flush_type, types);
	finish(&p);
}

/* The flush needs two rights, of which the region has one. */
static void half_a_right(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "%s/%s", opcode_of(WR_FLUSH)->slug,
		    "persistent/right") ||
	    !post_op_says_with(g, kind, opcode_of(WR_FLUSH),
			       CLAIM_FLUSH_PERSISTENT, ROW_REMOTE_RIGHT))
		return;
	p = ready_persistent(g, kind);
	post_send(&p, WR_FLUSH, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_flush_type, FLUSH_GLOBAL | FLUSH_PERSISTENT);
	post_poll_for(&p, 1, POST_WAIT);
	post_poll_for(&p, 4, POST_MAYBE);
	gen_done(g);
}

void gen_data_flush(struct gen *g, enum qp_kind kind)
{
	written(g, kind, "range", 1, FLUSH_RANGE);
	written(g, kind, "range-of-many", 8, FLUSH_RANGE);
	written(g, kind, "region", 1, FLUSH_MR);
	written(g, kind, "region-of-many", 8, FLUSH_MR);
	region_elsewhere(g, kind, "region/past-its-end", REGION, 8);
	region_elsewhere(g, kind, "region/too-long", 0, REGION + 1);
	region_elsewhere(g, kind, "region/no-length", 0, 0);
	persistent(g, kind, "persistent/alone", FLUSH_PERSISTENT);
	persistent(g, kind, "persistent/and-global",
		   FLUSH_GLOBAL | FLUSH_PERSISTENT);
	half_a_right(g, kind);
}

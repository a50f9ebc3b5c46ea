// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The queue pairs, memory and mkey of cases of indirect mkeys, the requests
 * that configure the mkey, and messages through it.
 */
#include "vendor-mlx5/cases/mkey.h"

#define INLINE_ROOM 252 /* bytes: 16 entries */

const struct mkey_shape mkey_shapes[SHAPE_NR] = {
	[SHAPE_ONE] = {"one", false, 1, 96, 0, 0, 0, 0, 0, 0, 96},
	[SHAPE_LIST] = {"list", false, 3, 40, 100, 2, 24, 0, 0, 0, 104},
	[SHAPE_BACKWARDS] = {"backwards", false, 4, 16, (uint32_t)-64, 0, 0, 0,
			     0, 0, 64},
	[SHAPE_ONCE] = {"once", true, 1, 64, 0, 0, 0, 1, 8, 8, 64},
	[SHAPE_STRIDED] = {"strided", true, 1, 16, 0, 0, 0, 6, 16, 16, 96},
	[SHAPE_INTERLEAVED] = {"interleaved", true, 2, 16, 512, 2, 8, 4, 8, 8,
			       96},
};

const struct mkey_builder mkey_builders[BY_NR] = {
	[BY_MR] = {"mr", {V_mlx5dv_wr_mr_list, V_mlx5dv_wr_mr_interleaved}},
	[BY_CONFIGURE] = {"configure",
			  {V_mlx5dv_wr_mkey_configure,
			   V_mlx5dv_wr_mkey_configure}},
};

const struct mkey_way mkey_ways[WAY_NR] = {
	[WAY_WRITE_FROM] = {"write-from", IBV_WR_RDMA_WRITE, true, false},
	[WAY_WRITE_TO] = {"write-to", IBV_WR_RDMA_WRITE, false, false},
	[WAY_READ_FROM] = {"read-from", IBV_WR_RDMA_READ, false, false},
	[WAY_READ_TO] = {"read-to", IBV_WR_RDMA_READ, true, false},
	[WAY_SEND_FROM] = {"send-from", IBV_WR_SEND, true, false},
	[WAY_RECEIVE_TO] = {"receive-to", IBV_WR_SEND, false, true},
};

uint8_t mkey_qp(struct gen *g, uint64_t ops)
{
	uint8_t qp =
		mlx5_gen_qp(g, QK_RC,
			    MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS |
				    MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS);

	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_num(g->p, F_send_ops_flags,
		 gen_send_ops(g, QK_RC) | IBV_QP_EX_WITH_LOCAL_INV);
	prog_num(g->p, F_max_inline_data, INLINE_ROOM);
	prog_num(g->p, F_dv_create_flags,
		 MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE);
	prog_num(g->p, F_dv_send_ops_flags, ops);
	return qp;
}

uint8_t mkey_make(struct gen *g, uint32_t flags, uint32_t entries)
{
	uint8_t mkey = gen_make(g, V_mlx5dv_create_mkey, g->pd);

	prog_num(g->p, F_mkey_flags, flags);
	prog_num(g->p, F_mkey_entries, entries);
	return mkey;
}

struct mkey_stage mkey_parents(struct gen *g, uint32_t rights)
{
	struct mkey_stage s = {.p = post_parents(g, QK_RC)};

	s.second = gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access, rights);
	s.mkey = mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
			   MKEY_ENTRIES);
	return s;
}

void mkey_ready(const struct mkey_stage *s)
{
	post_both(&s->p, 0);
	gen_fill(s->p.g, s->p.mr, 1);
	gen_fill(s->p.g, s->second, 2);
}

struct mkey_stage mkey_stage(struct gen *g, uint64_t ops)
{
	struct mkey_stage s = mkey_parents(g, MKEY_RIGHTS);

	s.p.a = g->qp = mkey_qp(g, ops);
	s.p.b = mkey_qp(g, ops);
	mkey_ready(&s);
	return s;
}

void mkey_begin(const struct post *p, enum verb verb, bool more)
{
	struct gen *g = p->g;

	if (!more)
		gen_call(g, V_wr_start, p->a);
	g->building = true;
	g->builder = p->a;
	prog_call(g->p, verb, NO_OBJ, p->a);
}

static void put_shape(const struct mkey_stage *s,
		      const struct mkey_shape *shape)
{
	struct program *prog = s->p.g->p;

	prog_num(prog, F_umr_entries, shape->n);
	prog_obj(prog, F_umr_mr, s->p.mr);
	prog_num(prog, F_umr_offset, 256);
	prog_num(prog, F_umr_length, shape->length);
	prog_num(prog, F_umr_stride, (uint64_t)(int64_t)(int32_t)shape->stride);
	if (shape->part) {
		prog_num(prog, F_umr_part, shape->part);
		prog_obj(prog, F_umr_part_mr, s->second);
		prog_num(prog, F_umr_part_offset, 128);
		prog_num(prog, F_umr_part_length, shape->part_length);
	}
	if (shape->interleaved) {
		prog_num(prog, F_umr_repeat, shape->repeat);
		prog_num(prog, F_umr_skip, shape->skip);
	}
	if (shape->part_skip != shape->skip)
		prog_num(prog, F_umr_part_skip, shape->part_skip);
}

void mkey_configure(const struct mkey_stage *s, const struct mkey_builder *by,
		    const struct mkey_shape *shape, uint64_t wr_id, bool more)
{
	enum verb verb = by->verb[shape->interleaved];
	struct program *prog = s->p.g->p;

	mkey_begin(&s->p, verb, more);
	prog_num(prog, F_umr_wr_id, wr_id);
	prog_num(prog, F_umr_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_obj(prog, F_umr_mkey, s->mkey);
	prog_num(prog, F_umr_access, MKEY_RIGHTS);
	if (verb == V_mlx5dv_wr_mkey_configure)
		prog_num(prog, F_umr_setters,
			 MLX5_SET_ACCESS |
				 (shape->interleaved ? MLX5_SET_INTERLEAVED
						     : MLX5_SET_LIST));
	put_shape(s, shape);
}

void mkey_go(const struct mkey_stage *s, const struct mkey_way *way,
	     uint64_t wr_id, uint32_t offset, uint32_t length)
{
	const struct post *p = &s->p;
	struct program *prog = p->g->p;
	bool receives = way->opcode == IBV_WR_SEND;

	if (receives) {
		post_recv(p, p->b, 200 + wr_id, 0);
		prog_obj(prog, F_recv_mr, way->received ? s->mkey : p->mr);
		prog_num(prog, F_recv_offset,
			 way->received ? offset : MKEY_PLAIN);
		prog_num(prog, F_recv_length, length);
	}
	post_send(p, way->opcode, wr_id, IBV_SEND_SIGNALED);
	prog_obj(prog, F_send_mr, way->own ? s->mkey : p->mr);
	prog_num(prog, F_send_offset, way->own ? offset : MKEY_PLAIN);
	prog_num(prog, F_send_length, length);
	if (!receives) {
		prog_obj(prog, F_send_remote, way->own ? p->mr : s->mkey);
		prog_num(prog, F_send_remote_offset,
			 way->own ? MKEY_PLAIN : offset);
	}
	post_poll(p, receives ? 2 : 1);
}

void mkey_finish(const struct mkey_stage *s)
{
	struct gen *g = s->p.g;

	gen_call(g, V_read_mr, s->p.mr);
	gen_call(g, V_read_mr, s->second);
	post_poll(&s->p, 0);
	gen_query(g, s->p.a);
	gen_done(g);
}

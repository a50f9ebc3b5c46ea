// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of messages whose bytes go through an indirect mkey: each layout and
 * each way, layouts that are configured one after the other, long entries, and
 * queues full of requests that configure.
 */
#include "vendor-mlx5/cases/mkey.h"

#define BORDERS 3 /* that messages begin and end at */

static enum row row_of(const struct mkey_shape *shape)
{
	return shape->interleaved ? ROW_MKEY_INTERLEAVED : ROW_MKEY_LIST;
}

static void bytes_of(struct gen *g, const struct mkey_builder *by,
		     const struct mkey_shape *shape, const struct mkey_way *way)
{
	struct mkey_stage s;

	if (!mkey_opens(g, row_of(shape), "A message through an mkey",
			"%s/%s/%s", by->name, shape->name, way->name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, by, shape, 1, false);
	post_poll(&s.p, 1);
	mkey_go(&s, way, 2, 0, shape->bytes);
	gen_fill(g, s.p.mr, 3);
	mkey_go(&s, way, 3, 8, shape->bytes - 24);
	mkey_finish(&s);
}

/* Short messages begin in the middle of several repetitions of an interleaved
 * layout, and end in the next repetition. */
static void repetitions(struct gen *g, const struct mkey_builder *by,
			const struct mkey_shape *shape,
			const struct mkey_way *way)
{
	struct mkey_stage s;

	if (!mkey_opens(g, row_of(shape), "Messages from the middle of an mkey",
			"%s/%s/%s/repetitions", by->name, shape->name,
			way->name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, by, shape, 1, false);
	post_poll(&s.p, 1);
	for (uint32_t at = 17; at < shape->bytes; at += 23) {
		mkey_go(&s, way, at, at,
			shape->bytes - at < 20 ? shape->bytes - at : 20);
		gen_call(g, V_read_mr, s.p.mr);
	}
	mkey_finish(&s);
}

/* The message is posted in the batch that configures the mkey. */
static void one_batch(struct gen *g, const struct mkey_builder *by,
		      const struct mkey_shape *shape)
{
	struct mkey_stage s;

	if (!mkey_opens(g, row_of(shape), "A message behind a layout",
			"%s/%s/one-batch", by->name, shape->name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, by, shape, 1, false);
	post_more(&s.p, IBV_WR_RDMA_WRITE, 2, IBV_SEND_SIGNALED);
	prog_obj(g->p, F_send_mr, s.mkey);
	prog_num(g->p, F_send_length, shape->bytes);
	prog_obj(g->p, F_send_remote, s.p.mr);
	prog_num(g->p, F_send_remote_offset, MKEY_PLAIN);
	post_poll(&s.p, 2);
	mkey_finish(&s);
}

/* A second layout takes the place of the first one. */
static void another_layout(struct gen *g, const struct mkey_builder *by,
			   const struct mkey_shape *first,
			   const struct mkey_shape *shape)
{
	struct mkey_stage s;

	if (!mkey_opens(g, row_of(shape), "A second layout", "%s/%s/after-%s",
			by->name, shape->name, first->name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, by, first, 1, false);
	mkey_configure(&s, by, shape, 2, false);
	post_poll(&s.p, 2);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 3, 0, shape->bytes);
	mkey_finish(&s);
}

static void layouts(struct gen *g)
{
	for (size_t b = 0; b < BY_NR; b++)
		for (size_t i = 0; i < SHAPE_NR; i++) {
			const struct mkey_shape *shape = &mkey_shapes[i];

			for (size_t w = 0; w < WAY_NR; w++)
				bytes_of(g, &mkey_builders[b], shape,
					 &mkey_ways[w]);
			one_batch(g, &mkey_builders[b], shape);
			another_layout(g, &mkey_builders[b],
				       &mkey_shapes[(i + 1) % SHAPE_NR], shape);
		}
}

/* Returns the length of entry `n` of a layout, in any of its repetitions. */
static uint32_t entry_length(const struct mkey_shape *shape, uint32_t n)
{
	return n % shape->n + 1 == shape->part ? shape->part_length
					       : shape->length;
}

/* Messages begin and end where an entry of the layout ends, and a byte before
 * and behind that. */
static void borders(struct gen *g, const struct mkey_builder *by,
		    const struct mkey_shape *shape, const struct mkey_way *way)
{
	uint32_t border = 0, sent = 0;
	struct mkey_stage s;

	if (!mkey_opens(g, row_of(shape), "Messages at the ends of entries",
			"%s/%s/%s/borders", by->name, shape->name, way->name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, by, shape, 1, false);
	post_poll(&s.p, 1);
	for (uint32_t n = 0; n < BORDERS; n++) {
		border += entry_length(shape, n);
		for (uint32_t at = border - 1; at <= border + 1; at++) {
			if (at < shape->bytes)
				mkey_go(&s, way, 2 + sent++, at,
					shape->bytes - at < 20
						? shape->bytes - at
						: 20);
			if (at <= shape->bytes)
				mkey_go(&s, way, 2 + sent++, at - 12, 12);
			gen_call(g, V_read_mr, s.p.mr);
			gen_call(g, V_read_mr, s.second);
		}
	}
	mkey_finish(&s);
}

static void all_borders(struct gen *g)
{
	static const int shapes[] = {SHAPE_LIST, SHAPE_BACKWARDS,
				     SHAPE_INTERLEAVED};

	for (size_t i = 0; i < COUNT(shapes); i++)
		for (size_t w = 0; w < WAY_NR; w++)
			borders(g, &mkey_builders[(i + w) % BY_NR],
				&mkey_shapes[shapes[i]], &mkey_ways[w]);
}

static void interleaved(struct gen *g)
{
	for (size_t w = 0; w < WAY_NR; w++) {
		repetitions(g, &mkey_builders[BY_MR],
			    &mkey_shapes[SHAPE_STRIDED], &mkey_ways[w]);
		repetitions(g, &mkey_builders[BY_CONFIGURE],
			    &mkey_shapes[SHAPE_INTERLEAVED], &mkey_ways[w]);
	}
}

/* Layouts whose two entries leave out different numbers of bytes. */
static void own_skips(struct gen *g)
{
	static const struct mkey_shape shapes[] = {
		{"skips-16-0", true, 2, 16, 512, 2, 8, 3, 16, 0, 72},
		{"odd-first-16-0", true, 2, 8, 512, 1, 16, 2, 0, 16, 48},
		{"skips-0-16", true, 2, 16, 512, 2, 8, 2, 0, 16, 48},
	};

	for (size_t i = 0; i < COUNT(shapes); i++)
		for (size_t w = 0; w < WAY_NR; w++)
			repetitions(g, &mkey_builders[(i + w) % BY_NR],
				    &shapes[i], &mkey_ways[w]);
}

/* An entry, or what lies between two passes, of more than 16 bits. */
static void long_entry(struct gen *g, const char *name, uint32_t length,
		       uint32_t skip)
{
	const struct mkey_shape *once = &mkey_shapes[SHAPE_ONCE];
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_MKEY_INTERLEAVED, "A long entry", "mr/%s", name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	s.second = gen_mr_of(g, g->pd, 4ull << 16, MKEY_RIGHTS);
	gen_fill(g, s.second, 4);
	mkey_configure(&s, &mkey_builders[BY_MR], once, 1, false);
	prog_obj(g->p, F_umr_mr, s.second);
	prog_num(g->p, F_umr_length, length);
	prog_num(g->p, F_umr_skip, skip);
	prog_num(g->p, F_umr_repeat, 2);
	post_poll(&s.p, 1);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 2, length - 8, 64);
	mkey_finish(&s);
}

/* The queue takes as many requests of a builder as it has entries. */
static void full_queue(struct gen *g, const struct mkey_builder *by,
		       uint64_t op)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_MKEY_LIST, "A queue full of layouts", "%s/full",
			by->name))
		return;
	s = mkey_stage(g, op);
	for (uint64_t i = 0; i < GEN_QUEUE_WR; i++)
		mkey_configure(&s, by, &mkey_shapes[i % 2], i, i != 0);
	post_poll(&s.p, GEN_QUEUE_WR);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 20, 0,
		mkey_shapes[SHAPE_ONE].bytes);
	mkey_finish(&s);
}

/* The same for a queue pair whose other requests are as short as they can be.
 */
static void full_of_short(struct gen *g, const struct mkey_builder *by,
			  uint64_t op)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_MKEY_LIST, "A queue full of layouts",
			"%s/full-of-short", by->name))
		return;
	s = mkey_parents(g, IBV_ACCESS_LOCAL_WRITE);
	s.p.a = g->qp = mkey_qp(g, op);
	prog_num(g->p, F_send_ops_flags, IBV_QP_EX_WITH_SEND);
	prog_num(g->p, F_max_inline_data, 12);
	prog_num(g->p, F_max_send_sge, 1);
	s.p.b = mkey_qp(g, op);
	mkey_ready(&s);
	for (uint64_t i = 0; i < GEN_QUEUE_WR; i++)
		mkey_configure(&s, by, &mkey_shapes[SHAPE_ONE], i, i != 0);
	post_poll(&s.p, GEN_QUEUE_WR);
	mkey_go(&s, &mkey_ways[WAY_SEND_FROM], 20, 0,
		mkey_shapes[SHAPE_ONE].bytes);
	mkey_finish(&s);
}

void mlx5_gen_mkey(struct gen *g)
{
	gen_prefix(g, "mlx5/mkey/");
	mlx5_gen_mkey_create(g);
	g->wr = true;
	layouts(g);
	interleaved(g);
	all_borders(g);
	own_skips(g);
	mlx5_gen_mkey_refused(g);
	long_entry(g, "long-entry", 1u << 16, 0);
	long_entry(g, "long-skip", 64, 1u << 16);
	mlx5_gen_mkey_unasked(g);
	mlx5_gen_mkey_fate(g);
	mlx5_gen_mkey_rights(g);
	full_queue(g, &mkey_builders[BY_MR], MLX5DV_QP_EX_WITH_MR_LIST);
	full_queue(g, &mkey_builders[BY_CONFIGURE],
		   MLX5DV_QP_EX_WITH_MKEY_CONFIGURE);
	full_of_short(g, &mkey_builders[BY_MR], MLX5DV_QP_EX_WITH_MR_LIST);
	full_of_short(g, &mkey_builders[BY_CONFIGURE],
		      MLX5DV_QP_EX_WITH_MKEY_CONFIGURE);
	g->wr = false;
}

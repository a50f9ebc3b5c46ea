// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for indirect mkeys: their creation, the requests that configure them,
 * and messages whose bytes go through them. Also copies of memory by the device
 * (mlx5dv_wr_memcpy).
 */
#include <infiniband/mlx5dv.h>
#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"

#define INLINE_ROOM 252 /* bytes: 16 entries */
#define ENTRIES	    16
#define PLAIN	    3072 /* where the memory begins that is no mkey's */
#define RIGHTS                                                                 \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                    \
	 IBV_ACCESS_REMOTE_READ)
#define ALL_OPS                                                                \
	(MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MR_LIST |        \
	 MLX5DV_QP_EX_WITH_MKEY_CONFIGURE)

/* A layout: entries of `length` bytes, `stride` apart, in the first region; the
 * entry number `part` is in the second region and has `part_length` bytes. */
static const struct layout_shape {
	const char *name;
	bool interleaved;
	uint32_t n, length, stride, part, part_length, repeat, skip;
	uint32_t bytes; /* in all */
} shapes[] = {
	{"one", false, 1, 96, 0, 0, 0, 0, 0, 96},
	{"list", false, 3, 40, 100, 2, 24, 0, 0, 104},
	{"backwards", false, 4, 16, (uint32_t)-64, 0, 0, 0, 0, 64},
	{"once", true, 1, 64, 0, 0, 0, 1, 8, 64},
	{"strided", true, 1, 16, 0, 0, 0, 6, 16, 96},
	{"interleaved", true, 2, 16, 512, 2, 8, 4, 8, 96},
};

static const struct builder {
	const char *name;
	enum verb verb[2]; /* of a list, of an interleaved layout */
} builders[] = {
	{"mr", {V_mlx5dv_wr_mr_list, V_mlx5dv_wr_mr_interleaved}},
	{"configure", {V_mlx5dv_wr_mkey_configure, V_mlx5dv_wr_mkey_configure}},
};

struct stage {
	struct post p;
	uint8_t mkey, second; /* the mkey, and another region below it */
};

static uint8_t make_qp(struct gen *g, uint64_t ops)
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

static uint8_t make_mkey(struct gen *g, uint32_t flags, uint32_t entries)
{
	uint8_t mkey = gen_make(g, V_mlx5dv_create_mkey, g->pd);

	prog_num(g->p, F_mkey_flags, flags);
	prog_num(g->p, F_mkey_entries, entries);
	return mkey;
}

static void fill(struct gen *g, uint8_t mr, uint32_t pattern)
{
	gen_call(g, V_fill_mr, mr);
	prog_num(g->p, F_memory_pattern, pattern);
}

/* Makes an mkey and the memory below it, whose second region has these rights.
 */
static struct stage make_parents(struct gen *g, uint32_t rights)
{
	struct stage s = {.p = post_parents(g, QK_RC)};

	s.second = gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access, rights);
	s.mkey = make_mkey(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, ENTRIES);
	return s;
}

/* Brings both queue pairs to RTS, and fills the memory. */
static void make_ready(const struct stage *s)
{
	post_both(&s->p, 0);
	fill(s->p.g, s->p.mr, 1);
	fill(s->p.g, s->second, 2);
}

/* Makes two queue pairs in RTS, an mkey and memory with known bytes. */
static struct stage make_stage(struct gen *g, uint64_t ops)
{
	struct stage s = make_parents(g, RIGHTS);

	s.p.a = g->qp = make_qp(g, ops);
	s.p.b = make_qp(g, ops);
	make_ready(&s);
	return s;
}

/* Begins a request of a batch by one of the vendor's builders. */
static void begin(const struct post *p, enum verb verb, bool more)
{
	struct gen *g = p->g;

	if (!more)
		gen_call(g, V_wr_start, p->a);
	g->building = true;
	g->builder = p->a;
	prog_call(g->p, verb, NO_OBJ, p->a);
}

static void put_shape(const struct stage *s, const struct layout_shape *shape)
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
}

/* Adds a request that configures the mkey. */
static void configure(const struct stage *s, const struct builder *by,
		      const struct layout_shape *shape, uint64_t wr_id,
		      bool more)
{
	enum verb verb = by->verb[shape->interleaved];
	struct program *prog = s->p.g->p;

	begin(&s->p, verb, more);
	prog_num(prog, F_umr_wr_id, wr_id);
	prog_num(prog, F_umr_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_obj(prog, F_umr_mkey, s->mkey);
	prog_num(prog, F_umr_access, RIGHTS);
	if (verb == V_mlx5dv_wr_mkey_configure)
		prog_num(prog, F_umr_setters,
			 MLX5_SET_ACCESS |
				 (shape->interleaved ? MLX5_SET_INTERLEAVED
						     : MLX5_SET_LIST));
	put_shape(s, shape);
}

/* Ways through the mkey: the operation, and whether the mkey is the memory of
 * the request itself. */
static const struct way {
	const char *name;
	uint32_t opcode;
	bool own, received;
} ways[] = {
	{"write-from", IBV_WR_RDMA_WRITE, true, false},
	{"write-to", IBV_WR_RDMA_WRITE, false, false},
	{"read-from", IBV_WR_RDMA_READ, false, false},
	{"read-to", IBV_WR_RDMA_READ, true, false},
	{"send-from", IBV_WR_SEND, true, false},
	{"receive-to", IBV_WR_SEND, false, true},
};

/* Sends `length` bytes through the mkey, from byte `offset` of it on. */
static void go(const struct stage *s, const struct way *way, uint64_t wr_id,
	       uint32_t offset, uint32_t length)
{
	const struct post *p = &s->p;
	struct program *prog = p->g->p;
	bool receives = way->opcode == IBV_WR_SEND;

	if (receives) {
		post_recv(p, p->b, 200 + wr_id, 0);
		prog_obj(prog, F_recv_mr, way->received ? s->mkey : p->mr);
		prog_num(prog, F_recv_offset, way->received ? offset : PLAIN);
		prog_num(prog, F_recv_length, length);
	}
	post_send(p, way->opcode, wr_id, IBV_SEND_SIGNALED);
	prog_obj(prog, F_send_mr, way->own ? s->mkey : p->mr);
	prog_num(prog, F_send_offset, way->own ? offset : PLAIN);
	prog_num(prog, F_send_length, length);
	if (!receives) {
		prog_obj(prog, F_send_remote, way->own ? p->mr : s->mkey);
		prog_num(prog, F_send_remote_offset, way->own ? PLAIN : offset);
	}
	post_poll(p, receives ? 2 : 1);
}

/* Ends a case: the bytes of all memory, and no more completion. */
static void finish(const struct stage *s)
{
	struct gen *g = s->p.g;

	gen_call(g, V_read_mr, s->p.mr);
	gen_call(g, V_read_mr, s->second);
	post_poll(&s->p, 0);
	gen_query(g, s->p.a);
	gen_done(g);
}

#define opens(g, row, what, ...)                                               \
	post_case_with(g, QK_RC, IBV_QPS_RTS, CLAIM_MLX5_MKEY, row, what,      \
		       __VA_ARGS__)

static enum row row_of(const struct layout_shape *shape)
{
	return shape->interleaved ? ROW_MKEY_INTERLEAVED : ROW_MKEY_LIST;
}

static void bytes_of(struct gen *g, const struct builder *by,
		     const struct layout_shape *shape, const struct way *way)
{
	struct stage s;

	if (!opens(g, row_of(shape), "A message through an mkey", "%s/%s/%s",
		   by->name, shape->name, way->name))
		return;
	s = make_stage(g, ALL_OPS);
	configure(&s, by, shape, 1, false);
	post_poll(&s.p, 1);
	go(&s, way, 2, 0, shape->bytes);
	fill(g, s.p.mr, 3);
	go(&s, way, 3, 8, shape->bytes - 24);
	finish(&s);
}

/* The message is posted in the batch that configures the mkey. */
static void one_batch(struct gen *g, const struct builder *by,
		      const struct layout_shape *shape)
{
	struct stage s;

	if (!opens(g, row_of(shape), "A message behind a layout",
		   "%s/%s/one-batch", by->name, shape->name))
		return;
	s = make_stage(g, ALL_OPS);
	configure(&s, by, shape, 1, false);
	post_more(&s.p, IBV_WR_RDMA_WRITE, 2, IBV_SEND_SIGNALED);
	prog_obj(g->p, F_send_mr, s.mkey);
	prog_num(g->p, F_send_length, shape->bytes);
	prog_obj(g->p, F_send_remote, s.p.mr);
	prog_num(g->p, F_send_remote_offset, PLAIN);
	post_poll(&s.p, 2);
	finish(&s);
}

/* A second layout takes the place of the first one. */
static void another_layout(struct gen *g, const struct builder *by,
			   const struct layout_shape *first,
			   const struct layout_shape *shape)
{
	struct stage s;

	if (!opens(g, row_of(shape), "A second layout", "%s/%s/after-%s",
		   by->name, shape->name, first->name))
		return;
	s = make_stage(g, ALL_OPS);
	configure(&s, by, first, 1, false);
	configure(&s, by, shape, 2, false);
	post_poll(&s.p, 2);
	go(&s, &ways[1], 3, 0, shape->bytes);
	finish(&s);
}

static void layouts(struct gen *g)
{
	for (size_t b = 0; b < COUNT(builders); b++)
		for (size_t i = 0; i < COUNT(shapes); i++) {
			const struct layout_shape *shape = &shapes[i];

			for (size_t w = 0; w < COUNT(ways); w++)
				bytes_of(g, &builders[b], shape, &ways[w]);
			one_batch(g, &builders[b], shape);
			another_layout(g, &builders[b],
				       &shapes[(i + 1) % COUNT(shapes)], shape);
		}
}

/* A refused batch leaves the queue pair and the mkey as they were. */
static void end_refused(const struct stage *s)
{
	configure(s, &builders[0], &shapes[1], 2, false);
	post_poll(&s->p, 1);
	go(s, &ways[0], 3, 0, shapes[1].bytes);
	finish(s);
}

static void refused(struct gen *g, const char *name, enum row row,
		    const struct builder *by, enum field f, uint64_t value)
{
	struct stage s;

	if (!opens(g, row, "A request for an mkey", "%s/%s", by->name, name))
		return;
	s = make_stage(g, ALL_OPS);
	configure(&s, by, &shapes[1], 1, false);
	prog_num(g->p, f, value);
	end_refused(&s);
}

static void refusals(struct gen *g)
{
	static const uint32_t rights[] = {IBV_ACCESS_MW_BIND,
					  IBV_ACCESS_ZERO_BASED,
					  IBV_ACCESS_ON_DEMAND, 1u << 31};
	char name[32];

	for (size_t b = 0; b < COUNT(builders); b++) {
		const struct builder *by = &builders[b];

		refused(g, "no-inline", ROW_UMR_INLINE, by, F_umr_flags,
			IBV_SEND_SIGNALED);
		refused(g, "entries-over", ROW_UMR_ENTRIES, by, F_umr_entries,
			ENTRIES + 1);
		for (size_t i = 0; i < COUNT(rights); i++) {
			snprintf(name, sizeof(name), "access-%x", rights[i]);
			refused(g, name, ROW_UMR_ACCESS, by, F_umr_access,
				RIGHTS | rights[i]);
		}
	}
	refused(g, "conf-flags", ROW_UMR_CONF, &builders[1], F_umr_conf_flags,
		2);
	refused(g, "comp_mask", ROW_UMR_CONF, &builders[1], F_umr_comp_mask, 1);
	refused(g, "two-layouts", ROW_UMR_TWICE, &builders[1], F_umr_setters,
		MLX5_SET_ACCESS | MLX5_SET_LIST | MLX5_SET_INTERLEAVED);
	refused(g, "signature", ROW_UMR_SIGNATURE, &builders[1], F_umr_setters,
		MLX5_SET_ACCESS | MLX5_SET_LIST | MLX5_SET_SIG_BLOCK);
}

/* The number of entries of a small mkey is a limit of its own. */
static void small_mkey(struct gen *g, uint32_t entries, bool over)
{
	struct stage s;

	if (!opens(g, over ? ROW_UMR_ENTRIES : ROW_MKEY_LIST,
		   "An mkey of few entries", "mr/entries-%u%s", entries,
		   over ? "-over" : ""))
		return;
	s = make_stage(g, ALL_OPS);
	s.mkey = make_mkey(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, entries);
	configure(&s, &builders[0], &shapes[0], 1, false);
	prog_out(g->p, F_umr_entries, s.mkey, F_mkey_granted, over ? 1 : 0);
	prog_num(g->p, F_umr_length, 4);
	prog_num(g->p, F_umr_stride, 8);
	if (over) {
		end_refused(&s);
		return;
	}
	post_poll(&s.p, 1);
	go(&s, &ways[1], 2, 0, 4 * entries);
	finish(&s);
}

/* An entry, or what lies between two passes, of more than 16 bits. */
static void long_entry(struct gen *g, const char *name, uint32_t length,
		       uint32_t skip)
{
	const struct layout_shape *once = &shapes[3];
	struct stage s;

	if (!opens(g, ROW_MKEY_INTERLEAVED, "A long entry", "mr/%s", name))
		return;
	s = make_stage(g, ALL_OPS);
	s.second = gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access, RIGHTS);
	prog_num(g->p, F_mr_length, 4ull << 16);
	fill(g, s.second, 4);
	configure(&s, &builders[0], once, 1, false);
	prog_obj(g->p, F_umr_mr, s.second);
	prog_num(g->p, F_umr_length, length);
	prog_num(g->p, F_umr_skip, skip);
	prog_num(g->p, F_umr_repeat, 2);
	post_poll(&s.p, 1);
	go(&s, &ways[1], 2, length - 8, 64);
	finish(&s);
}

static void not_asked(struct gen *g, const struct builder *by, uint64_t ops,
		      const char *name)
{
	struct stage s;

	if (!opens(g, ROW_DV_WR_NOT_ASKED, "A request for an mkey", "%s/%s",
		   by->name, name))
		return;
	s = make_stage(g, ops);
	configure(&s, by, &shapes[0], 1, false);
	post_poll_for(&s.p, 1, POST_MAYBE);
	finish(&s);
}

/* A configuration without a setter keeps what the setter would set. */
static void kept(struct gen *g, const char *name, uint32_t setters)
{
	struct stage s;

	if (!opens(g, ROW_MKEY_KEPT, "A second configuration",
		   "configure/keeps-%s", name))
		return;
	s = make_stage(g, ALL_OPS);
	configure(&s, &builders[1], &shapes[1], 1, false);
	configure(&s, &builders[1], &shapes[setters & MLX5_SET_LIST ? 0 : 1], 2,
		  false);
	prog_num(g->p, F_umr_setters, setters);
	post_poll(&s.p, 2);
	go(&s, &ways[1], 3, 0, 64);
	go(&s, &ways[2], 4, 0, 64);
	finish(&s);
}

/* Accesses that the mkey does not permit. */
static void no_access(struct gen *g, const char *name, enum row row,
		      uint32_t rights, uint32_t offset)
{
	struct stage s;

	if (!opens(g, row, "A write through an mkey", "fault/%s", name))
		return;
	s = make_stage(g, ALL_OPS);
	configure(&s, &builders[0], &shapes[1], 1, false);
	prog_num(g->p, F_umr_access, rights);
	post_poll(&s.p, 1);
	go(&s, &ways[1], 2, offset, 64);
	finish(&s);
}

static void never_configured(struct gen *g)
{
	struct stage s;

	if (!opens(g, ROW_REMOTE_KEY, "An mkey without a layout", "fault/free"))
		return;
	s = make_stage(g, ALL_OPS);
	go(&s, &ways[1], 1, 0, 64);
	finish(&s);
}

static void destroyed(struct gen *g)
{
	struct stage s;

	if (!opens(g, ROW_REMOTE_KEY, "An mkey that was destroyed",
		   "fault/destroyed"))
		return;
	s = make_stage(g, ALL_OPS);
	configure(&s, &builders[0], &shapes[1], 1, false);
	post_poll(&s.p, 1);
	gen_call(g, V_mlx5dv_destroy_mkey, s.mkey);
	post_send(&s.p, IBV_WR_RDMA_WRITE, 2, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_rkey, s.mkey, F_mkey_rkey, 0);
	post_poll(&s.p, 1);
	finish(&s);
}

static void invalidated(struct gen *g, bool again)
{
	struct stage s;

	if (!opens(g, ROW_MKEY_INVALID, "An mkey", "invalidated%s",
		   again ? "-again" : ""))
		return;
	s = make_stage(g, ALL_OPS);
	configure(&s, &builders[0], &shapes[1], 1, false);
	post_poll(&s.p, 1);
	go(&s, &ways[1], 2, 0, 64);
	post_send(&s.p, IBV_WR_LOCAL_INV, 3, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_invalidate_rkey, s.mkey, F_mkey_rkey, 0);
	post_poll(&s.p, 1);
	if (again) {
		configure(&s, &builders[0], &shapes[0], 4, false);
		post_poll(&s.p, 1);
	}
	go(&s, &ways[1], 5, 0, 64);
	finish(&s);
}

/* The queue takes as many requests of a builder as it has entries. */
static void full_queue(struct gen *g, const struct builder *by, uint64_t op)
{
	struct stage s;

	if (!opens(g, ROW_MKEY_LIST, "A queue full of layouts", "%s/full",
		   by->name))
		return;
	s = make_stage(g, op);
	for (uint64_t i = 0; i < GEN_QUEUE_WR; i++)
		configure(&s, by, &shapes[i % 2], i, i != 0);
	post_poll(&s.p, GEN_QUEUE_WR);
	go(&s, &ways[1], 20, 0, shapes[0].bytes);
	finish(&s);
}

/* The same for a queue pair whose other requests are as short as they can be.
 */
static void full_of_short(struct gen *g, const struct builder *by, uint64_t op)
{
	struct stage s;

	if (!opens(g, ROW_MKEY_LIST, "A queue full of layouts",
		   "%s/full-of-short", by->name))
		return;
	s = make_parents(g, IBV_ACCESS_LOCAL_WRITE);
	s.p.a = g->qp = make_qp(g, op);
	prog_num(g->p, F_send_ops_flags, IBV_QP_EX_WITH_SEND);
	prog_num(g->p, F_max_inline_data, 12);
	prog_num(g->p, F_max_send_sge, 1);
	s.p.b = make_qp(g, op);
	make_ready(&s);
	for (uint64_t i = 0; i < GEN_QUEUE_WR; i++)
		configure(&s, by, &shapes[0], i, i != 0);
	post_poll(&s.p, GEN_QUEUE_WR);
	go(&s, &ways[4], 20, 0, shapes[0].bytes);
	finish(&s);
}

static bool mkey_says(struct gen *g, enum row row, const char *name)
{
	enum claim claim = row == ROW_MKEY_CLAIM
				   ? CLAIM_NONE
				   : gen_needs(g, CLAIM_MLX5_MKEY);

	return gen_id(g, "create/%s", name) &&
	       gen_says_rule(g, row, claim, "mlx5dv_create_mkey");
}

static void create_flags(struct gen *g, const char *name, enum row row,
			 uint32_t flags)
{
	if (!mkey_says(g, row, name))
		return;
	g->pd = gen_pd(g);
	make_mkey(g, flags, 4);
	gen_done(g);
}

static void create_entries(struct gen *g, uint32_t entries)
{
	char name[24];
	uint8_t mkey;

	snprintf(name, sizeof(name), "entries-%u", entries);
	if (!mkey_says(g, ROW_MKEY_ENTRIES, name))
		return;
	g->pd = gen_pd(g);
	mkey = make_mkey(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, entries);
	gen_call(g, V_mlx5dv_destroy_mkey, mkey);
	make_mkey(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, entries);
	gen_done(g);
}

/* A device that makes no mkeys refuses one. */
static void create_plain(struct gen *g)
{
	bool makes = claim_holds(CLAIM_MLX5_MKEY, g->d);

	create_flags(g, "plain", makes ? ROW_MKEY_ACCEPT : ROW_MKEY_CLAIM,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT);
}

/* An mkey that was destroyed leaves its protection domain. */
static void create_and_destroy(struct gen *g)
{
	uint8_t mkey;

	if (!mkey_says(g, ROW_MKEY_ACCEPT, "destroy"))
		return;
	g->pd = gen_pd(g);
	mkey = make_mkey(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, 4);
	gen_call(g, V_mlx5dv_destroy_mkey, mkey);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

static void creations(struct gen *g)
{
	static const uint32_t entries[] = {0, 1, 4, 5, 64, 1001};

	for (size_t i = 0; i < COUNT(entries); i++)
		create_entries(g, entries[i]);
	create_plain(g);
	create_and_destroy(g);
	create_flags(g, "no-flag", ROW_MKEY_FLAGS, 0);
	create_flags(g, "bit5", ROW_MKEY_FLAGS, 1u << 5 | 1);
	create_flags(g, "bit31", ROW_MKEY_FLAGS, 1u << 31 | 1);
	create_flags(g, "REMOTE_INVALIDATE", ROW_MKEY_ACCEPT,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE | 1);
	create_flags(g, "BLOCK_SIGNATURE", ROW_MKEY_OFFLOADS,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE | 1);
	create_flags(g, "CRYPTO", ROW_MKEY_OFFLOADS,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO | 1);
	create_flags(g, "UPDATE_TAG", ROW_MKEY_OFFLOADS,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG | 1);
}

static void copy(struct gen *g, const char *name, enum row row, uint64_t length,
		 const char *limit)
{
	struct post p;

	if (!post_case_with(g, QK_RC, IBV_QPS_RTS, CLAIM_MLX5_MEMCPY, row,
			    "A copy of memory", "%s", name))
		return;
	p = post_parents(g, QK_RC);
	p.a = g->qp = make_qp(g, MLX5DV_QP_EX_WITH_MEMCPY);
	p.b = make_qp(g, MLX5DV_QP_EX_WITH_MEMCPY);
	post_both(&p, 0);
	fill(g, p.mr, 1);
	begin(&p, V_mlx5dv_wr_memcpy, false);
	prog_num(g->p, F_copy_wr_id, 1);
	prog_num(g->p, F_copy_flags, IBV_SEND_SIGNALED);
	prog_obj(g->p, F_copy_src, p.mr);
	prog_num(g->p, F_copy_src_offset, 100);
	prog_obj(g->p, F_copy_dest, p.mr);
	prog_num(g->p, F_copy_dest_offset, 2001);
	if (limit)
		prog_sym(g->p, F_copy_length, limit, 1);
	else
		prog_num(g->p, F_copy_length, length);
	post_poll_for(&p, 1, row == ROW_MEMCPY_BYTES ? POST_WAIT : POST_QUIET);
	gen_call(g, V_read_mr, p.mr);
	post_finish(&p);
}

static void copies(struct gen *g)
{
	gen_prefix(g, "mlx5/memcpy/");
	copy(g, "bytes-1", ROW_MEMCPY_BYTES, 1, NULL);
	copy(g, "bytes-1000", ROW_MEMCPY_BYTES, 1000, NULL);
	copy(g, "none", ROW_MEMCPY_LENGTH, 0, NULL);
	copy(g, "over", ROW_MEMCPY_LENGTH, 0, "mlx5_max_wr_memcpy_length");
}

void mlx5_gen_mkey(struct gen *g)
{
	gen_prefix(g, "mlx5/mkey/");
	creations(g);
	g->wr = true;
	layouts(g);
	refusals(g);
	small_mkey(g, 4, false);
	small_mkey(g, 5, false);
	small_mkey(g, 4, true);
	long_entry(g, "long-entry", 1u << 16, 0);
	long_entry(g, "long-skip", 64, 1u << 16);
	for (size_t b = 0; b < COUNT(builders); b++) {
		not_asked(g, &builders[b], MLX5DV_QP_EX_WITH_RAW_WQE,
			  "not-asked");
		not_asked(g, &builders[b], 0, "none-asked");
	}
	kept(g, "layout", MLX5_SET_ACCESS);
	kept(g, "access", MLX5_SET_LIST);
	kept(g, "both", 0);
	no_access(g, "right", ROW_REMOTE_RIGHT,
		  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ, 0);
	no_access(g, "range", ROW_REMOTE_RANGE, RIGHTS, 41);
	never_configured(g);
	destroyed(g);
	invalidated(g, false);
	invalidated(g, true);
	full_queue(g, &builders[0], MLX5DV_QP_EX_WITH_MR_LIST);
	full_queue(g, &builders[1], MLX5DV_QP_EX_WITH_MKEY_CONFIGURE);
	full_of_short(g, &builders[0], MLX5DV_QP_EX_WITH_MR_LIST);
	full_of_short(g, &builders[1], MLX5DV_QP_EX_WITH_MKEY_CONFIGURE);
	copies(g);
	g->wr = false;
}

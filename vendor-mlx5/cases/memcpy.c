// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for copies of memory by the device (mlx5dv_wr_memcpy).
 */
#include "cases/data/data.h"
#include "vendor-mlx5/cases/mkey.h"

#define MOST (16u << 20) /* longer copies than that are not made */

static bool begins(struct gen *g, const char *name, enum row row)
{
	return post_case_with(g, QK_RC, IBV_QPS_RTS, CLAIM_MLX5_MEMCPY, row,
			      "A copy of memory", "%s", name);
}

static struct post stage(struct gen *g)
{
	struct post p = post_parents(g, QK_RC);

	p.a = g->qp = mkey_qp(g, MLX5DV_QP_EX_WITH_MEMCPY);
	p.b = mkey_qp(g, MLX5DV_QP_EX_WITH_MEMCPY);
	post_both(&p, 0);
	return p;
}

/* Begins a copy, whose length follows. */
static void put_copy(const struct post *p, uint8_t from, uint8_t into)
{
	struct program *prog = p->g->p;

	mkey_begin(p, V_mlx5dv_wr_memcpy, false);
	prog_num(prog, F_copy_wr_id, 1);
	prog_num(prog, F_copy_flags, IBV_SEND_SIGNALED);
	prog_obj(prog, F_copy_src, from);
	prog_obj(prog, F_copy_dest, into);
}

/* Copies `length` bytes, or with 0 and `over` one more than the device takes.
 */
static void copy(struct gen *g, const char *name, enum row row, uint64_t length,
		 bool over)
{
	struct post p;

	if (!begins(g, name, row))
		return;
	p = stage(g);
	gen_fill(g, p.mr, 1);
	put_copy(&p, p.mr, p.mr);
	prog_num(g->p, F_copy_src_offset, 100);
	prog_num(g->p, F_copy_dest_offset, 2001);
	if (over)
		prog_limit(g->p, F_copy_length, LIM_mlx5_max_wr_memcpy_length,
			   1);
	else
		prog_num(g->p, F_copy_length, length);
	post_poll_for(&p, 1, row == ROW_MEMCPY_BYTES ? POST_WAIT : POST_QUIET);
	gen_call(g, V_read_mr, p.mr);
	post_finish(&p);
}

/* Two queue pairs of which the first can copy. */
static struct post stage_of(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (kind == QK_RC)
		return stage(g);
	p = post_parents(g, kind);
	p.a = g->qp =
		mlx5_gen_qp(g, kind, MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS);
	prog_num(g->p, F_dv_send_ops_flags, MLX5DV_QP_EX_WITH_MEMCPY);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 0);
	return p;
}

/* The completion of a copy by a DCI says that it was a copy. */
static void by_dci(struct gen *g)
{
	struct post p;

	if (!post_case_with(g, QK_DCI, IBV_QPS_RTS, CLAIM_MLX5_MEMCPY,
			    ROW_POLL_FIELDS, "A copy of memory", "by-dci"))
		return;
	p = stage_of(g, QK_DCI);
	gen_fill(g, p.mr, 1);
	put_copy(&p, p.mr, p.mr);
	prog_num(g->p, F_copy_src_offset, 100);
	prog_num(g->p, F_copy_dest_offset, 2001);
	prog_num(g->p, F_copy_length, 1000);
	post_poll_for(&p, 1, POST_WAIT);
	gen_call(g, V_read_mr, p.mr);
	post_finish(&p);
}

/* Lengths about the most that the device takes, between two regions. */
static const struct at_most {
	const char *name;
	int64_t plus; /* to the most, or */
	unsigned int
		shifted; /* to the power of two below it, halved so often */
} at_mosts[] = {
	{"most", 0, 0},
	{"most-less-1", -1, 0},
	{"most-less-64", -64, 0},
	{"power-below", 0, 1},
	{"power-below-half", 0, 2},
};

static uint64_t power_below(uint64_t most)
{
	uint64_t power = 1;

	while (2 * power < most)
		power *= 2;
	return power;
}

static void copy_at_most(struct gen *g, enum qp_kind kind,
			 const struct at_most *is)
{
	const uint64_t limit = g->d->limit[LIM_mlx5_max_wr_memcpy_length];
	const struct length most = {.bytes = (int64_t)limit};
	uint8_t from, into;
	struct post p;

	if (most.bytes > MOST ||
	    !post_case_with(g, kind, IBV_QPS_RTS, CLAIM_MLX5_MEMCPY,
			    ROW_MEMCPY_BYTES, "A copy of memory", "%s%s",
			    is->name, kind == QK_RC ? "" : "-by-dci"))
		return;
	p = stage_of(g, kind);
	from = data_region(g, &most);
	into = data_region(g, &most);
	gen_fill(g, from, 1);
	gen_fill(g, into, 2);
	put_copy(&p, from, into);
	if (is->shifted)
		prog_num(g->p, F_copy_length,
			 power_below(limit) >> (is->shifted - 1));
	else
		prog_limit(g->p, F_copy_length, LIM_mlx5_max_wr_memcpy_length,
			   is->plus);
	post_poll_for(&p, 1, POST_WAIT);
	gen_call(g, V_read_mr, into);
	post_finish(&p);
}

#define PAGE 4096

/* Copies that pass borders of pages, or touch them. */
static const struct borders {
	const char *name;
	uint32_t src, dest, length;
} borders[] = {
	{"into", 100, PAGE - 96, 200},
	{"into-one-byte", 100, PAGE - 96, 97},
	{"from", PAGE - 96, 2 * PAGE + 100, 200},
	{"from-and-into", PAGE - 96, 2 * PAGE - 10, 201},
	{"whole-lines", 100, PAGE - 96, 192},
	{"up-to", 100, 2 * PAGE - 200, 200},
	{"behind", 100, 2 * PAGE, 200},
	{"several", 100, 3 * PAGE - 96, 2 * PAGE + 809},
};

static void over_page(struct gen *g, const struct borders *is)
{
	static const struct length room = {"", NULL, 5 * PAGE};
	struct post p;
	uint8_t mr;

	if (!post_case_with(g, QK_RC, IBV_QPS_RTS, CLAIM_MLX5_MEMCPY,
			    ROW_MEMCPY_BYTES, "A copy of memory",
			    "page-border/%s", is->name))
		return;
	p = stage(g);
	mr = data_region(g, &room);
	gen_fill(g, mr, 1);
	put_copy(&p, mr, mr);
	prog_num(g->p, F_copy_src_offset, is->src);
	prog_num(g->p, F_copy_dest_offset, is->dest);
	prog_num(g->p, F_copy_length, is->length);
	post_poll_for(&p, 1, POST_WAIT);
	gen_call(g, V_read_mr, mr);
	post_finish(&p);
}

void mlx5_gen_memcpy(struct gen *g)
{
	gen_prefix(g, "mlx5/memcpy/");
	g->wr = true;
	copy(g, "bytes-1", ROW_MEMCPY_BYTES, 1, false);
	copy(g, "bytes-1000", ROW_MEMCPY_BYTES, 1000, false);
	by_dci(g);
	for (size_t i = 0; i < COUNT(at_mosts); i++) {
		copy_at_most(g, QK_RC, &at_mosts[i]);
		copy_at_most(g, QK_DCI, &at_mosts[i]);
	}
	for (size_t i = 0; i < COUNT(borders); i++)
		over_page(g, &borders[i]);
	copy(g, "none", ROW_MEMCPY_LENGTH, 0, false);
	copy(g, "over", ROW_MEMCPY_LENGTH, 0, true);
	g->wr = false;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of requests for an indirect mkey that are refused: requests with a
 * wrong input, with more entries than the mkey has, and those that the queue
 * pair did not ask for.
 */
#include "vendor-mlx5/cases/mkey.h"

#define SMALL_ROOM 384 /* bytes of max_inline_data: 24 entries */

/* A refused batch leaves the queue pair and the mkey as they were. */
static void end_refused(const struct mkey_stage *s)
{
	mkey_configure(s, &mkey_builders[BY_MR], &mkey_shapes[SHAPE_LIST], 2,
		       false);
	post_poll(&s->p, 1);
	mkey_go(s, &mkey_ways[WAY_WRITE_FROM], 3, 0,
		mkey_shapes[SHAPE_LIST].bytes);
	mkey_finish(s);
}

static void refused(struct gen *g, const char *name, enum row row,
		    const struct mkey_builder *by, enum field f, uint64_t value)
{
	struct mkey_stage s;

	if (!mkey_opens(g, row, "A request for an mkey", "%s/%s", by->name,
			name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, by, &mkey_shapes[SHAPE_LIST], 1, false);
	prog_num(g->p, f, value);
	end_refused(&s);
}

static void refusals(struct gen *g)
{
	static const uint32_t rights[] = {IBV_ACCESS_MW_BIND,
					  IBV_ACCESS_ZERO_BASED,
					  IBV_ACCESS_ON_DEMAND, 1u << 31};
	char name[32];

	for (size_t b = 0; b < BY_NR; b++) {
		const struct mkey_builder *by = &mkey_builders[b];

		refused(g, "no-inline", ROW_UMR_INLINE, by, F_umr_flags,
			IBV_SEND_SIGNALED);
		refused(g, "entries-over", ROW_UMR_ENTRIES, by, F_umr_entries,
			MKEY_ENTRIES + 1);
		for (size_t i = 0; i < COUNT(rights); i++) {
			snprintf(name, sizeof(name), "access-%x", rights[i]);
			refused(g, name, ROW_UMR_ACCESS, by, F_umr_access,
				MKEY_RIGHTS | rights[i]);
		}
	}
	refused(g, "conf-flags", ROW_UMR_CONF, &mkey_builders[BY_CONFIGURE],
		F_umr_conf_flags, 2);
	refused(g, "comp_mask", ROW_UMR_CONF, &mkey_builders[BY_CONFIGURE],
		F_umr_comp_mask, 1);
	refused(g, "two-layouts", ROW_UMR_TWICE, &mkey_builders[BY_CONFIGURE],
		F_umr_setters,
		MLX5_SET_ACCESS | MLX5_SET_LIST | MLX5_SET_INTERLEAVED);
	refused(g, "signature", ROW_UMR_SIGNATURE, &mkey_builders[BY_CONFIGURE],
		F_umr_setters,
		MLX5_SET_ACCESS | MLX5_SET_LIST | MLX5_SET_SIG_BLOCK);
}

/* Makes queue pairs with room for the entries of an mkey of few entries. */
static struct mkey_stage small_stage(struct gen *g, uint32_t entries)
{
	struct mkey_stage s = mkey_parents(g, MKEY_RIGHTS);

	s.mkey = mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, entries);
	s.p.a = g->qp = mkey_qp(g, MKEY_OPS);
	prog_num(g->p, F_max_inline_data, SMALL_ROOM);
	s.p.b = mkey_qp(g, MKEY_OPS);
	mkey_ready(&s);
	return s;
}

/* Posts a write to an mkey whose entries have one byte each. */
static void write_entries(const struct mkey_stage *s, uint64_t wr_id)
{
	struct program *p = s->p.g->p;

	post_send(&s->p, IBV_WR_RDMA_WRITE, wr_id, IBV_SEND_SIGNALED);
	prog_num(p, F_send_offset, MKEY_PLAIN);
	prog_obj(p, F_send_remote, s->mkey);
}

/* Writes to all entries, to the last one, and behind it. */
static void use_entries(const struct mkey_stage *s)
{
	struct program *p = s->p.g->p;

	write_entries(s, 2);
	prog_out(p, F_send_length, s->mkey, F_mkey_granted, 0);
	prog_num(p, F_send_remote_offset, 0);
	post_poll(&s->p, 1);
	for (int past = 0; past < 2; past++) {
		write_entries(s, 3 + (uint64_t)past);
		prog_num(p, F_send_length, 1);
		prog_out(p, F_send_remote_offset, s->mkey, F_mkey_granted,
			 past - 1);
		post_poll(&s->p, 1);
	}
}

/* Configures an mkey with as many entries as it has, and `more`. */
static void set_entries(const struct mkey_stage *s,
			const struct mkey_builder *by, int more)
{
	struct program *p = s->p.g->p;

	mkey_configure(s, by, &mkey_shapes[SHAPE_ONE], 1, false);
	prog_out(p, F_umr_entries, s->mkey, F_mkey_granted, more);
	prog_num(p, F_umr_length, 1);
	prog_num(p, F_umr_stride, 8);
	post_poll_for(&s->p, 1, more ? POST_MAYBE : POST_WAIT);
}

/* The number of entries of a small mkey is a limit of its own. */
static void small_mkey(struct gen *g, const struct mkey_builder *by,
		       uint32_t entries, bool over)
{
	struct mkey_stage s;

	if (!mkey_opens(g, over ? ROW_UMR_ENTRIES : ROW_MKEY_LIST,
			"An mkey of few entries", "%s/entries-%u%s", by->name,
			entries, over ? "-over" : ""))
		return;
	s = small_stage(g, entries);
	if (over)
		set_entries(&s, by, 1);
	set_entries(&s, by, 0);
	use_entries(&s);
	mkey_finish(&s);
}

static void small_mkeys(struct gen *g, const struct mkey_builder *by)
{
	static const uint32_t entries[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17};

	for (size_t i = 0; i < COUNT(entries); i++) {
		small_mkey(g, by, entries[i], false);
		small_mkey(g, by, entries[i], true);
	}
}

static void not_asked(struct gen *g, const struct mkey_builder *by,
		      uint64_t ops, const char *name)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_DV_WR_NOT_ASKED, "A request for an mkey",
			"%s/%s", by->name, name))
		return;
	s = mkey_stage(g, ops);
	mkey_configure(&s, by, &mkey_shapes[SHAPE_ONE], 1, false);
	post_poll_for(&s.p, 1, POST_MAYBE);
	mkey_finish(&s);
}

void mlx5_gen_mkey_refused(struct gen *g)
{
	refusals(g);
	for (size_t b = 0; b < BY_NR; b++)
		small_mkeys(g, &mkey_builders[b]);
}

void mlx5_gen_mkey_unasked(struct gen *g)
{
	for (size_t b = 0; b < BY_NR; b++) {
		not_asked(g, &mkey_builders[b], MLX5DV_QP_EX_WITH_RAW_WQE,
			  "not-asked");
		not_asked(g, &mkey_builders[b], 0, "none-asked");
	}
}

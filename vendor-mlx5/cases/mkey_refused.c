// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of requests for an indirect mkey that are refused: requests with a
 * wrong input, with more entries than the mkey has, and those that the queue
 * pair did not ask for.
 */
#include "vendor-mlx5/cases/mkey.h"

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

/* The number of entries of a small mkey is a limit of its own. */
static void small_mkey(struct gen *g, uint32_t entries, bool over)
{
	struct mkey_stage s;

	if (!mkey_opens(g, over ? ROW_UMR_ENTRIES : ROW_MKEY_LIST,
			"An mkey of few entries", "mr/entries-%u%s", entries,
			over ? "-over" : ""))
		return;
	s = mkey_stage(g, MKEY_OPS);
	s.mkey = mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, entries);
	mkey_configure(&s, &mkey_builders[BY_MR], &mkey_shapes[SHAPE_ONE], 1,
		       false);
	prog_out(g->p, F_umr_entries, s.mkey, F_mkey_granted, over ? 1 : 0);
	prog_num(g->p, F_umr_length, 4);
	prog_num(g->p, F_umr_stride, 8);
	if (over) {
		end_refused(&s);
		return;
	}
	post_poll(&s.p, 1);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 2, 0, 4 * entries);
	mkey_finish(&s);
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
	small_mkey(g, 4, false);
	small_mkey(g, 5, false);
	small_mkey(g, 4, true);
}

void mlx5_gen_mkey_unasked(struct gen *g)
{
	for (size_t b = 0; b < BY_NR; b++) {
		not_asked(g, &mkey_builders[b], MLX5DV_QP_EX_WITH_RAW_WQE,
			  "not-asked");
		not_asked(g, &mkey_builders[b], 0, "none-asked");
	}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of the life of an indirect mkey: its creation and destruction, what a
 * second configuration keeps, accesses that it does not permit, and its use
 * before it is configured and after it is invalidated or destroyed.
 */
#include "vendor-mlx5/cases/mkey.h"
#include "vendor-mlx5/mlx5.h"

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
	mkey_make(g, flags, 4);
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
	mkey = mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, entries);
	gen_call(g, V_mlx5dv_destroy_mkey, mkey);
	mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, entries);
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
	mkey = mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, 4);
	gen_call(g, V_mlx5dv_destroy_mkey, mkey);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

void mlx5_gen_mkey_create(struct gen *g)
{
	static const uint32_t entries[] = {0,	 1,	4,     5,	  64,
					   1001, 65532, 65533, UINT16_MAX};

	for (size_t i = 0; i < COUNT(entries); i++)
		create_entries(g, entries[i]);
	create_plain(g);
	create_and_destroy(g);
	create_flags(g, "no-flag", ROW_MKEY_FLAGS, 0);
	create_flags(g, "bit5", ROW_MKEY_FLAGS, 1u << 5 | 1);
	create_flags(g, "bit31", ROW_MKEY_FLAGS, 1u << 31 | 1);
	create_flags(g, "REMOTE_INVALIDATE", ROW_MKEY_ACCEPT,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE | 1);
	create_flags(g, "BLOCK_SIGNATURE",
		     claim_holds(CLAIM_MLX5_SIG, g->d) ? ROW_SIG_ACCEPT
						       : ROW_MKEY_OFFLOADS,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE | 1);
	create_flags(g, "CRYPTO",
		     mlx5_has_engine(g->d) ? ROW_CRYPTO_ACCEPT
					   : ROW_MKEY_OFFLOADS,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO | 1);
	create_flags(g, "UPDATE_TAG", ROW_MKEY_OFFLOADS,
		     MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG | 1);
}

/* A configuration without a setter keeps what the setter would set. */
static void kept(struct gen *g, const char *name, uint32_t setters)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_MKEY_KEPT, "A second configuration",
			"configure/keeps-%s", name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, &mkey_builders[BY_CONFIGURE],
		       &mkey_shapes[SHAPE_LIST], 1, false);
	mkey_configure(
		&s, &mkey_builders[BY_CONFIGURE],
		&mkey_shapes[setters & MLX5_SET_LIST ? SHAPE_ONE : SHAPE_LIST],
		2, false);
	prog_num(g->p, F_umr_setters, setters);
	post_poll(&s.p, 2);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 3, 0, 64);
	mkey_go(&s, &mkey_ways[WAY_READ_FROM], 4, 0, 64);
	mkey_finish(&s);
}

/* The rights of a second configuration take the place of the first one's. */
static void other_rights(struct gen *g, const char *name, uint32_t first,
			 uint32_t second, const struct mkey_way *way)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_MKEY_RIGHTS, "A second configuration",
			"configure/rights-%s", name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, &mkey_builders[BY_CONFIGURE],
		       &mkey_shapes[SHAPE_LIST], 1, false);
	prog_num(g->p, F_umr_access, IBV_ACCESS_LOCAL_WRITE | first);
	mkey_configure(&s, &mkey_builders[BY_CONFIGURE],
		       &mkey_shapes[SHAPE_LIST], 2, false);
	prog_num(g->p, F_umr_setters, MLX5_SET_ACCESS);
	prog_num(g->p, F_umr_access, IBV_ACCESS_LOCAL_WRITE | second);
	post_poll(&s.p, 2);
	mkey_go(&s, way, 3, 0, 64);
	mkey_finish(&s);
}

/* Accesses that the mkey does not permit. */
static void no_access(struct gen *g, const char *name, enum row row,
		      uint32_t rights, uint32_t offset)
{
	struct mkey_stage s;

	if (!mkey_opens(g, row, "A write through an mkey", "fault/%s", name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, &mkey_builders[BY_MR], &mkey_shapes[SHAPE_LIST], 1,
		       false);
	prog_num(g->p, F_umr_access, rights);
	post_poll(&s.p, 1);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 2, offset, 64);
	mkey_finish(&s);
}

/* Nothing of the first layout is left behind the end of a shorter one. */
static void shorter(struct gen *g, const struct mkey_builder *by)
{
	const struct mkey_shape *first = &mkey_shapes[SHAPE_LIST];
	const struct mkey_shape *last = &mkey_shapes[SHAPE_ONE];
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_REMOTE_RANGE, "A write through an mkey",
			"fault/past-%s", by->name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, by, first, 1, false);
	post_poll(&s.p, 1);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 2, 0, first->bytes);
	mkey_configure(&s, by, last, 3, false);
	post_poll(&s.p, 1);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 4, last->bytes,
		first->bytes - last->bytes);
	mkey_finish(&s);
}

static void never_configured(struct gen *g)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_REMOTE_KEY, "An mkey without a layout",
			"fault/free"))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 1, 0, 64);
	mkey_finish(&s);
}

static void destroyed(struct gen *g)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_REMOTE_KEY, "An mkey that was destroyed",
			"fault/destroyed"))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, &mkey_builders[BY_MR], &mkey_shapes[SHAPE_LIST], 1,
		       false);
	post_poll(&s.p, 1);
	gen_call(g, V_mlx5dv_destroy_mkey, s.mkey);
	post_send(&s.p, IBV_WR_RDMA_WRITE, 2, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_rkey, s.mkey, F_mkey_rkey, 0);
	post_poll(&s.p, 1);
	mkey_finish(&s);
}

static void invalidated(struct gen *g, bool again)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_MKEY_INVALID, "An mkey", "invalidated%s",
			again ? "-again" : ""))
		return;
	s = mkey_stage(g, MKEY_OPS);
	mkey_configure(&s, &mkey_builders[BY_MR], &mkey_shapes[SHAPE_LIST], 1,
		       false);
	post_poll(&s.p, 1);
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 2, 0, 64);
	post_send(&s.p, IBV_WR_LOCAL_INV, 3, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_invalidate_rkey, s.mkey, F_mkey_rkey, 0);
	post_poll(&s.p, 1);
	if (again) {
		mkey_configure(&s, &mkey_builders[BY_MR],
			       &mkey_shapes[SHAPE_ONE], 4, false);
		post_poll(&s.p, 1);
	}
	mkey_go(&s, &mkey_ways[WAY_WRITE_TO], 5, 0, 64);
	mkey_finish(&s);
}

void mlx5_gen_mkey_fate(struct gen *g)
{
	kept(g, "layout", MLX5_SET_ACCESS);
	kept(g, "access", MLX5_SET_LIST);
	kept(g, "both", 0);
	other_rights(g, "read-write", IBV_ACCESS_REMOTE_READ,
		     IBV_ACCESS_REMOTE_WRITE, &mkey_ways[WAY_READ_FROM]);
	other_rights(g, "write-read", IBV_ACCESS_REMOTE_WRITE,
		     IBV_ACCESS_REMOTE_READ, &mkey_ways[WAY_WRITE_TO]);
	other_rights(g, "none-write", 0, IBV_ACCESS_REMOTE_WRITE,
		     &mkey_ways[WAY_WRITE_TO]);
	no_access(g, "right", ROW_REMOTE_RIGHT,
		  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ, 0);
	no_access(g, "range", ROW_REMOTE_RANGE, MKEY_RIGHTS, 41);
	for (int by = 0; by < BY_NR; by++)
		shorter(g, &mkey_builders[by]);
	never_configured(g);
	destroyed(g);
	invalidated(g, false);
	invalidated(g, true);
}

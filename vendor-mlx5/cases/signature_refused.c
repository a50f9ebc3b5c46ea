// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of signature and crypto setters that are refused, and of mkeys that
 * cannot be checked.
 */
#include "vendor-mlx5/cases/signature.h"

#define FROM 256

/* A refused setter leaves the queue pair usable; a later configuration says
 * anew what the mkey is. */
static void refused(struct gen *g, const char *name, enum row row, enum field f,
		    uint64_t value, const struct mlx5_signature *sig)
{
	struct mkey_stage s;

	if (!sig_opens(g, &sig_kinds[KIND_DIF], row, "A signature setter",
		       "refused/%s", name))
		return;
	s = sig_stage(g, 0);
	sig_post(&s, FROM, 512, sig);
	if (f != FIELD_NR)
		prog_num(g->p, f, value);
	post_poll_for(&s.p, 1, POST_QUIET);
	sig_configure(&s, FROM, 1024, NULL);
	mkey_finish(&s);
}

static void values(struct gen *g)
{
	static const struct {
		const char *name;
		enum field field;
		uint64_t value;
	} wrong[] = {
		{"type", F_sig_mem, 6},
		{"guard", F_sig_mem, 7},
		{"crc", F_sig_mem, 8},
		{"block", F_sig_mem_block, 5},
		{"seed", F_sig_mem_seed, SEEDS},
		{"t10dif-flags", F_sig_mem_flags, 8},
		{"wire-type", F_sig_wire, 6},
		{"wire-block", F_sig_wire_block, 5},
		{"wire-seed", F_sig_wire_seed, SEEDS},
		{"flags", F_sig_flags, 2},
		{"comp_mask", F_sig_comp_mask, 1},
	};
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	const struct mlx5_signature none = {.check_mask = SIG_ALL};

	sig.mem = sig.wire = sig_domain(&sig_kinds[KIND_DIF]);
	for (size_t i = 0; i < COUNT(wrong); i++)
		refused(g, wrong[i].name, ROW_SIG_ATTR, wrong[i].field,
			wrong[i].value, &sig);
	refused(g, "no-domain", ROW_SIG_ATTR, FIELD_NR, 0, &none);
	sig.mem = sig_domain(&sig_kinds[KIND_CRC32]);
	refused(g, "crc-seed", ROW_SIG_ATTR, F_sig_mem_seed, SEEDS, &sig);
}

static void copies(struct gen *g)
{
	struct mlx5_signature sig = {
		.flags = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK,
		.copy_mask = MLX5DV_SIG_MASK_T10DIF_APPTAG,
	};

	sig.wire = sig_domain(&sig_kinds[KIND_DIF]);
	refused(g, "copy-without-memory", ROW_SIG_COPIES, FIELD_NR, 0, &sig);
	sig.mem = sig_domain(&sig_kinds[KIND_CRC32]);
	refused(g, "copy-other-type", ROW_SIG_COPIES, FIELD_NR, 0, &sig);
	sig.mem = sig.wire;
	refused(g, "copy-other-block", ROW_SIG_COPIES, F_sig_mem_block, 1,
		&sig);
}

/* Entries and signature take more than max_inline_data. */
static void no_room(struct gen *g)
{
	struct mlx5_signature sig = {.check_mask = SIG_ALL};

	sig.mem = sig_domain(&sig_kinds[KIND_DIF]);
	refused(g, "room", ROW_SIG_INLINE, F_umr_entries, 13, &sig);
}

/* The queue has room for the request, and perhaps not for those that set the
 * signature's first value. */
static void full_queue(struct gen *g)
{
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mkey_stage s;

	sig.wire = sig_domain(kind);
	if (!sig_opens(g, kind, ROW_SIG_QUEUE, "A signature setter",
		       "refused/queue"))
		return;
	s = sig_stage(g, 0);
	for (uint64_t i = 0; i + 2 < GEN_QUEUE_WR; i++)
		post_send(&s.p, IBV_WR_RDMA_WRITE, 10 + i, IBV_SEND_SIGNALED);
	sig_post(&s, FROM, 1024, &sig);
	post_poll_for(&s.p, GEN_QUEUE_WR - 2, POST_WAIT);
	post_poll_for(&s.p, 1, POST_MAYBE);
	sig_configure(&s, FROM, 1024, &sig);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 20, 0, 1040);
	mkey_finish(&s);
}

/* The crypto setter on an mkey without CRYPTO. */
static void crypto(struct gen *g, uint32_t flags, const char *name)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_UMR_CRYPTO, "A crypto setter", "crypto/%s",
			name))
		return;
	s = mkey_stage(g, MKEY_OPS);
	if (flags)
		s.mkey = mkey_make(g,
				   flags | MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
				   MKEY_ENTRIES);
	mkey_configure(&s, &mkey_builders[BY_CONFIGURE],
		       &mkey_shapes[SHAPE_LIST], 1, false);
	prog_num(g->p, F_umr_setters,
		 MLX5_SET_ACCESS | MLX5_SET_LIST | MLX5_SET_CRYPTO);
	post_poll_for(&s.p, 1, POST_QUIET);
	mkey_configure(&s, &mkey_builders[BY_MR], &mkey_shapes[SHAPE_LIST], 2,
		       false);
	post_poll(&s.p, 1);
	mkey_finish(&s);
}

static void check_plain(struct gen *g)
{
	struct mkey_stage s;

	if (!mkey_opens(g, ROW_CHECK_PLAIN, "mlx5dv_mkey_check", "check-plain"))
		return;
	s = mkey_stage(g, MKEY_OPS);
	sig_check(&s);
	mkey_finish(&s);
}

void mlx5_gen_sig_refused(struct gen *g)
{
	values(g);
	copies(g);
	no_room(g);
	full_queue(g);
	crypto(g, 0, "plain");
	if (claim_holds(CLAIM_MLX5_SIG, g->d))
		crypto(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
		       "signature");
	check_plain(g);
}

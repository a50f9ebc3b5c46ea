// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of messages through an mkey with block signatures: each type, block
 * size and way, signatures that are made, taken out, exchanged and copied, and
 * what a configuration keeps.
 */
#include "vendor-mlx5/cases/signature.h"

#define MEMORY 16384 /* bytes of a region */
#define FROM   256   /* where the mkey's bytes begin */

const struct sig_kind sig_kinds[KIND_NR] = {
	[KIND_DIF] = {"t10dif", SIG_T10DIF_CRC, CLAIM_NONE, 8},
	[KIND_CSUM] = {"t10dif-csum", SIG_T10DIF_CSUM, CLAIM_NONE, 8},
	[KIND_CRC32] = {"crc32", SIG_CRC32, CLAIM_NONE, 4},
	[KIND_CRC32C] = {"crc32c", SIG_CRC32C, CLAIM_MLX5_CRC32C, 4},
	[KIND_CRC64] = {"crc64", SIG_CRC64_XP10, CLAIM_MLX5_CRC64, 8},
};

enum claim sig_claim(const struct gen *g, const struct sig_kind *kind)
{
	if (!claim_holds(CLAIM_MLX5_MKEY, g->d))
		return CLAIM_MLX5_MKEY;
	return claim_holds(CLAIM_MLX5_SIG, g->d) ? kind->claim : CLAIM_MLX5_SIG;
}

struct mlx5_sig_domain sig_domain(const struct sig_kind *kind)
{
	struct mlx5_sig_domain d = {.kind = kind->kind, .seed = SEED_ONES};

	if (kind->kind == SIG_T10DIF_CRC || kind->kind == SIG_T10DIF_CSUM) {
		d.app_tag = SIG_APP;
		d.ref_tag = SIG_REF;
		d.flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP;
	}
	return d;
}

bool sig_takes_from(const struct mkey_way *way)
{
	size_t at = (size_t)(way - mkey_ways);

	return at == WAY_WRITE_FROM || at == WAY_READ_FROM ||
	       at == WAY_SEND_FROM;
}

static uint8_t big_region(struct gen *g)
{
	return gen_mr_of(g, g->pd, MEMORY, MKEY_RIGHTS);
}

static uint8_t make_qp(struct gen *g, uint64_t flags)
{
	uint8_t qp = mkey_qp(g, MKEY_OPS);

	if (flags)
		prog_num(g->p, F_dv_create_flags,
			 flags | MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE);
	return qp;
}

struct mkey_stage sig_stage_of(struct gen *g, uint32_t mkey_flags,
			       uint64_t flags)
{
	struct mkey_stage s = {.p = post_bare(g, QK_RC)};

	gen_parents(g, QK_RC);
	post_shared_parents(&s.p);
	s.p.mr = big_region(g);
	s.second = big_region(g);
	s.mkey = mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | mkey_flags,
			   MKEY_ENTRIES);
	s.p.a = g->qp = make_qp(g, flags);
	s.p.b = make_qp(g, 0);
	post_rnr(&s.p.with, POST_FOREVER, 1);
	mkey_ready(&s);
	return s;
}

struct mkey_stage sig_stage(struct gen *g, uint64_t flags)
{
	return sig_stage_of(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
			    flags);
}

static void put_domain(struct program *p, const struct mlx5_sig_domain *d,
		       enum field first)
{
	const uint64_t values[] = {d->kind,    d->block,   d->seed,
				   d->app_tag, d->ref_tag, d->flags};

	for (unsigned int i = 0; i < COUNT(values); i++)
		if (values[i])
			prog_num(p, (enum field)(first + i), values[i]);
}

void sig_put(const struct mkey_stage *s, const struct mlx5_signature *sig)
{
	struct program *p = s->p.g->p;

	prog_num(p, F_sig_check_mask, sig->check_mask);
	if (sig->flags)
		prog_num(p, F_sig_flags, sig->flags);
	if (sig->copy_mask)
		prog_num(p, F_sig_copy_mask, sig->copy_mask);
	if (sig->comp_mask)
		prog_num(p, F_sig_comp_mask, sig->comp_mask);
	put_domain(p, &sig->mem, F_sig_mem);
	put_domain(p, &sig->wire, F_sig_wire);
}

void sig_post(const struct mkey_stage *s, uint64_t offset, uint32_t length,
	      const struct mlx5_signature *sig)
{
	struct program *p = s->p.g->p;

	mkey_begin(&s->p, V_mlx5dv_wr_mkey_configure, false);
	prog_num(p, F_umr_wr_id, 1);
	prog_num(p, F_umr_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_obj(p, F_umr_mkey, s->mkey);
	prog_num(p, F_umr_access, MKEY_RIGHTS);
	prog_num(p, F_umr_setters,
		 MLX5_SET_ACCESS | MLX5_SET_LIST |
			 (sig ? MLX5_SET_SIG_BLOCK : 0));
	prog_num(p, F_umr_entries, 1);
	prog_obj(p, F_umr_mr, s->second);
	prog_num(p, F_umr_offset, offset);
	prog_num(p, F_umr_length, length);
	if (sig)
		sig_put(s, sig);
}

void sig_configure(const struct mkey_stage *s, uint64_t offset, uint32_t length,
		   const struct mlx5_signature *sig)
{
	sig_post(s, offset, length, sig);
	post_poll(&s->p, 1);
}

struct mkey_stage sig_swap(const struct mkey_stage *s)
{
	struct mkey_stage swapped = *s;

	swapped.p.mr = s->second;
	swapped.second = s->p.mr;
	return swapped;
}

void sig_check(const struct mkey_stage *s)
{
	gen_call(s->p.g, V_mlx5dv_mkey_check, s->mkey);
}

static uint32_t size_of(const struct mlx5_sig_domain *d)
{
	static const uint32_t sizes[] = {512, 520, 4048, 4096, 4160};

	return sizes[d->block];
}

static uint32_t width_of(const struct mlx5_sig_domain *d)
{
	for (size_t i = 0; i < KIND_NR; i++)
		if (sig_kinds[i].kind == d->kind)
			return sig_kinds[i].bytes;
	return 0;
}

/* Returns the bytes of `data` bytes in a domain. */
static uint32_t bytes_in(const struct mlx5_sig_domain *d, uint32_t data)
{
	return data + data / size_of(d) * width_of(d);
}

void sig_make_signed(const struct mkey_stage *s,
		     const struct mlx5_sig_domain *wire)
{
	const struct mlx5_signature sig = {.wire = *wire,
					   .check_mask = SIG_ALL};
	uint32_t data = SIG_BLOCKS * size_of(wire);

	sig_configure(s, FROM, data, &sig);
	mkey_go(s, &mkey_ways[WAY_WRITE_FROM], 2, 0, bytes_in(wire, data));
}

void sig_corrupt(const struct mkey_stage *s, uint8_t mr, uint32_t offset,
		 uint32_t length)
{
	struct program *p = s->p.g->p;

	gen_fill(s->p.g, mr, 5);
	prog_num(p, F_memory_offset, MKEY_PLAIN + offset);
	prog_num(p, F_memory_length, length);
}

/* Returns the row that a case checks which makes signatures. */
static enum row made_row(const struct sig_kind *kind, bool in_memory)
{
	if (in_memory || kind->kind == SIG_T10DIF_CSUM)
		return ROW_SIG_GENERATE;
	return kind->kind == SIG_T10DIF_CRC ? ROW_SIG_REMAP : ROW_SIG_CRC;
}

/* Signatures are made: for the wire, or for memory. */
static void made(struct gen *g, const struct sig_kind *kind, uint8_t block,
		 uint32_t nblocks, const struct mkey_way *way, bool in_memory)
{
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s;
	uint32_t data;

	d.block = block;
	data = nblocks * size_of(&d);
	if (!sig_opens(g, kind, made_row(kind, in_memory),
		       "A message through an mkey", "make/%s/%u/%s", kind->name,
		       size_of(&d), way->name))
		return;
	s = sig_stage(g, 0);
	if (in_memory)
		sig.mem = d;
	else
		sig.wire = d;
	sig_configure(&s, FROM, bytes_in(&sig.mem, data), &sig);
	mkey_go(&s, way, 2, 0, bytes_in(&sig.wire, data));
	sig_check(&s);
	mkey_finish(&s);
}

/* Layouts of several entries. Blocks end within entries. */
static const struct layout {
	const char *name;
	uint32_t entries, repeat;
} layouts[] = {
	{"list-of-2", 2, 1},
	{"list-of-3", 3, 1},
	{"interleaved-of-2", 2, 2},
};

/* Signatures go on from one entry of a layout to the next. */
static void over_entries(struct gen *g, const struct sig_kind *kind,
			 const struct layout *layout,
			 const struct mkey_way *way, bool in_memory)
{
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	uint32_t data = SIG_BLOCKS * 512, pieces;
	struct program *p = g->p;
	struct mkey_stage s;

	if (!sig_opens(g, kind, made_row(kind, in_memory),
		       "A message through an mkey of several entries",
		       "entries/%s/%s/%s", kind->name, layout->name, way->name))
		return;
	if (in_memory)
		sig.mem = sig_domain(kind);
	else
		sig.wire = sig_domain(kind);
	pieces = layout->entries * layout->repeat;
	s = sig_stage(g, 0);
	sig_post(&s, FROM, bytes_in(&sig.mem, data) / pieces, &sig);
	prog_num(p, F_umr_entries, layout->entries);
	prog_num(p, F_umr_stride, 2048);
	if (layout->repeat > 1) {
		prog_num(p, F_umr_setters,
			 MLX5_SET_ACCESS | MLX5_SET_INTERLEAVED |
				 MLX5_SET_SIG_BLOCK);
		prog_num(p, F_umr_repeat, layout->repeat);
		prog_num(p, F_umr_skip, 64);
	}
	post_poll(&s.p, 1);
	mkey_go(&s, way, 2, 0, bytes_in(&sig.wire, data));
	sig_check(&s);
	mkey_finish(&s);
}

/* Bytes with signatures pass a domain that has those. Another signature, of the
 * type `other` if there is one, is made on the other side. */
static void exchanged(struct gen *g, const struct sig_kind *kind,
		      const struct sig_kind *other, const struct mkey_way *way,
		      bool from_memory)
{
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	struct mlx5_sig_domain d = sig_domain(kind), to = {0};
	uint32_t data = SIG_BLOCKS * 512;
	struct mkey_stage s;

	if (!sig_opens(g, other ? other : kind,
		       other ? ROW_SIG_GENERATE : ROW_SIG_STRIP,
		       "A message with signatures", "%s/%s%s%s/%s",
		       other ? "exchange" : "strip", kind->name,
		       other ? "-" : "", other ? other->name : "", way->name))
		return;
	s = sig_stage(g, 0);
	sig_make_signed(&s, &d);
	if (other)
		to = sig_domain(other);
	if (from_memory)
		s = sig_swap(&s);
	sig.mem = from_memory ? d : to;
	sig.wire = from_memory ? to : d;
	sig_configure(&s, from_memory ? MKEY_PLAIN : FROM,
		      bytes_in(&sig.mem, data), &sig);
	mkey_go(&s, way, 3, 0, bytes_in(&sig.wire, data));
	sig_check(&s);
	mkey_finish(&s);
}

/* Both domains have one block structure: signatures are copied as far as they
 * are the same, or as copy_mask says. The guard is wrong, and not checked. */
static void copied(struct gen *g, const char *name, uint16_t app,
		   uint32_t flags, uint8_t copy_mask)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mlx5_signature sig = {.flags = (uint8_t)flags,
				     .copy_mask = copy_mask};
	uint32_t bytes = bytes_in(&d, SIG_BLOCKS * 512);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_SIG_COPY, "A message with signatures",
		       "copy/%s", name))
		return;
	s = sig_stage(g, 0);
	sig_make_signed(&s, &d);
	sig_corrupt(&s, s.p.mr, 520 + 512, 8);
	s = sig_swap(&s);
	sig.mem = sig.wire = d;
	sig.wire.app_tag = app;
	sig_configure(&s, MKEY_PLAIN, bytes, &sig);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 3, 0, bytes);
	sig_check(&s);
	mkey_finish(&s);
}

/* What a second configuration sets. A layout takes 1024 bytes. */
static const struct second {
	const char *name;
	uint32_t setters, length, repeat, skip;
} seconds[] = {
	{"", 0, 0, 0, 0},
	{"-access", MLX5_SET_ACCESS, 0, 0, 0},
	{"-list", MLX5_SET_LIST, 1024, 0, 0},
	{"-interleaved", MLX5_SET_INTERLEAVED, 512, 2, 64},
};

static void configure_again(const struct mkey_stage *s,
			    const struct second *second, bool reset)
{
	struct program *p = s->p.g->p;

	mkey_begin(&s->p, V_mlx5dv_wr_mkey_configure, false);
	prog_num(p, F_umr_wr_id, 2);
	prog_num(p, F_umr_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_obj(p, F_umr_mkey, s->mkey);
	if (reset)
		prog_num(p, F_umr_conf_flags,
			 MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
	if (second->setters)
		prog_num(p, F_umr_setters, second->setters);
	if (second->setters == MLX5_SET_ACCESS)
		prog_num(p, F_umr_access, MKEY_RIGHTS);
	if (second->length) {
		prog_num(p, F_umr_entries, 1);
		prog_obj(p, F_umr_mr, s->second);
		prog_num(p, F_umr_offset, 2 * FROM);
		prog_num(p, F_umr_length, second->length);
	}
	if (second->repeat) {
		prog_num(p, F_umr_repeat, second->repeat);
		prog_num(p, F_umr_skip, second->skip);
	}
	post_poll(&s->p, 1);
}

/* A second configuration sets no signature: that of the first one is kept, or
 * is reset. */
static void kept(struct gen *g, const struct second *second, bool reset)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	struct mkey_stage s;

	sig.wire = sig_domain(kind);
	if (!sig_opens(g, kind, ROW_SIG_KEPT, "A second configuration", "%s%s",
		       reset ? "reset" : "kept", second->name))
		return;
	s = sig_stage(g, 0);
	sig_configure(&s, FROM, 1024, &sig);
	configure_again(&s, second, reset);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 3, 0, reset ? 1024 : 1040);
	mkey_finish(&s);
}

/* The tag stays the same where REF_REMAP is not set. */
static void same_tag(struct gen *g)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	struct mkey_stage s;

	sig.wire = sig_domain(kind);
	sig.wire.flags = 0;
	if (!sig_opens(g, kind, ROW_SIG_GENERATE, "A message through an mkey",
		       "make/t10dif/same-tag"))
		return;
	s = sig_stage(g, 0);
	sig_configure(&s, FROM, SIG_BLOCKS * 512, &sig);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 2, 0, SIG_BLOCKS * 520);
	mkey_finish(&s);
}

/* A seed of zeros, for T10-DIF. */
static void zero_seed(struct gen *g, const struct sig_kind *kind)
{
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	struct mkey_stage s;

	sig.wire = sig_domain(kind);
	sig.wire.seed = SEED_ZEROS;
	if (!sig_opens(g, kind, ROW_SIG_GENERATE, "A message through an mkey",
		       "make/%s/seed-0", kind->name))
		return;
	s = sig_stage(g, 0);
	sig_configure(&s, FROM, SIG_BLOCKS * 512, &sig);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 2, 0, SIG_BLOCKS * 520);
	mkey_finish(&s);
}

static void block_sizes(struct gen *g)
{
	for (uint8_t block = 1; block < 5; block++) {
		if (block == 2 && !claim_holds(CLAIM_MLX5_4048, g->d))
			continue;
		made(g, &sig_kinds[KIND_DIF], block, 2,
		     &mkey_ways[WAY_WRITE_FROM], false);
		made(g, &sig_kinds[KIND_DIF], block, 2,
		     &mkey_ways[WAY_WRITE_TO], true);
	}
}

static void all_layouts(struct gen *g, const struct sig_kind *kind)
{
	for (size_t i = 0; i < COUNT(layouts); i++) {
		over_entries(g, kind, &layouts[i], &mkey_ways[WAY_WRITE_FROM],
			     false);
		over_entries(g, kind, &layouts[i], &mkey_ways[WAY_WRITE_TO],
			     true);
	}
}

void mlx5_gen_signature(struct gen *g)
{
	gen_prefix(g, "mlx5/sig/");
	g->wr = true;
	for (size_t w = 0; w < WAY_NR; w++) {
		const struct mkey_way *way = &mkey_ways[w];
		bool from = sig_takes_from(way);

		for (size_t k = 0; k < KIND_NR; k++) {
			made(g, &sig_kinds[k], 0, SIG_BLOCKS, way, !from);
			exchanged(g, &sig_kinds[k], NULL, way, from);
		}
		exchanged(g, &sig_kinds[KIND_DIF], &sig_kinds[KIND_CRC32], way,
			  from);
		exchanged(g, &sig_kinds[KIND_CRC32], &sig_kinds[KIND_DIF], way,
			  from);
	}
	block_sizes(g);
	all_layouts(g, &sig_kinds[KIND_DIF]);
	all_layouts(g, &sig_kinds[KIND_CRC32]);
	same_tag(g);
	zero_seed(g, &sig_kinds[KIND_DIF]);
	zero_seed(g, &sig_kinds[KIND_CSUM]);
	copied(g, "all", SIG_APP, 0, 0);
	copied(g, "other-app-tag", SIG_APP + 1, 0, 0);
	copied(g, "mask-none", SIG_APP, MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK,
	       0);
	copied(g, "mask-app-tag", SIG_APP + 1,
	       MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK,
	       MLX5DV_SIG_MASK_T10DIF_APPTAG);
	for (size_t i = 0; i < COUNT(seconds); i++)
		for (int reset = 0; reset < 2; reset++)
			kept(g, &seconds[i], reset);
	mlx5_gen_sig_tags(g);
	mlx5_gen_sig_errors(g);
	mlx5_gen_sig_kept(g);
	mlx5_gen_sig_refused(g);
	mlx5_gen_pipelining(g);
	g->wr = false;
}

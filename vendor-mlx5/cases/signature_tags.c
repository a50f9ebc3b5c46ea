// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of reference tags that count blocks up to the largest number and on
 * from 0, or into the next byte: tags that the device makes, checks, finds
 * wrong and exchanges, and tags of ones that leave a guard unchecked on the
 * way.
 */
#include "vendor-mlx5/cases/signature.h"

#define FROM   256 /* where the mkey's bytes begin */
#define BLOCK  512
#define SIGNED (BLOCK + 8)
#define MANY   4 /* blocks of a message whose tags are made */
#define REMAP  MLX5DV_SIG_T10DIF_FLAG_REF_REMAP

/* The tag of the first block. */
static const struct start {
	const char *name;
	uint32_t tag;
} starts[] = {
	{"ones", UINT32_MAX},
	{"ones-less-1", UINT32_MAX - 1},
	{"ones-less-3", UINT32_MAX - 3},
	{"zero", 0},
	{"byte", 0xfe},
	{"half", 0xfffe},
	{"three-bytes", 0xfffffe},
	{"sign", 0x7ffffffe},
};

static struct mlx5_sig_domain domain(const struct sig_kind *kind, uint32_t tag,
				     uint32_t flags)
{
	struct mlx5_sig_domain d = sig_domain(kind);

	d.ref_tag = tag;
	d.flags = (uint8_t)flags;
	return d;
}

/* Returns the row about tags of a domain. */
static enum row tag_row(uint32_t flags)
{
	return flags & REMAP ? ROW_SIG_REMAP : ROW_SIG_GENERATE;
}

/* Tags are made: for the wire, or for memory. */
static void made_tags(struct gen *g, const struct sig_kind *kind,
		      const struct start *start, uint32_t flags,
		      const char *more, const struct mkey_way *way)
{
	const struct mlx5_sig_domain d = domain(kind, start->tag, flags);
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	bool sends = sig_takes_from(way);
	struct mkey_stage s;

	if (!sig_opens(g, kind, tag_row(flags), "Reference tags that are made",
		       "ref-tag/made/%s/%s%s/%s", kind->name, start->name, more,
		       way->name))
		return;
	s = sig_stage(g, 0);
	if (sends)
		sig.wire = d;
	else
		sig.mem = d;
	sig_configure(&s, FROM, MANY * (sends ? BLOCK : SIGNED), &sig);
	mkey_go(&s, way, 2, 0, MANY * (sends ? SIGNED : BLOCK));
	sig_check(&s);
	mkey_finish(&s);
}

/* Tags that the device made are checked by the same settings. */
static void checked_tags(struct gen *g, const struct sig_kind *kind,
			 const struct start *start, const struct mkey_way *way)
{
	const struct mlx5_sig_domain d = domain(kind, start->tag, REMAP);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_CHECK_NONE, "Reference tags that are right",
		       "ref-tag/checked/%s/%s/%s", kind->name, start->name,
		       way->name))
		return;
	s = sig_stage(g, 0);
	sig_make_signed(&s, &d);
	s = sig_send_checked(&s, kind, &d, SIG_ALL, way);
	sig_check(&s);
	mkey_finish(&s);
}

/* Tags are checked by other settings than they were made by. */
static const struct difference {
	const char *name;
	uint32_t made, made_flags, checked, checked_flags;
} differences[] = {
	{"stays", UINT32_MAX, 0, UINT32_MAX, REMAP},
	{"goes-on", UINT32_MAX, REMAP, UINT32_MAX, 0},
	{"goes-to-ones", UINT32_MAX - 1, REMAP, UINT32_MAX - 1, 0},
	{"stays-before-ones", UINT32_MAX - 1, 0, UINT32_MAX - 1, REMAP},
	{"ahead", 0, REMAP, UINT32_MAX, REMAP},
	{"behind", UINT32_MAX, REMAP, 0, REMAP},
};

static void wrong_tags(struct gen *g, const struct difference *is,
		       const struct mkey_way *way)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	const struct mlx5_sig_domain made = domain(kind, is->made,
						   is->made_flags),
				     checked = domain(kind, is->checked,
						      is->checked_flags);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_CHECK_TAG, "Reference tags that are wrong",
		       "ref-tag/wrong/%s/%s", is->name, way->name))
		return;
	s = sig_stage(g, 0);
	sig_make_signed(&s, &made);
	s = sig_send_checked(&s, kind, &checked, SIG_ALL, way);
	sig_check(&s);
	sig_check(&s);
	mkey_finish(&s);
}

/* Both domains have signatures of one type, whose tags begin at `from` and at
 * `to`. */
static void exchanged_tags(struct gen *g, const char *name, uint32_t from,
			   uint32_t to, const struct mkey_way *way)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	const struct mlx5_sig_domain in = domain(kind, from, REMAP),
				     out = domain(kind, to, REMAP);
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	bool sends = sig_takes_from(way);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_SIG_REMAP, "Reference tags of two domains",
		       "ref-tag/exchanged/%s/%s", name, way->name))
		return;
	s = sig_stage(g, 0);
	sig_make_signed(&s, &in);
	if (sends)
		s = sig_swap(&s);
	sig.mem = sends ? in : out;
	sig.wire = sends ? out : in;
	sig_configure(&s, sends ? MKEY_PLAIN : FROM, SIG_BLOCKS * SIGNED, &sig);
	mkey_go(&s, way, 3, 0, SIG_BLOCKS * SIGNED);
	sig_check(&s);
	mkey_finish(&s);
}

/* The tags count up to ones in the second block, and the application tags are
 * ones: the guard of that block alone is not checked. The guard of a block is
 * wrong. */
static void passing_escape(struct gen *g, uint32_t block)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d =
		domain(kind, UINT32_MAX - 1,
		       REMAP | MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE);
	struct mkey_stage s;

	d.app_tag = UINT16_MAX;
	if (!sig_opens(g, kind, ROW_SIG_ESCAPE, "A wrong guard",
		       "ref-tag/escape/block-%u", block))
		return;
	s = sig_stage(g, 0);
	sig_make_signed(&s, &d);
	sig_corrupt(&s, s.p.mr, block * SIGNED + BLOCK, 2);
	s = sig_send_checked(&s, kind, &d, SIG_ALL, &mkey_ways[WAY_WRITE_FROM]);
	sig_check(&s);
	mkey_finish(&s);
}

/* Cases of one way; those of starts in the middle are of WRITE alone. */
static void tags_of_way(struct gen *g, const struct mkey_way *way, bool all)
{
	const struct start *ones = &starts[0], *before = &starts[1];

	for (const struct start *i = ones; i < starts + COUNT(starts); i++) {
		if (!all && i > before)
			break;
		made_tags(g, &sig_kinds[KIND_DIF], i, REMAP, "", way);
		checked_tags(g, &sig_kinds[KIND_DIF], i, way);
	}
	if (!all)
		return;
	made_tags(g, &sig_kinds[KIND_CSUM], before, REMAP, "", way);
	checked_tags(g, &sig_kinds[KIND_CSUM], before, way);
	made_tags(g, &sig_kinds[KIND_DIF], ones, 0, "-same", way);
	made_tags(g, &sig_kinds[KIND_DIF], before, 0, "-same", way);
	made_tags(g, &sig_kinds[KIND_DIF], before,
		  REMAP | MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE, "-escape", way);
	made_tags(g, &sig_kinds[KIND_DIF], before,
		  REMAP | MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE, "-both-escape",
		  way);
	for (size_t i = 0; i < COUNT(differences); i++)
		wrong_tags(g, &differences[i], way);
	exchanged_tags(g, "to-ones", SIG_REF, UINT32_MAX - 1, way);
	exchanged_tags(g, "from-ones", UINT32_MAX - 1, SIG_REF, way);
	exchanged_tags(g, "same", UINT32_MAX - 1, UINT32_MAX - 1, way);
}

void mlx5_gen_sig_tags(struct gen *g)
{
	for (size_t w = 0; w < WAY_NR; w++)
		tags_of_way(g, &mkey_ways[w],
			    w == WAY_WRITE_FROM || w == WAY_WRITE_TO);
	for (uint32_t block = 0; block < SIG_BLOCKS; block++)
		passing_escape(g, block);
}

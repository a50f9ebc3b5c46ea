// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of signature errors: each part of a signature, block and way, bytes
 * that are not checked, several errors, and errors one after the other.
 */
#include "vendor-mlx5/cases/signature.h"

#define FROM 256

/* A part of a signature that is corrupted: its offset in the block of 512 bytes
 * with its signature. */
static const struct damage {
	const char *name;
	uint32_t offset, length;
	bool tag;     /* of T10-DIF only */
	enum row row; /* that the cases check */
} parts[] = {
	{"data", 8, 8, false, ROW_CHECK_OFFSET},
	{"guard", 512, 2, false, ROW_CHECK_GUARD},
	{"app-tag", 514, 2, true, ROW_CHECK_ERROR},
	{"ref-tag", 516, 4, true, ROW_CHECK_TAG},
};

static uint32_t framed(const struct sig_kind *kind)
{
	return 512 + kind->bytes;
}

/* Makes a stage with signed bytes. */
static struct mkey_stage prepare(struct gen *g, const struct mlx5_sig_domain *d)
{
	struct mkey_stage s = sig_stage(g, 0);

	sig_make_signed(&s, d);
	return s;
}

struct mkey_stage sig_send_checked(const struct mkey_stage *s,
				   const struct sig_kind *kind,
				   const struct mlx5_sig_domain *d,
				   uint8_t check_mask,
				   const struct mkey_way *way)
{
	bool from_memory = sig_takes_from(way);
	struct mlx5_signature sig = {.check_mask = check_mask};
	struct mkey_stage to = from_memory ? sig_swap(s) : *s;
	uint32_t with = SIG_BLOCKS * framed(kind), without = SIG_BLOCKS * 512;

	if (from_memory)
		sig.mem = *d;
	else
		sig.wire = *d;
	sig_configure(&to, from_memory ? MKEY_PLAIN : FROM,
		      from_memory ? with : without, &sig);
	mkey_go(&to, way, 3, 0, from_memory ? without : with);
	return to;
}

static void error(struct gen *g, const struct sig_kind *kind,
		  const struct damage *part, uint32_t block,
		  const struct mkey_way *way)
{
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s;

	if (!sig_opens(g, kind, part->row, "A wrong signature",
		       "error/%s/%s-%u/%s", kind->name, part->name, block,
		       way->name))
		return;
	s = prepare(g, &d);
	sig_corrupt(&s, s.p.mr, block * framed(kind) + part->offset,
		    part->length);
	s = sig_send_checked(&s, kind, &d, SIG_ALL, way);
	sig_check(&s);
	sig_check(&s);
	mkey_finish(&s);
}

/* A wrong part of the first block, which only another part is checked of. */
static void unchecked(struct gen *g, const struct damage *part, uint8_t mask)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_SIG_MASK, "A wrong signature",
		       "unchecked/%s-%x", part->name, mask))
		return;
	s = prepare(g, &d);
	sig_corrupt(&s, s.p.mr, part->offset, part->length);
	s = sig_send_checked(&s, kind, &d, mask, &mkey_ways[WAY_WRITE_FROM]);
	sig_check(&s);
	mkey_finish(&s);
}

/* One byte of the first block's signature is wrong. check_mask leaves out this
 * byte, or another one of the same part. */
static void masked_byte(struct gen *g, const struct damage *part,
			uint32_t wrong, uint8_t mask)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_SIG_MASK, "A wrong byte of a signature",
		       "unchecked/%s-byte-%u-%x", part->name, wrong, mask))
		return;
	s = prepare(g, &d);
	sig_corrupt(&s, s.p.mr, part->offset + wrong, 1);
	s = sig_send_checked(&s, kind, &d, mask, &mkey_ways[WAY_WRITE_FROM]);
	sig_check(&s);
	mkey_finish(&s);
}

/* check_mask has a bit for each byte of a signature, the highest for the first
 * byte. The cases leave out the first or the last byte of each part. */
static void masked_bytes(struct gen *g)
{
	for (size_t i = 1; i < COUNT(parts); i++) {
		const uint32_t last = parts[i].length - 1;
		const uint32_t bit = 0x80u >> (parts[i].offset - 512);
		const uint8_t masks[] = {(uint8_t)~bit,
					 (uint8_t) ~(bit >> last)};

		for (size_t m = 0; m < COUNT(masks); m++) {
			masked_byte(g, &parts[i], 0, masks[m]);
			masked_byte(g, &parts[i], last, masks[m]);
		}
	}
}

/* All blocks have these tags, and a part of the second one is wrong. */
static void escaped(struct gen *g, const char *name, uint16_t app, uint32_t ref,
		    uint8_t flags, const struct damage *part)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s;

	d.app_tag = app;
	d.ref_tag = ref;
	d.flags = flags;
	if (!sig_opens(g, kind, ROW_SIG_ESCAPE, "A wrong signature",
		       "escape/%s", name))
		return;
	s = prepare(g, &d);
	sig_corrupt(&s, s.p.mr, 520 + part->offset, part->length);
	s = sig_send_checked(&s, kind, &d, SIG_ALL, &mkey_ways[WAY_WRITE_FROM]);
	sig_check(&s);
	mkey_finish(&s);
}

#define NO_ESCAPE      0
#define APP_ESCAPE     MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE
#define APP_REF_ESCAPE MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE
#define NEAR_APP       (UINT16_MAX - 1)
#define NEAR_REF       (UINT32_MAX - 1)

/* Flags, and tags that are ones, nearly ones or none. */
static const struct escape {
	const char *name;
	uint16_t app;
	uint32_t ref;
	uint8_t flags;
} escapes[] = {
	{"app", UINT16_MAX, SIG_REF, APP_ESCAPE},
	{"app-ref", UINT16_MAX, UINT32_MAX, APP_REF_ESCAPE},
	{"app-without-ref", UINT16_MAX, SIG_REF, APP_REF_ESCAPE},
	{"none", UINT16_MAX, UINT32_MAX, NO_ESCAPE},
	{"none-app", UINT16_MAX, SIG_REF, NO_ESCAPE},
	{"none-ref", SIG_APP, UINT32_MAX, NO_ESCAPE},
	{"app-both", UINT16_MAX, UINT32_MAX, APP_ESCAPE},
	{"app-neither", SIG_APP, SIG_REF, APP_ESCAPE},
	{"app-by-ref", SIG_APP, UINT32_MAX, APP_ESCAPE},
	{"app-nearly", NEAR_APP, UINT32_MAX, APP_ESCAPE},
	{"app-low-half", 0xff, UINT32_MAX, APP_ESCAPE},
	{"app-high-half", 0xff00, UINT32_MAX, APP_ESCAPE},
	{"app-ref-neither", SIG_APP, SIG_REF, APP_REF_ESCAPE},
	{"app-ref-by-ref", SIG_APP, UINT32_MAX, APP_REF_ESCAPE},
	{"app-ref-app-nearly", NEAR_APP, UINT32_MAX, APP_REF_ESCAPE},
	{"app-ref-ref-nearly", UINT16_MAX, NEAR_REF, APP_REF_ESCAPE},
	{"app-ref-low-half", UINT16_MAX, 0xffff, APP_REF_ESCAPE},
	{"app-ref-high-half", UINT16_MAX, 0xffff0000, APP_REF_ESCAPE},
};

static void all_escapes(struct gen *g)
{
	char name[32];

	for (size_t i = 0; i < COUNT(escapes); i++) {
		const struct escape *e = &escapes[i];

		escaped(g, e->name, e->app, e->ref, e->flags, &parts[0]);
		snprintf(name, sizeof(name), "%s-guard", e->name);
		escaped(g, name, e->app, e->ref, e->flags, &parts[1]);
	}
}

/* Errors of two blocks, or of two parts of one block. */
static void several(struct gen *g, const char *name, const struct damage *first,
		    const struct damage *second, uint32_t block)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_CHECK_FIRST, "Two wrong signatures",
		       "first/%s", name))
		return;
	s = prepare(g, &d);
	sig_corrupt(&s, s.p.mr, 520 + first->offset, first->length);
	sig_corrupt(&s, s.p.mr, block * 520 + second->offset, second->length);
	s = sig_send_checked(&s, kind, &d, SIG_ALL, &mkey_ways[WAY_WRITE_FROM]);
	sig_check(&s);
	sig_check(&s);
	mkey_finish(&s);
}

/* Blocks of one message have errors of these parts, each another one. Two
 * errors are in the first and in the last block. */
static void of_blocks(struct gen *g, const struct mkey_way *way, size_t first,
		      size_t second, const struct damage *third)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	const struct damage *order[] = {&parts[first],
					third ? &parts[second] : NULL,
					third ? third : &parts[second]};
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_CHECK_FIRST, "Blocks with wrong signatures",
		       "first/%s-%s%s%s/%s", parts[first].name,
		       parts[second].name, third ? "-" : "",
		       third ? third->name : "", way->name))
		return;
	s = prepare(g, &d);
	for (uint32_t i = 0; i < SIG_BLOCKS; i++)
		if (order[i])
			sig_corrupt(&s, s.p.mr,
				    i * framed(kind) + order[i]->offset,
				    order[i]->length);
	s = sig_send_checked(&s, kind, &d, SIG_ALL, way);
	sig_check(&s);
	sig_check(&s);
	mkey_finish(&s);
}

/* Each order of two and three of guard, application tag and reference tag. */
static void orders(struct gen *g, const struct mkey_way *way)
{
	for (size_t first = 1; first < COUNT(parts); first++)
		for (size_t second = 1; second < COUNT(parts); second++) {
			if (first == second)
				continue;
			of_blocks(g, way, first, second, NULL);
			of_blocks(g, way, first, second,
				  &parts[6 - first - second]);
		}
}

/* Messages through two mkeys, of which both or the second one have an error.
 * The program asks for the errors in the reverse order. */
static void of_two_mkeys(struct gen *g, bool both)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s, other;

	if (!sig_opens(g, kind, ROW_CHECK_FIRST, "Messages through two mkeys",
		       "first/of-two-mkeys%s", both ? "" : "-one"))
		return;
	s = other = prepare(g, &d);
	other.mkey =
		mkey_make(g,
			  MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				  MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
			  MKEY_ENTRIES);
	if (both)
		sig_corrupt(&s, s.p.mr, 516, 4);
	sig_send_checked(&s, kind, &d, SIG_ALL, &mkey_ways[WAY_WRITE_FROM]);
	sig_corrupt(&s, s.p.mr, 512, 2);
	sig_send_checked(&other, kind, &d, SIG_ALL, &mkey_ways[WAY_WRITE_FROM]);
	for (int i = 0; i < 2; i++) {
		sig_check(&other);
		sig_check(&s);
	}
	mkey_finish(&s);
}

/* A message with an error in its last block, and one with errors in the first
 * and last block, before the program asks: the first message's error is told.
 * An mkey of T10-DIF would be in doubt after the first message. */
static void of_two_messages(struct gen *g)
{
	const struct sig_kind *kind = &sig_kinds[KIND_CRC32C];
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_CHECK_FIRST,
		       "Two messages with wrong signatures",
		       "first/of-two-messages"))
		return;
	s = prepare(g, &d);
	sig_corrupt(&s, s.p.mr, 2 * framed(kind) + parts[0].offset,
		    parts[0].length);
	s = sig_send_checked(&s, kind, &d, SIG_ALL, &mkey_ways[WAY_WRITE_FROM]);
	sig_corrupt(&s, s.second, parts[0].offset, parts[0].length);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 4, 0, SIG_BLOCKS * 512);
	sig_check(&s);
	sig_check(&s);
	mkey_finish(&s);
}

/* An error is told, the mkey is configured again, and there is another error.
 */
static void again(struct gen *g)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d = sig_domain(kind);
	struct mkey_stage s, to;

	if (!sig_opens(g, kind, ROW_CHECK_ERROR, "Two wrong signatures",
		       "error/again"))
		return;
	s = prepare(g, &d);
	sig_corrupt(&s, s.p.mr, 8, 8);
	for (int i = 0; i < 2; i++) {
		to = sig_send_checked(&s, kind, &d, SIG_ALL,
				      &mkey_ways[WAY_WRITE_FROM]);
		sig_check(&to);
		sig_corrupt(&to, to.second, 2 * 520 + 514, 2);
	}
	mkey_finish(&to);
}

/* A configuration before the check leaves the error. */
static void kept_error(struct gen *g)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_sig_domain d = sig_domain(kind);
	const struct mlx5_signature sig = {.wire = d, .check_mask = SIG_ALL};
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_CHECK_ERROR, "A wrong signature",
		       "error/kept"))
		return;
	s = prepare(g, &d);
	sig_corrupt(&s, s.p.mr, 520 + 514, 2);
	s = sig_send_checked(&s, kind, &d, SIG_ALL, &mkey_ways[WAY_WRITE_TO]);
	sig_configure(&s, FROM, 512, &sig);
	sig_check(&s);
	sig_check(&s);
	mkey_finish(&s);
}

static void unused(struct gen *g)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_CHECK_NONE, "An mkey without errors",
		       "unused"))
		return;
	s = sig_stage(g, 0);
	sig_check(&s);
	sig_configure(&s, FROM, 512, NULL);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 2, 0, 512);
	sig_check(&s);
	mkey_finish(&s);
}

/* A configuration that is flushed: one request of the caller, however many the
 * library makes of it. */
static void flushed(struct gen *g, bool both)
{
	const struct sig_kind *kind = &sig_kinds[KIND_DIF];
	struct mlx5_signature sig = {.check_mask = SIG_ALL,
				     .wire = sig_domain(kind)};
	struct mkey_stage s;

	if (!sig_opens(g, kind, ROW_POLL_NONE, "A configuration in ERR",
		       "flushed/%s", both ? "both" : "wire"))
		return;
	s = sig_stage(g, 0);
	if (both)
		sig.mem = sig_domain(kind);
	post_to_err(&s.p, s.p.a, IBV_QPS_RTS);
	sig_post(&s, FROM, 512, &sig);
	for (int i = 0; i < 4; i++)
		post_poll_for(&s.p, 1, POST_MAYBE);
	mkey_finish(&s);
}

static void errors(struct gen *g, const struct sig_kind *kind,
		   const struct mkey_way *way)
{
	bool dif = kind->bytes == 8 && kind->kind <= SIG_T10DIF_CSUM;

	for (size_t i = 0; i < COUNT(parts); i++)
		if (dif || !parts[i].tag)
			error(g, kind, &parts[i], i == 1 ? 0 : 2, way);
}

void mlx5_gen_sig_errors(struct gen *g)
{
	for (size_t w = 0; w < WAY_NR; w++)
		for (size_t k = 0; k < KIND_NR; k++)
			errors(g, &sig_kinds[k], &mkey_ways[w]);
	unchecked(g, &parts[1],
		  MLX5DV_SIG_MASK_T10DIF_APPTAG |
			  MLX5DV_SIG_MASK_T10DIF_REFTAG);
	unchecked(g, &parts[2],
		  MLX5DV_SIG_MASK_T10DIF_GUARD | MLX5DV_SIG_MASK_T10DIF_REFTAG);
	unchecked(g, &parts[3],
		  MLX5DV_SIG_MASK_T10DIF_GUARD | MLX5DV_SIG_MASK_T10DIF_APPTAG);
	unchecked(g, &parts[0], 0);
	masked_bytes(g);
	all_escapes(g);
	several(g, "blocks", &parts[2], &parts[0], 2);
	several(g, "guard-and-app-tag", &parts[1], &parts[2], 1);
	several(g, "app-tag-and-ref-tag", &parts[3], &parts[2], 1);
	several(g, "guard-and-ref-tag", &parts[3], &parts[1], 1);
	orders(g, &mkey_ways[WAY_WRITE_FROM]);
	orders(g, &mkey_ways[WAY_WRITE_TO]);
	of_two_mkeys(g, true);
	of_two_mkeys(g, false);
	of_two_messages(g);
	again(g);
	kept_error(g);
	unused(g);
	flushed(g, false);
	flushed(g, true);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * mlx5dv_create_cq: each bit of comp_mask and flags, sizes of entries, response
 * formats and padding, members whose bit is not set, and all that
 * ibv_create_cq_ex promises.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/cases/cq.h"

#define FORMATS_KNOWN 7u

/* The end of a case: the queue goes, and another one can be made. */
static void end(struct gen *g, uint8_t cq, enum row row)
{
	uint8_t next = cq_of_form(g, &cq_forms[CQ_USUAL]);

	prog_num(g->p, F_cqe, 16);
	if (row_accepts(row)) {
		gen_call(g, V_start_poll, cq);
		gen_call(g, V_destroy_cq, cq);
	}
	gen_call(g, V_destroy_cq, next);
	gen_done(g);
}

/* Adds the creation of a case that gen_id() opened. Returns false if the case
 * is skipped. */
static bool starts(struct gen *g, enum row row, const struct cq_form *form,
		   uint8_t *cq)
{
	if (!gen_says_rule(g, row, CLAIM_NONE, "%s", "mlx5dv_create_cq"))
		return false;
	*cq = cq_of_form(g, form);
	prog_num(g->p, F_cqe, 16);
	return true;
}

static void plain(struct gen *g)
{
	uint8_t cq;

	if (gen_id(g, "plain") &&
	    starts(g, ROW_MLX5_CQ_ACCEPT, &cq_forms[CQ_USUAL], &cq))
		end(g, cq, ROW_MLX5_CQ_ACCEPT);
}

static void mask_bit(struct gen *g, int bit)
{
	uint8_t cq;

	if (!gen_id(g, "comp_mask/bit%d", bit) ||
	    !starts(g, ROW_MLX5_CQ_MASK, &cq_forms[CQ_USUAL], &cq))
		return;
	prog_num(g->p, F_dv_cq_comp_mask, UINT64_C(1) << bit);
	end(g, cq, ROW_MLX5_CQ_MASK);
}

static void flag_bit(struct gen *g, int bit)
{
	uint8_t cq;

	if (!gen_id(g, "flags/bit%d", bit) ||
	    !starts(g, ROW_MLX5_CQ_FLAGS, &cq_forms[CQ_USUAL], &cq))
		return;
	prog_num(g->p, F_dv_cq_comp_mask, MLX5DV_CQ_INIT_ATTR_MASK_FLAGS);
	prog_num(g->p, F_dv_cq_flags, UINT64_C(1) << bit);
	end(g, cq, ROW_MLX5_CQ_FLAGS);
}

/* A bit of comp_mask whose member is zero asks for nothing, except for
 * compression without a format and for entries of no bytes. */
static void no_flags(struct gen *g)
{
	uint8_t cq;

	if (!gen_id(g, "flags/none") ||
	    !starts(g, ROW_MLX5_CQ_ACCEPT, &cq_forms[CQ_USUAL], &cq))
		return;
	prog_num(g->p, F_dv_cq_comp_mask, MLX5DV_CQ_INIT_ATTR_MASK_FLAGS);
	end(g, cq, ROW_MLX5_CQ_ACCEPT);
}

static void all_bits(struct gen *g)
{
	for (int bit = 0; bit < 64; bit++) {
		if (!gen_full(g) && bit > 9 && bit != 31 && bit != 32 &&
		    bit != 63)
			continue;
		if (bit > 2)
			mask_bit(g, bit);
		if (bit > 0 && bit < 32)
			flag_bit(g, bit);
	}
	no_flags(g);
}

static void one_size(struct gen *g, uint16_t bytes)
{
	bool known = bytes == 64 || bytes == 128;
	enum row row = known ? ROW_MLX5_CQ_SIZED : ROW_MLX5_CQ_SIZE;
	uint8_t cq;

	if (!gen_id(g, "cqe_size/%u", bytes) ||
	    !starts(g, row, &cq_forms[CQ_USUAL], &cq))
		return;
	prog_num(g->p, F_dv_cq_comp_mask, MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE);
	prog_num(g->p, F_dv_cq_size, bytes);
	end(g, cq, row);
}

static void sizes(struct gen *g)
{
	static const uint16_t list[] = {0,   1,	   32,	  63,	     64,  65,
					96,  127,  128,	  129,	     192, 256,
					512, 4096, 32768, UINT16_MAX};

	for (size_t i = 0; i < COUNT(list); i++)
		one_size(g, list[i]);
}

/* A member holds values that would be refused, and its bit is not set. `others`
 * are the bits that are set. */
static void unsaid(struct gen *g, const char *name, enum field member,
		   uint64_t others)
{
	uint8_t cq;

	if (!gen_id(g, "unsaid/%s", name) ||
	    !starts(g, ROW_MLX5_CQ_UNSAID, &cq_forms[CQ_USUAL], &cq))
		return;
	if (others)
		prog_num(g->p, F_dv_cq_comp_mask, others);
	if (others & MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE)
		prog_num(g->p, F_dv_cq_size, 64);
	prog_num(g->p, member, field_max(member));
	end(g, cq, ROW_MLX5_CQ_UNSAID);
}

static void all_unsaid(struct gen *g)
{
	static const enum field members[] = {F_dv_cq_format, F_dv_cq_flags,
					     F_dv_cq_size};
	uint64_t size = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE;
	uint64_t flags = MLX5DV_CQ_INIT_ATTR_MASK_FLAGS;
	uint8_t cq;

	unsaid(g, "format", F_dv_cq_format, 0);
	unsaid(g, "flags", F_dv_cq_flags, 0);
	unsaid(g, "cqe_size", F_dv_cq_size, 0);
	unsaid(g, "format-with-others", F_dv_cq_format, size | flags);
	unsaid(g, "flags-with-size", F_dv_cq_flags, size);
	unsaid(g, "cqe_size-with-flags", F_dv_cq_size, flags);
	if (!gen_id(g, "unsaid/all") ||
	    !starts(g, ROW_MLX5_CQ_UNSAID, &cq_forms[CQ_USUAL], &cq))
		return;
	for (size_t i = 0; i < COUNT(members); i++)
		prog_num(g->p, members[i], field_max(members[i]));
	end(g, cq, ROW_MLX5_CQ_UNSAID);
}

static bool has_one_bit(unsigned int bits)
{
	return bits && !(bits & (bits - 1));
}

/* Returns the rule about a response format with entries of this size. */
static enum row format_row(const struct gen *g, unsigned int format,
			   uint16_t bytes)
{
	uint64_t claimed = g->d->limit[LIM_mlx5_cqe_comp_formats];

	if (!claim_holds(CLAIM_MLX5_COMPRESS, g->d) || !(format & claimed))
		return ROW_MLX5_CQ_FORMAT_CLAIM;
	if (bytes == 128 && !claim_holds(CLAIM_MLX5_COMPRESS_128, g->d))
		return ROW_MLX5_CQ_FORMAT_128;
	if (has_one_bit(format))
		return ROW_MLX5_CQ_FORMAT;
	return format & ~claimed ? ROW_MLX5_CQ_FORMAT_MIXED
				 : ROW_MLX5_CQ_FORMATS;
}

static void one_format(struct gen *g, unsigned int bits, uint16_t bytes)
{
	const struct cq_form form = {.size = bytes, .format = (uint8_t)bits};
	enum row row = format_row(g, bits, bytes);
	uint8_t cq;

	if (!gen_id(g, "format/%u-%s", bits,
		    bytes == 128  ? "long"
		    : bytes == 64 ? "short"
				  : "unsized") ||
	    !starts(g, row, &form, &cq))
		return;
	if (!bits)
		prog_num(g->p, F_dv_cq_comp_mask,
			 MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE |
				 MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE);
	end(g, cq, row);
}

static void formats(struct gen *g)
{
	static const uint8_t odd[] = {8, 9, 12, 16, 128, 248, UINT8_MAX};

	for (unsigned int bits = 0; bits <= FORMATS_KNOWN; bits++) {
		one_format(g, bits, 64);
		one_format(g, bits, 128);
		if (has_one_bit(bits))
			one_format(g, bits, 0);
	}
	for (size_t i = 0; i < COUNT(odd); i++)
		one_format(g, odd[i], 64);
}

static enum row padding_row(const struct gen *g, uint16_t bytes)
{
	if (!claim_holds(CLAIM_MLX5_PAD, g->d))
		return ROW_MLX5_CQ_PAD_CLAIM;
	if (!bytes)
		return ROW_MLX5_CQ_PAD_UNSIZED;
	return bytes == 128 ? ROW_MLX5_CQ_PAD : ROW_MLX5_CQ_PAD_SHORT;
}

static void padding(struct gen *g, const char *name, uint16_t bytes)
{
	const struct cq_form form = {.size = bytes, .pads = true};
	enum row row = padding_row(g, bytes);
	uint8_t cq;

	if (gen_id(g, "pad/%s", name) && starts(g, row, &form, &cq))
		end(g, cq, row);
}

/* Padding, compression and long entries at once. */
static void everything(struct gen *g, unsigned int bits)
{
	struct cq_form form = cq_forms[CQ_EVERYTHING];
	uint64_t claimed = g->d->limit[LIM_mlx5_cqe_comp_formats];
	enum claim missing = gen_needs(g, form.claim, CLAIM_MLX5_PAD);
	uint8_t cq;

	if ((missing == CLAIM_NONE && !(bits & claimed)) ||
	    !gen_id(g, "pad/format-%u", bits) ||
	    !gen_says_rule(g, ROW_MLX5_CQ_PAD, missing, "%s",
			   "Compressed and padded"))
		return;
	form.format = (uint8_t)bits;
	cq = cq_of_form(g, &form);
	prog_num(g->p, F_cqe, 16);
	end(g, cq, ROW_MLX5_CQ_PAD);
}

/* The promises of ibv_create_cq_ex, with usual entries and with long ones. */
static void as_verbs(struct gen *g)
{
	gen_prefix(g, "mlx5/cq/create/");
	gen_create_cq_by(g, V_mlx5dv_create_cq);
	gen_prefix(g, "mlx5/cq/");
	gen_create_cq_bits(g, V_mlx5dv_create_cq);
	cq_begin(g, &cq_forms[CQ_LONG]);
	gen_prefix(g, "mlx5/cq/create-long/");
	gen_create_cq_by(g, V_mlx5dv_create_cq);
	cq_end(g);
}

void mlx5_gen_cq_create(struct gen *g)
{
	gen_prefix(g, "mlx5/cq/");
	plain(g);
	all_bits(g);
	sizes(g);
	all_unsaid(g);
	formats(g);
	padding(g, "unsized", 0);
	padding(g, "short", 64);
	padding(g, "long", 128);
	for (unsigned int bits = 1; bits <= FORMATS_KNOWN; bits <<= 1)
		everything(g, bits);
	as_verbs(g);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Block signatures of mkeys. As a message passes an mkey, the signatures of the
 * domain that the bytes come from are checked and taken out, and those of the
 * domain that the bytes go to are put behind each block. The first error is
 * kept for mlx5dv_mkey_check.
 */
#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <string.h>
#include "vendor-mlx5/model/checksum.h"
#include "vendor-mlx5/model/convert.h"
#include "vendor-mlx5/model/crypto.h"
#include "vendor-mlx5/model/signature.h"

#define MOST_BLOCK 4160
#define MOST_SIG   8
#define ALL_BYTES  0xffu

static bool is_t10dif(const struct mlx5_sig_domain *d)
{
	return d->kind == SIG_T10DIF_CRC || d->kind == SIG_T10DIF_CSUM;
}

uint16_t signature_width(const struct mlx5_sig_domain *d)
{
	if (d->kind == SIG_NONE)
		return 0;
	return d->kind == SIG_CRC32 || d->kind == SIG_CRC32C ? 4 : 8;
}

static bool domain_is_valid(const struct mlx5_sig_domain *d)
{
	const unsigned int flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP |
				   MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE |
				   MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE;

	if (d->kind == SIG_NONE)
		return true;
	return d->kind < SIG_KINDS && block_bytes(d->block) &&
	       d->seed < SEEDS && !(is_t10dif(d) && d->flags & ~flags);
}

bool signature_is_valid(const struct mlx5_signature *sig)
{
	return (sig->mem.kind || sig->wire.kind) && !sig->comp_mask &&
	       !(sig->flags & ~MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK) &&
	       domain_is_valid(&sig->mem) && domain_is_valid(&sig->wire);
}

bool signature_is_shared(const struct mlx5_signature *sig)
{
	const struct mlx5_sig_domain *a = &sig->mem, *b = &sig->wire;

	return a->kind && b->kind && a->block == b->block &&
	       (a->kind == b->kind || (is_t10dif(a) && is_t10dif(b)));
}

/* Returns the bytes that are copied and not made anew, as bits of copy_mask. */
static uint8_t copied_bytes(const struct mlx5_signature *sig)
{
	const struct mlx5_sig_domain *a = &sig->mem, *b = &sig->wire;
	uint8_t mask = 0;

	if (!signature_is_shared(sig))
		return 0;
	if (sig->flags & MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK)
		return sig->copy_mask;
	if (!is_t10dif(a))
		return ALL_BYTES;
	if (a->kind == b->kind && a->seed == b->seed)
		mask |= MLX5DV_SIG_MASK_T10DIF_GUARD;
	if (a->app_tag == b->app_tag)
		mask |= MLX5DV_SIG_MASK_T10DIF_APPTAG;
	if (a->ref_tag == b->ref_tag)
		mask |= MLX5DV_SIG_MASK_T10DIF_REFTAG;
	return mask;
}

static void put_big(uint8_t *to, uint64_t value, unsigned int n)
{
	while (n--) {
		to[n] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t big(const uint8_t *from, unsigned int n)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < n; i++)
		value = value << 8 | from[i];
	return value;
}

static uint64_t little(const uint8_t *from, unsigned int n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | from[n];
	return value;
}

static uint32_t ref_tag_of(const struct model *m,
			   const struct mlx5_sig_domain *d, uint64_t block)
{
	if (!(d->flags & MLX5DV_SIG_T10DIF_FLAG_REF_REMAP) ||
	    mutant_skips(m->mutant, ROW_SIG_REMAP))
		return d->ref_tag;
	if (block > UINT32_MAX - d->ref_tag &&
	    mutant_has_quirk(m->mutant, QUIRK_REF_STAYS))
		return UINT32_MAX;
	return d->ref_tag + (uint32_t)block;
}

static uint64_t crc_of(const struct mlx5_sig_domain *d, const uint8_t *data)
{
	uint64_t polynomial = CRC32_POLYNOMIAL, ones = UINT32_MAX;

	if (d->kind == SIG_CRC32C)
		polynomial = CRC32C_POLYNOMIAL;
	if (d->kind == SIG_CRC64_XP10) {
		polynomial = CRC64_XP10_POLYNOMIAL;
		ones = UINT64_MAX;
	}
	return mlx5_crc_reflected(polynomial, d->seed == SEED_ONES ? ones : 0,
				  data, block_bytes(d->block)) ^
	       ones;
}

static void make_t10dif(const struct model *m, const struct mlx5_sig_domain *d,
			uint64_t block, const uint8_t *data, uint8_t *to)
{
	uint16_t seed = d->seed == SEED_ONES ? UINT16_MAX : 0;
	uint16_t guard =
		d->kind == SIG_T10DIF_CRC
			? mlx5_crc16_t10dif(seed, data, block_bytes(d->block))
			: mlx5_ip_checksum(seed, data, block_bytes(d->block));

	put_big(to, guard, 2);
	put_big(to + 2, d->app_tag, 2);
	put_big(to + 4, ref_tag_of(m, d, block), 4);
}

/* Makes the signature of a block. */
static void make(const struct model *m, const struct mlx5_sig_domain *d,
		 uint64_t block, const uint8_t *data, uint8_t *to)
{
	uint16_t width = signature_width(d);
	uint64_t crc;

	if (is_t10dif(d)) {
		make_t10dif(m, d, block, data, to);
		return;
	}
	crc = crc_of(d, data);
	if (mutant_skips(m->mutant, ROW_SIG_CRC))
		put_big(to, crc, width);
	else
		for (unsigned int i = 0; i < width; i++)
			to[i] = (uint8_t)(crc >> (8 * i));
}

/* Returns true if the contract says which bytes the signature has: no document
 * says whether a CRC with a seed of zeros is complemented. */
static bool is_defined(const struct mlx5_sig_domain *d)
{
	return is_t10dif(d) || d->seed == SEED_ONES;
}

/* Returns the bit of check_mask and copy_mask for a byte of a signature. */
static uint8_t mask_bit(const struct mlx5_sig_domain *d, unsigned int byte)
{
	if (is_t10dif(d))
		return (uint8_t)(0x80u >> byte);
	return (uint8_t)(1u << (byte + MOST_SIG - signature_width(d)));
}

/* Returns true if a checked byte from `from` on, of `n`, differs. */
static bool differs(const struct mlx5_sig_domain *d, uint8_t mask,
		    const uint8_t *is, const uint8_t *should, unsigned int from,
		    unsigned int n)
{
	for (unsigned int i = from; i < from + n; i++)
		if (mask & mask_bit(d, i) && is[i] != should[i])
			return true;
	return false;
}

/* Returns true if the tags of a block say that its guard is not checked. */
static bool escapes(const struct model *m, const struct mlx5_sig_domain *d,
		    const uint8_t *is)
{
	bool app = big(is + 2, 2) == UINT16_MAX;

	if (!is_t10dif(d))
		return false;
	if (d->flags && mutant_has_quirk(m->mutant, QUIRK_ESCAPE_APP))
		return app;
	if (d->flags & MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE)
		return app && big(is + 4, 4) == UINT32_MAX;
	return d->flags & MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE && app;
}

/* The parts of a signature, in the order in which they are checked. */
static const struct part_of_sig {
	uint8_t error, from, bytes;
} parts[] = {
	{MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, 0, 2},
	{MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG, 2, 2},
	{MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG, 4, 4},
};

/* Compares a signature with what it should be, and fills the type and the
 * values of the error. Returns false if there is none. */
static bool find_error(const struct model *m, const struct mlx5_sig_domain *d,
		       uint8_t mask, const uint8_t *is, const uint8_t *should,
		       struct mlx5_sig_error *error)
{
	uint16_t width = signature_width(d);
	bool escaped = escapes(m, d, is);

	/* seeded fault: the bits of the application tag are swapped */
	if (is_t10dif(d) && mutant_has_quirk(m->mutant, QUIRK_APP_SWAPPED))
		mask = (uint8_t)((mask & ~0x30u) | (mask & 0x10u) << 1 |
				 (mask & 0x20u) >> 1);

	/* seeded fault: the bits of the application tag are one */
	if (is_t10dif(d) && mask & 0x30u &&
	    mutant_has_quirk(m->mutant, QUIRK_APP_EITHER))
		mask |= 0x30u;

	if (escaped) {
		note_row(m, ROW_SIG_ESCAPE);
		escaped = !mutant_skips(m->mutant, ROW_SIG_ESCAPE);
	}
	if (!is_t10dif(d)) {
		error->type = MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD;
		error->actual = little(should, width);
		error->expected = little(is, width);
		return differs(d, mask, is, should, 0, width);
	}
	for (size_t i = 0; i < COUNT(parts); i++) {
		const struct part_of_sig *p = &parts[i];

		if ((!i && escaped) ||
		    !differs(d, mask, is, should, p->from, p->bytes))
			continue;
		/* seeded fault: the tags are checked the other way round */
		if (i == 1 &&
		    differs(d, mask, is, should, parts[2].from,
			    parts[2].bytes) &&
		    mutant_has_quirk(m->mutant, QUIRK_REF_FIRST))
			continue;
		error->type = p->error;
		error->actual = big(should + p->from, p->bytes);
		error->expected = big(is + p->from, p->bytes);
		return true;
	}
	return false;
}

/* Returns true for a seeded fault: an error of the same transfer replaces the
 * one that is kept, if its part is checked before that one's. */
static bool replaces(const struct model *m, const struct mlx5_mr_state *st,
		     const struct mlx5_sig_error *error)
{
	size_t kept = 0, later = 0;

	if (st->error && !st->told &&
	    mutant_has_quirk(m->mutant, QUIRK_SIG_NEWEST))
		return true;
	if (st->error && !st->fresh &&
	    mutant_has_quirk(m->mutant, QUIRK_SIG_NEXT))
		return true;
	if (st->fresh && mutant_has_quirk(m->mutant, QUIRK_SIG_LAST))
		return true;
	if (!st->fresh || !mutant_has_quirk(m->mutant, QUIRK_SIG_ORDER))
		return false;
	while (kept < COUNT(parts) && parts[kept].error != st->error)
		kept++;
	while (later < COUNT(parts) && parts[later].error != error->type)
		later++;
	return later < kept;
}

/* Keeps an error, and has the device tell of it. */
static void keep_error(struct model *m, const struct conversion *c,
		       const struct mlx5_sig_error *error, uint64_t data_offset)
{
	struct mlx5_mr_state *st = &m->object[c->mr].mr.vendor.mlx5;
	const struct model_qp *qp = &m->object[c->qp].qp;
	struct mlx5_sig_error told = *error;

	st->failed = true;
	st->by = c->qp;
	if (!st->armed && !replaces(m, st, error)) {
		st->doubt |= !st->error;
		return;
	}
	st->doubt |= st->error != MLX5DV_MKEY_NO_ERR;
	if (mutant_skips(m->mutant, ROW_CHECK_GUARD) &&
	    error->type == MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD) {
		told.actual = error->expected;
		told.expected = error->actual;
	}
	if (mutant_choice(m->mutant, ROW_CHECK_OFFSET) == OUT_RAW)
		told.offset = data_offset;
	st->armed = mutant_skips(m->mutant, ROW_CHECK_FIRST);
	st->told = false;
	st->after = wr_last_done(m);
	st->cq = c->answers ? qp->init.recv_cq : qp->init.send_cq;
	st->error = error->type;
	st->fresh = true;
	st->actual = told.actual;
	st->expected = told.expected;
	st->offset = told.offset;
	st->data_offset = data_offset;
	if (m->memory && m->memory->tell)
		m->memory->tell(m->memory->arg, st->cq,
				m->object[c->mr].mr.lkey, &told);
}

/* A stream of blocks: where it stands, and its signatures. */
struct stream {
	const struct mlx5_sig_domain *d;
	uint16_t mr, block, width;
};

static struct place place_of(const struct stream *s, uint64_t data)
{
	return (struct place){data + data / s->block * s->width, s->mr};
}

static struct place signature_at(const struct stream *s, uint64_t block)
{
	uint64_t all = (uint64_t)s->block + s->width;

	return (struct place){block * all + s->block, s->mr};
}

/* An oracle does not know whether there is an error. */
static void doubt_error(struct model *m, struct mlx5_mr_state *st, uint16_t qp)
{
	st->doubt = true;
	m->lost_track |= mlx5_pipelines(&m->object[qp].qp);
}

/* Checks the signature of a block. */
static void check_block(struct model *m, const struct conversion *c,
			const struct stream *in, uint64_t block)
{
	struct mlx5_mr_state *st = &m->object[c->mr].mr.vendor.mlx5;
	uint8_t data[MOST_BLOCK], is[MOST_SIG] = {0}, should[MOST_SIG] = {0};
	uint8_t mask = mutant_skips(m->mutant, ROW_SIG_MASK)
			       ? ALL_BYTES
			       : st->sig.check_mask;
	struct mlx5_sig_error error = {
		.offset = block * ((uint64_t)in->block + in->width),
		.kind = in->d->kind,
		.in_memory = c->sends,
	};
	bool known =
		bytes_read(m, place_of(in, block * in->block), data, in->block);

	known &= bytes_read(m, signature_at(in, block), is, in->width);
	make(m, in->d, block, data, should);
	note_row(m, ROW_SIG_MASK);
	if (mask && m->observes && (!known || !is_defined(in->d)))
		doubt_error(m, st, c->qp);
	else if (find_error(m, in->d, mask, is, should, &error) &&
		 !mutant_skips(m->mutant, ROW_CHECK_ERROR))
		keep_error(m, c, &error, block * in->block);
}

/* Copies the data of all blocks, and what is behind them. */
static void copy_data(struct model *m, const struct stream *in,
		      const struct stream *out, uint64_t bytes)
{
	bool strips = !mutant_skips(m->mutant, ROW_SIG_STRIP);
	uint64_t run;

	note_row(m, ROW_SIG_STRIP);
	for (uint64_t at = 0; at < bytes; at += run) {
		struct place from = place_of(in, at), to = place_of(out, at);

		run = in->block - at % in->block;
		if (out->block - at % out->block < run)
			run = out->block - at % out->block;
		if (bytes - at < run)
			run = bytes - at;
		if (!strips)
			from.offset = at;
		bytes_copy(m, to, from, run);
	}
}

/* Copies bytes of the signature that came in. */
static void copy_signature(const struct model *m,
			   const struct mlx5_signature *sig,
			   const struct stream *out, const uint8_t *came,
			   uint8_t *to)
{
	uint8_t mask = copied_bytes(sig);

	note_row(m, ROW_SIG_COPY);
	if (mutant_skips(m->mutant, ROW_SIG_COPY))
		return;
	for (unsigned int i = 0; i < out->width; i++)
		if (mask & mask_bit(out->d, i))
			to[i] = came[i];
}

/* Returns true if the bytes of a signature that is made are known. */
static bool makes_known(const struct mlx5_signature *sig,
			const struct stream *out, bool data_known)
{
	return (data_known && is_defined(out->d)) ||
	       copied_bytes(sig) == ALL_BYTES;
}

static void sign_block(struct model *m, const struct conversion *c,
		       const struct stream *in, const struct stream *out,
		       uint64_t block)
{
	const struct mlx5_mr_state *st = &m->object[c->mr].mr.vendor.mlx5;
	uint8_t data[MOST_BLOCK], to[MOST_SIG] = {0}, came[MOST_SIG] = {0};
	struct place at = signature_at(out, block);
	bool known = bytes_read(m, place_of(out, block * out->block), data,
				out->block);

	note_row(m, ROW_SIG_GENERATE);
	note_row(m, is_t10dif(out->d) ? ROW_SIG_REMAP : ROW_SIG_CRC);
	if (mutant_skips(m->mutant, ROW_SIG_GENERATE))
		return;
	make(m, out->d, block, data, to);
	known = makes_known(&st->sig, out, known);
	if (signature_is_shared(&st->sig)) {
		known &=
			bytes_read(m, signature_at(in, block), came, in->width);
		copy_signature(m, &st->sig, out, came, to);
	}
	if (m->observes && (!known || (st->used && is_t10dif(out->d))))
		bytes_set_unknown(m, at, out->width);
	else
		bytes_store_some(m, at, to, out->width);
}

static struct stream stream_of(const struct mlx5_sig_domain *d, uint16_t mr,
			       uint16_t block, uint16_t width)
{
	return (struct stream){d, mr, block, width};
}

void signature_convert(struct model *m, const struct conversion *c)
{
	struct model_mr *mr = &m->object[c->mr].mr;
	struct mlx5_mr_state *st = &mr->vendor.mlx5;
	const struct framing *f = &mr->layout.framing;
	const struct stream mem = stream_of(&st->sig.mem, MEMORY_STORED,
					    f->memory_block, f->memory_extra);
	const struct stream wire = stream_of(&st->sig.wire, MEMORY_WIRE,
					     f->wire_block, f->wire_extra);
	const struct stream *in = c->sends ? &mem : &wire;
	const struct stream *out = c->sends ? &wire : &mem;
	uint64_t all = (uint64_t)f->wire_block + f->wire_extra;
	uint64_t bytes =
		c->wire / all * f->wire_block + c->wire % all; /* of data */

	if (m->observes && (c->wire % all || bytes % f->memory_block))
		m->lost_track = true;
	if (st->used && (is_t10dif(in->d) || is_t10dif(out->d)))
		st->doubt = true;
	note_row(m, ROW_CHECK_ERROR);
	st->fresh = false;
	for (uint64_t i = 0; in->width && i < bytes / in->block; i++)
		check_block(m, c, in, i);
	copy_data(m, in, out, bytes);
	for (uint64_t i = 0; out->width && i < bytes / out->block; i++)
		sign_block(m, c, in, out, i);
	st->used = true;
}

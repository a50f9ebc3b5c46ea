// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The steps of a program that fill a region with a pattern and that read what a
 * region holds.
 */
#include <errno.h>
#include <stdlib.h>
#include "model/internal.h"
#include "model/memory/seeded_copy.h"
#include "program/repro/parts/packet.h"

/* Returns true if the program cannot address the bytes. */
static bool has_no_memory(const struct model_mr *mr)
{
	return mr->null || mr->in_dm;
}

/* Sets *length to the number of bytes that the step names. Returns false if the
 * region does not hold them all. */
static bool find_length(const struct step *s, uint64_t *length)
{
	const struct memory_args *in = &s->b->in.memory;
	uint64_t all = obj(s->m, s->b->on)->mr.length;

	if (has_no_memory(&obj(s->m, s->b->on)->mr) || !all ||
	    all > PATTERN_MEMORY || in->offset > all)
		return false;
	*length = in->length ? in->length : all - in->offset;
	return *length <= all - in->offset;
}

/* Returns true if no unpolled completion may still change the region. */
static bool is_settled(const struct model *m, uint16_t mr)
{
	const uint64_t *unsettled = m->object[mr].mr.unpolled;

	return !unsettled[0] && !unsettled[1];
}

/* Requests without a polled completion may still write here, before or after
 * the fill. */
static void fill(struct step *s, struct place to, uint64_t length)
{
	if (is_oracle(s) && !is_settled(s->m, to.mr))
		bytes_set_unknown(s->m, to, length);
	else
		bytes_fill(s->m, to, length, s->b->in.memory.pattern);
	if (is_settled(s->m, to.mr) && length == obj(s->m, to.mr)->mr.length)
		obj(s->m, to.mr)->mr.depends_on_fence = false;
}

void do_fill_mr(struct step *s)
{
	const struct memory_args *in = &s->b->in.memory;
	struct place to = {in->offset, s->b->on};
	uint64_t length;

	if (!find_length(s, &length) || in->pattern >= PATTERNS) {
		answer_refuse(s, ROW_DATA_BYTES, EINVAL);
		return;
	}
	fill(s, to, length);
	seeded_copy_late(s->m);
	obj(s->m, s->b->on)->mr.last_row = ROW_DATA_BYTES;
	answer_accept(s, ROW_DATA_BYTES);
}

/* Stores the headers by value, and the bytes behind them as their pattern. The
 * inner packet of a tunnel is there already. */
static void bytes_put_packet(struct model *m, struct place to,
			     const struct packet_args *in, const uint8_t *bytes)
{
	uint64_t headers = packet_header_length(in);
	struct place behind = {to.offset + headers, to.mr};

	for (uint64_t done = 0; done < headers; done += 8) {
		uint64_t n = headers - done < 8 ? headers - done : 8;
		struct place at = {to.offset + done, to.mr};

		bytes_store_some(m, at, bytes + done, n);
	}
	if (in->length > headers && !in->tunnel)
		bytes_fill(m, behind, in->length - headers, in->pattern);
}

void do_write_packet(struct step *s)
{
	const struct packet_args *in = &s->b->in.packet;
	uint64_t all = obj(s->m, s->b->on)->mr.length;
	struct place to = {in->offset, s->b->on};
	uint8_t *bytes = NULL;

	if (in->length && !has_no_memory(&obj(s->m, s->b->on)->mr) &&
	    all <= PATTERN_MEMORY && in->offset <= all &&
	    in->length <= all - in->offset && in->pattern < PATTERNS)
		bytes = malloc(in->length);
	if (!bytes || !packet_build(bytes, in)) {
		free(bytes);
		answer_refuse(s, ROW_DATA_BYTES, EINVAL);
		return;
	}
	if (is_oracle(s) && !is_settled(s->m, to.mr))
		bytes_set_unknown(s->m, to, in->length);
	else
		bytes_put_packet(s->m, to, in, bytes);
	seeded_copy_late(s->m);
	free(bytes);
	obj(s->m, s->b->on)->mr.last_row = ROW_DATA_BYTES;
	answer_accept(s, ROW_DATA_BYTES);
}

static void define_run(struct step *s, unsigned int n,
		       const struct memory_run *run, enum row row)
{
	unsigned int first = F_run0_at + n * (F_run1_at - F_run0_at);
	const uint64_t values[] = {run->at, run->length, run->pattern,
				   run->from};

	for (unsigned int i = 0; i < 4; i++)
		answer_define(s, (enum field)(first + i), values[i], row);
}

/* Returns the row to report for wrong bytes. A request that was to fail may
 * have been carried out, and a fence may not have waited. */
static enum row bytes_row(const struct step *s, const struct memory_view *view,
			  enum row usual)
{
	uint64_t seen = answer_seen(s, F_view_checksum, view->checksum);

	if (seen == view->checksum)
		return usual;
	if (obj(s->m, s->b->on)->mr.depends_on_fence)
		usual = ROW_DATA_FENCE;
	return broken_rule_bytes(s, s->b->on, usual);
}

static void define_view(struct step *s, const struct memory_view *view,
			enum row row)
{
	for (unsigned int n = 0; n < view->count && n < MEMORY_RUNS; n++)
		define_run(s, n, &view->run[n], row);
	answer_define(s, F_view_count, view->count, row);
	answer_define(s, F_view_checksum, view->checksum, row);
}

/* Puts what the device showed where bytes are unknown. Returns true if it
 * showed another byte where one is known. */
static bool is_shown_wrong(const struct step *s, struct place at,
			   unsigned char *bytes, uint64_t length)
{
	bool *unknown = malloc(length);
	bool wrong = false;

	if (unknown) {
		bytes_read_known(s->m, at, bytes, unknown, length);
		wrong = shown_differ(&s->seen->out.view, at.offset, bytes,
				     unknown, length);
	}
	free(unknown);
	return wrong;
}

/* Finds what the program has to see. Where the model knows some of the bytes
 * only, that is what it saw, unless it saw another byte where one is known.
 * Returns false if the step defines no outputs. */
static bool find_view(struct step *s, struct place at, uint64_t length,
		      struct memory_view *view)
{
	unsigned char *bytes = malloc(length + 1);
	bool found = bytes &&
		     (bytes_read(s->m, at, bytes, length) || !is_oracle(s) ||
		      is_shown_wrong(s, at, bytes, length));

	if (found)
		pattern_describe(bytes, length, at.offset, view);
	free(bytes);
	return found;
}

void do_read_mr(struct step *s)
{
	struct place at = {s->b->in.memory.offset, s->b->on};
	enum row row = (enum row)obj(s->m, s->b->on)->mr.last_row;
	struct memory_view view;
	uint64_t length;

	if (!find_length(s, &length)) {
		answer_refuse(s, ROW_DATA_BYTES, EINVAL);
		return;
	}
	region_touch(s->m, at.mr, at.offset, length);
	answer_accept(s, row);
	record_row(s, row);
	if (is_oracle(s) && !is_settled(s->m, at.mr))
		return;
	if (find_view(s, at, length, &view))
		define_view(s, &view, bytes_row(s, &view, row));
}

/* Returns true if no unpolled completion may still change device memory. */
static bool is_dm_settled(const struct model *m, uint16_t dm)
{
	for (uint16_t mr = first_of(m, OBJ_MR); mr != NO_OBJ;
	     mr = next_of(m, OBJ_MR, mr))
		if (region_in_dm(m, mr) && m->object[mr].mr.dm == dm &&
		    !is_settled(m, mr))
			return false;
	return true;
}

/* Returns true if the copy is refused; the answer is written then. */
static bool refuse_copy(struct step *s)
{
	const struct memory_args *in = &s->b->in.memory;
	uint64_t all = obj(s->m, s->b->on)->dm.length;
	struct faults f = {0};
	enum out effect;
	int err;

	if (in->offset > all || in->length > all - in->offset)
		add_fault(s, &f, ROW_DM_COPY_RANGE);
	if (in->offset % 4 || in->length % 4)
		add_fault(s, &f, ROW_DM_COPY_UNIT);
	answer_accept(s, ROW_DATA_DM);
	err = choose_outcome(s, &f, &effect);
	if (err)
		answer_refuse(s, s->a->row, err);
	return err;
}

/* Returns the slot that has the bytes of device memory. */
static uint16_t dm_of(const struct step *s)
{
	return mutant_skips(s->mutant, ROW_IMPORT_DM)
		       ? s->b->on
		       : s->m->object[s->b->on].real;
}

/* Seeded faults: zeros up to the end of the last word, by the place or by the
 * length. */
static void spoil_word(const struct step *s, struct place to, uint64_t length)
{
	static const uint8_t zeros[4] = {0};
	uint64_t all = s->m->object[to.mr].dm.length, more;

	if (mutant_has_quirk(s->mutant, QUIRK_COPY_SERIES))
		more = (4 - length % 4) % 4;
	else if (mutant_has_quirk(s->mutant, QUIRK_COPY_SPOILS))
		more = (4 - (to.offset + length) % 4) % 4;
	else
		return;
	to.offset += length;
	if (to.offset < all && more > all - to.offset)
		more = all - to.offset;
	if (to.offset < all && more)
		bytes_store_some(s->m, to, zeros, more);
}

void do_memcpy_to_dm(struct step *s)
{
	const struct memory_args *in = &s->b->in.memory;
	struct place to = {in->offset, dm_of(s)};
	uint64_t length = in->length;

	if (in->pattern >= PATTERNS) {
		answer_refuse(s, ROW_DATA_DM, EINVAL);
		return;
	}
	if (refuse_copy(s))
		return;
	record_row(s, ROW_DATA_DM);
	/* seeded fault: the last word is left out */
	if (mutant_skips(s->mutant, ROW_DATA_DM) && length >= 4)
		length -= 4;
	if (mutant_has_quirk(s->mutant, QUIRK_COPY_WORDS))
		length -= length % 4;
	if (mutant_has_quirk(s->mutant, QUIRK_COPY_TAIL) && in->offset % 4)
		length -= length % 4;
	if (is_oracle(s) && !is_dm_settled(s->m, to.mr))
		bytes_set_unknown(s->m, to, length);
	else
		bytes_fill(s->m, to, length, in->pattern);
	spoil_word(s, to, length);
}

void do_memcpy_from_dm(struct step *s)
{
	const struct memory_args *in = &s->b->in.memory;
	struct place at = {in->offset, dm_of(s)};
	struct memory_view view;

	if (refuse_copy(s))
		return;
	record_row(s, ROW_DATA_DM);
	if (in->length > PATTERN_MEMORY ||
	    (is_oracle(s) && !is_dm_settled(s->m, at.mr)))
		return;
	if (find_view(s, at, in->length, &view))
		define_view(s, &view, ROW_DATA_DM);
}

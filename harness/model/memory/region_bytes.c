// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The contents of memory regions: extents in the order of their places, each of
 * a pattern, a value or unknown bytes. Bytes in no extent are zeros. With a
 * struct model_memory the bytes are in real memory instead, and there are no
 * extents.
 */
#include "model/internal.h"
#include "program/pattern.h"

void model_use_memory(struct model *m, const struct model_memory *memory)
{
	m->memory = memory;
}

static uint64_t end_of(const struct extent *e)
{
	return e->offset + e->length;
}

/* Returns the first extent that ends behind a place. */
static unsigned int find(const struct model *m, struct place at)
{
	unsigned int low = 0, high = m->nextents;

	while (low < high) {
		unsigned int mid = (low + high) / 2;
		const struct extent *e = &m->extent[mid];

		if (e->mr < at.mr || (e->mr == at.mr && end_of(e) <= at.offset))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool begins_before(const struct extent *e, struct place end)
{
	return e->mr == end.mr && e->offset < end.offset;
}

static void cut_head(struct extent *e, uint64_t n)
{
	e->offset += n;
	e->length -= n;
	if (e->what == BYTES_VALUE)
		e->from >>= 8 * n;
	else if (e->what == BYTES_PATTERN)
		e->from += n;
}

static void remove_extents(struct model *m, unsigned int at, unsigned int n)
{
	m->nextents = (uint16_t)(m->nextents - n);
	memmove(&m->extent[at], &m->extent[at + n],
		(m->nextents - at) * sizeof(m->extent[0]));
}

/* Without room for another extent all contents are unknown from then on. */
static struct extent *insert_extent(struct model *m, unsigned int at)
{
	if (m->nextents == MODEL_MAX_EXTENTS) {
		m->bytes_lost = true;
		return &m->extent[MODEL_MAX_EXTENTS];
	}
	memmove(&m->extent[at + 1], &m->extent[at],
		(m->nextents - at) * sizeof(m->extent[0]));
	m->nextents++;
	return &m->extent[at];
}

/* Removes the bytes from all extents; returns the index of the gap. */
static unsigned int clear(struct model *m, struct place at, uint64_t length)
{
	struct place end = {at.offset + length, at.mr};
	unsigned int i = find(m, at), n = 0;

	if (i < m->nextents && begins_before(&m->extent[i], at)) {
		struct extent *tail = insert_extent(m, i + 1);

		*tail = m->extent[i];
		cut_head(tail, at.offset - tail->offset);
		m->extent[i].length = at.offset - m->extent[i].offset;
		i++;
	}
	while (i + n < m->nextents && m->extent[i + n].mr == end.mr &&
	       end_of(&m->extent[i + n]) <= end.offset)
		n++;
	remove_extents(m, i, n);
	if (i < m->nextents && begins_before(&m->extent[i], end))
		cut_head(&m->extent[i], end.offset - m->extent[i].offset);
	return i;
}

/* Joins two neighbouring extents that continue each other. */
static void join(struct model *m, unsigned int first)
{
	struct extent *a = &m->extent[first];
	const struct extent *b = a + 1;

	if (first + 1 >= m->nextents || a->mr != b->mr ||
	    end_of(a) != b->offset || a->what != b->what ||
	    a->pattern != b->pattern || a->what == BYTES_VALUE ||
	    (a->what == BYTES_PATTERN && a->from + a->length != b->from))
		return;
	a->length += b->length;
	remove_extents(m, first + 1, 1);
}

static bool is_null(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && is->null;
}

static bool discards(const struct model *m, uint16_t mr)
{
	return is_null(m, mr) && !mutant_skips(m->mutant, ROW_DATA_NULL_WRITE);
}

static void set_extent(struct model *m, struct place to, struct extent is)
{
	unsigned int at;

	if (!is.length || to.mr == NO_OBJ || discards(m, to.mr))
		return;
	region_touch(m, to.mr, to.offset, is.length);
	at = clear(m, to, is.length);
	if (is.what == BYTES_PATTERN && is.pattern == PATTERN_ZEROS)
		return;
	is.mr = to.mr;
	is.offset = to.offset;
	*insert_extent(m, at) = is;
	join(m, at);
	if (at)
		join(m, at - 1);
}

void bytes_fill(struct model *m, struct place to, uint64_t length,
		uint32_t pattern)
{
	set_extent(m, to,
		   (struct extent){.length = length,
				   .what = BYTES_PATTERN,
				   .pattern = (uint8_t)pattern,
				   .from = to.offset});
}

void bytes_set_unknown(struct model *m, struct place to, uint64_t length)
{
	uint64_t run;

	if (m->memory)
		return;
	convert_range(m, &to, &length);
	for (; length; length -= run) {
		struct place at = to;

		run = indirect_resolve(m, &at, length);
		set_extent(m, at,
			   (struct extent){.length = run,
					   .what = BYTES_UNKNOWN});
		to.offset += run;
	}
}

void bytes_store(struct model *m, struct place to, uint64_t value)
{
	struct place at = to;

	if (m->memory) {
		m->memory->store(m->memory->arg, to, value);
		return;
	}
	/* A value in two pieces is not followed. */
	if (indirect_resolve(m, &at, sizeof(value)) < sizeof(value))
		bytes_set_unknown(m, to, sizeof(value));
	else
		set_extent(m, at,
			   (struct extent){.length = 8,
					   .what = BYTES_VALUE,
					   .from = value});
}

void bytes_store_some(struct model *m, struct place to, const uint8_t *bytes,
		      uint64_t n)
{
	uint64_t value = 0;

	if (m->memory) {
		m->memory->write(m->memory->arg, to, bytes, (uint32_t)n);
		return;
	}
	for (uint64_t i = n; i-- > 0;)
		value = value << 8 | bytes[i];
	set_extent(m, to,
		   (struct extent){
			   .length = n, .what = BYTES_VALUE, .from = value});
}

/* Returns the known contents from a place on, as one extent of at most `most`
 * bytes. */
static struct extent known_at(const struct model *m, struct place at,
			      uint64_t most)
{
	struct extent is = {.length = most, .what = BYTES_PATTERN};
	unsigned int i = find(m, at);

	if (is_null(m, at.mr) && mutant_skips(m->mutant, ROW_DATA_NULL_READ))
		is.pattern = 1;
	if (i == m->nextents || m->extent[i].mr != at.mr)
		return is;
	if (m->extent[i].offset <= at.offset) {
		is = m->extent[i];
		cut_head(&is, at.offset - is.offset);
	} else {
		is.length = m->extent[i].offset - at.offset;
	}
	if (is.length > most)
		is.length = most;
	return is;
}

static bool overlap(struct place a, struct place b, uint64_t length)
{
	return a.mr == b.mr && a.offset < b.offset + length &&
	       b.offset < a.offset + length;
}

/* Copies bytes that are in an indirect region, piece by piece. */
static void copy_pieces(struct model *m, struct place to, struct place from,
			uint64_t length)
{
	uint64_t run;

	for (; length; length -= run) {
		struct place target = to, source = from;

		run = indirect_resolve(m, &source,
				       indirect_resolve(m, &target, length));
		bytes_copy(m, target, source, run);
		to.offset += run;
		from.offset += run;
	}
}

/* Returns true if the bytes of a region are kept under other slots. */
static bool is_elsewhere(const struct model *m, uint16_t mr)
{
	return region_is_indirect(m, mr) || region_in_dm(m, mr);
}

/* Copies bytes. If source and target overlap, the target is unknown. */
void bytes_copy(struct model *m, struct place to, struct place from,
		uint64_t length)
{
	struct extent is;

	if (m->memory) {
		m->memory->copy(m->memory->arg, to, from, length);
		return;
	}
	region_touch(m, to.mr, to.offset, length);
	region_touch(m, from.mr, from.offset, length);
	if (is_elsewhere(m, to.mr) || is_elsewhere(m, from.mr)) {
		copy_pieces(m, to, from, length);
		return;
	}
	if (from.mr == NO_OBJ || overlap(to, from, length)) {
		bytes_set_unknown(m, to, length);
		return;
	}
	for (; length && m->nextents; length -= is.length) {
		is = known_at(m, from, length);
		set_extent(m, to, is);
		from.offset += is.length;
		to.offset += is.length;
	}
}

void bytes_forget(struct model *m, uint16_t mr)
{
	struct place at = {0, mr};

	if (m->nextents)
		clear(m, at, UINT64_MAX);
}

static void write_extent(unsigned char *into, const struct extent *is)
{
	if (is->what == BYTES_PATTERN)
		pattern_fill(into, is->pattern, is->from, is->length);
	else
		memset(into, 0, is->length);
	for (uint64_t i = 0; is->what == BYTES_VALUE && i < is->length; i++)
		into[i] = (unsigned char)(is->from >> (8 * i));
}

bool bytes_read_known(const struct model *m, struct place at, void *into,
		      bool *unknown, uint64_t length)
{
	bool known = !m->bytes_lost;

	if (unknown)
		memset(unknown, m->bytes_lost, length);
	if (m->memory) {
		m->memory->read(m->memory->arg, at, into, (uint32_t)length);
		return true;
	}
	for (uint64_t done = 0; done < length;) {
		struct place here = at;
		uint64_t run = indirect_resolve(m, &here, length - done);
		struct extent is = known_at(m, here, run);

		if (unknown && is.what == BYTES_UNKNOWN)
			memset(unknown + done, true, is.length);
		known &= is.what != BYTES_UNKNOWN;
		write_extent((unsigned char *)into + done, &is);
		at.offset += is.length;
		done += is.length;
	}
	return known;
}

bool bytes_read(const struct model *m, struct place at, void *into,
		uint64_t length)
{
	return bytes_read_known(m, at, into, NULL, length);
}

bool bytes_load(const struct model *m, struct place at, uint64_t *value)
{
	unsigned char bytes[8];
	bool known;

	if (m->memory) {
		*value = m->memory->load(m->memory->arg, at);
		return true;
	}
	known = bytes_read(m, at, bytes, sizeof(bytes));
	*value = 0;
	for (int i = 7; i >= 0; i--)
		*value = *value << 8 | bytes[i];
	return known;
}

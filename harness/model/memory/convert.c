// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Regions that convert: indirect regions whose bytes on the wire are not those
 * in memory, since the device puts bytes behind blocks of data or takes such
 * bytes out. The vendor's convert() does that; this file finds the bytes.
 *
 * A message is converted as a whole. Its bytes stand in MEMORY_STORED and
 * MEMORY_WIRE meanwhile.
 */
#include "model/vendor.h"

bool region_converts(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && is->indirect && is->layout.framing.wire_block;
}

/* Returns the length of data in blocks, each with `extra` bytes behind. */
static uint64_t framed(uint64_t data, uint16_t block, uint16_t extra)
{
	return data + data / block * extra;
}

static uint64_t unframed(uint64_t bytes, uint16_t block, uint16_t extra)
{
	uint64_t all = (uint64_t)block + extra;

	return bytes / all * block + bytes % all;
}

uint64_t convert_stored(const struct layout *l, uint64_t wire)
{
	const struct framing *f = &l->framing;

	return framed(unframed(wire, f->wire_block, f->wire_extra),
		      f->memory_block, f->memory_extra);
}

uint64_t convert_wire(const struct layout *l, uint64_t stored)
{
	const struct framing *f = &l->framing;

	return framed(unframed(stored, f->memory_block, f->memory_extra),
		      f->wire_block, f->wire_extra);
}

/* A message that does not begin at the region's first byte is not followed: its
 * range is the whole layout. */
void convert_range(const struct model *m, struct place *at, uint64_t *length)
{
	const struct layout *l;

	if (!region_converts(m, at->mr))
		return;
	l = &m->object[at->mr].mr.layout;
	*length = at->offset ? l->block * l->repeat.count
			     : convert_stored(l, *length);
	at->offset = 0;
}

/* Returns the element that the first `length` bytes are in, which has no region
 * if there are several. */
static struct elements only_element(const struct model *m,
				    const struct elements *e, uint64_t length)
{
	const struct place of = {e->offset, e->mr};
	const struct elements none = {.mr = NO_OBJ};
	struct part part;

	if (!memory_is_parts(e->mr))
		return e->n == 1 && !e->part.at ? *e : none;
	if (!m->memory->part(m->memory->arg, of, 0, &part) ||
	    part.length < length)
		return none;
	return (struct elements){
		.offset = part.at.offset,
		.length = part.length,
		.n = 1,
		.mr = part.own ? NO_OBJ : part.at.mr,
		.part.mr = NO_OBJ,
	};
}

/* Returns true if an element of several is in a region that converts. */
static bool converts_in_part(const struct model *m, const struct elements *e)
{
	return (e->n > 1 || e->part.at) &&
	       (region_converts(m, e->mr) ||
		(e->part.at && region_converts(m, e->part.mr)));
}

static struct elements staged(uint16_t mr, uint64_t length)
{
	return (struct elements){
		.length = (uint32_t)length,
		.n = 1,
		.mr = mr,
		.part.mr = NO_OBJ,
	};
}

/* Returns the layout's bytes as an element. */
static struct elements whole(uint16_t mr, uint64_t length)
{
	return staged(mr, length);
}

static void convert(struct model *m, const struct conversion *c)
{
	const struct vendor_ops *v = vendor_of_device(home_of(m, c->mr));

	bytes_forget(m, c->sends ? MEMORY_WIRE : MEMORY_STORED);
	if (v && v->convert)
		v->convert(m, c);
	bytes_forget(m, c->sends ? MEMORY_STORED : MEMORY_WIRE);
}

static struct conversion conversion_of(const struct model *m, uint16_t mr,
				       const struct copy_end *end, bool sends,
				       uint64_t length)
{
	return (struct conversion){
		.mr = mr,
		.qp = end->qp,
		.sends = sends,
		.answers = end->answers,
		.wire = length,
		.stored = convert_stored(&m->object[mr].mr.layout, length),
	};
}

/* Leaves the bytes that go to the wire in MEMORY_WIRE. */
static void fetch(struct model *m, const struct conversion *c, uint16_t fenced)
{
	const struct elements stored = staged(MEMORY_STORED, c->stored);
	const struct elements from = whole(c->mr, c->stored);

	bytes_forget(m, MEMORY_STORED);
	copy_fenced(m, &stored, 0, &from, c->stored, fenced);
	convert(m, c);
}

static void place(struct model *m, const struct conversion *c)
{
	const struct elements stored = staged(MEMORY_STORED, c->stored);
	const struct elements to = whole(c->mr, c->stored);

	convert(m, c);
	copy_fenced(m, &to, 0, &stored, c->stored, NO_OBJ);
	if (m->object[c->mr].mr.layout.overlaps)
		bytes_set_unknown(m, (struct place){0, c->mr}, c->wire);
}

/* The bytes of a message that is not converted as a whole are not followed. */
static bool is_followed(struct model *m, const struct copy_end *to,
			uint64_t behind, const struct copy_end *from)
{
	if (!converts_in_part(m, to->e) && !converts_in_part(m, from->e) &&
	    !behind)
		return true;
	m->lost_track |= m->observes;
	return false;
}

bool convert_copy(struct model *m, const struct copy_end *to, uint64_t behind,
		  const struct copy_end *from, uint64_t length, uint16_t fenced)
{
	const struct elements out = only_element(m, from->e, length);
	const struct elements in = only_element(m, to->e, length);
	bool sends = region_converts(m, out.mr);
	bool receives = region_converts(m, in.mr);
	const struct elements wire = staged(MEMORY_WIRE, length);
	const struct elements *source = sends ? &wire : from->e;

	if ((!sends && !receives && !converts_in_part(m, to->e) &&
	     !converts_in_part(m, from->e)) ||
	    !is_followed(m, to, behind, from))
		return false;
	if (out.offset && sends)
		m->lost_track |= m->observes;
	if (in.offset && receives)
		m->lost_track |= m->observes;
	if (sends) {
		const struct conversion c =
			conversion_of(m, out.mr, from, true, length);

		fetch(m, &c, fenced);
	}
	if (receives) {
		const struct conversion c =
			conversion_of(m, in.mr, to, false, length);

		if (!sends) {
			bytes_forget(m, MEMORY_WIRE);
			copy_fenced(m, &wire, 0, source, length, fenced);
		}
		place(m, &c);
	} else {
		copy_fenced(m, to->e, 0, source, length, fenced);
	}
	bytes_forget(m, MEMORY_STORED);
	bytes_forget(m, MEMORY_WIRE);
	return true;
}

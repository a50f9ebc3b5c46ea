// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Indirect regions: memory regions without bytes of their own, whose bytes are
 * those of a layout of other regions. A vendor's request gives the layout.
 */
#include "model/internal.h"

#define MOST_LEVELS 4	/* an indirect region may lead to another one */
#define MOST_PIECES 256 /* that are compared with each other */

bool region_is_indirect(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && is->indirect;
}

/* Returns an entry of a layout in the program's memory, from byte `at` of the
 * block on, the `pass`-th time. */
static struct elements kept_entry(const struct model *m, const struct layout *l,
				  uint64_t at, uint64_t pass)
{
	const struct place of = {l->data.offset, l->data.mr};
	struct part part;

	for (unsigned int n = 0; m->memory->part(m->memory->arg, of, n, &part);
	     n++) {
		if (at < part.length)
			return (struct elements){
				.offset = part.at.offset + at +
					  pass * (part.length +
						  (uint64_t)part.skip),
				.length = (uint32_t)(part.length - at),
				.n = 1,
				.mr = part.at.mr,
			};
		at -= part.length;
	}
	return (struct elements){.mr = NO_OBJ};
}

/* For a seeded fault */
static uint64_t skip_of_first(const struct layout *l)
{
	return l->data.part.at == 1 ? l->repeat.part_skip : l->repeat.skip;
}

static uint64_t stride_of_first(const struct layout *l)
{
	return (uint64_t)element_at(&l->data, 0).length + skip_of_first(l);
}

static struct elements entry(const struct model *m, const struct layout *l,
			     uint64_t at, uint64_t pass)
{
	struct elements one;
	struct place place;
	uint64_t run, skip;
	uint32_t number;

	if (l->data.mr == MEMORY_LAYOUTS)
		return kept_entry(m, l, at, pass);
	run = elements_locate(&l->data, at, &place);
	number = elements_reached(&l->data, at + 1);
	one = element_at(&l->data, number - 1);
	skip = number == l->data.part.at ? l->repeat.part_skip : l->repeat.skip;
	if (l->one_stride == ONE_SKIP)
		skip = skip_of_first(l);
	one.offset = place.offset + pass * (l->one_stride == ONE_STRIDE
						    ? stride_of_first(l)
						    : one.length + skip);
	one.length = (uint32_t)run;
	return one;
}

/* For a seeded fault: goes on behind an element that ends where the access
 * begins. */
static void run_past_border(const struct model *m, const struct layout *l,
			    uint64_t at, uint64_t pass, struct elements *one)
{
	struct elements before;

	if (!at)
		return;
	before = entry(m, l, at - 1, pass);
	if (before.length == 1)
		one->offset = before.offset + 1;
}

struct elements indirect_element(const struct model *m, struct place at,
				 uint64_t most)
{
	const struct layout *l = &m->object[at.mr].mr.layout;
	struct elements one = {.mr = NO_OBJ};

	if (!l->set || !l->block || at.offset / l->block >= l->repeat.count)
		return one;
	/* seeded fault: follows the first entry to its end, and beyond */
	if (mutant_skips(m->mutant, (enum row)l->row)) {
		one = entry(m, l, 0, 0);
		one.offset += at.offset;
		one.length = (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX);
		return one;
	}
	one = entry(m, l, at.offset % l->block, at.offset / l->block);
	if (l->runs_on)
		run_past_border(m, l, at.offset % l->block,
				at.offset / l->block, &one);
	if (one.length > most)
		one.length = (uint32_t)most;
	return one;
}

bool region_in_dm(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && is->in_dm;
}

/* A seeded fault counts from the beginning of the device memory. */
static void enter_device_memory(const struct model *m, struct place *at)
{
	const struct model_mr *mr;

	if (!region_in_dm(m, at->mr))
		return;
	mr = &m->object[at->mr].mr;
	if (!mutant_skips(m->mutant, ROW_DATA_DM_BASE))
		at->offset += mr->dm_offset;
	at->mr = mr->dm;
}

uint64_t indirect_resolve(const struct model *m, struct place *at,
			  uint64_t most)
{
	for (int level = 0; region_is_indirect(m, at->mr); level++) {
		struct elements one = indirect_element(m, *at, most);

		if (!one.length || level == MOST_LEVELS) {
			at->mr = NO_OBJ;
			return most;
		}
		*at = (struct place){one.offset, one.mr};
		most = one.length;
	}
	enter_device_memory(m, at);
	return most;
}

/* Returns true if two pieces of the layout may share a byte. */
static bool has_overlaps(const struct model *m, uint16_t mr)
{
	const struct layout *l = &m->object[mr].mr.layout;
	uint64_t all = l->block * l->repeat.count;
	struct elements piece[MOST_PIECES];
	unsigned int n = 0;

	for (uint64_t at = 0; at < all; at += piece[n++].length) {
		if (n == MOST_PIECES)
			return true;
		piece[n] = indirect_element(m, (struct place){at, mr}, all);
		for (unsigned int i = 0; i < n; i++)
			if (elements_overlap(&piece[i],
					     (struct place){piece[n].offset,
							    piece[n].mr},
					     piece[n].length))
				return true;
		if (!piece[n].length)
			return true;
	}
	return false;
}

static uint32_t own_key(const struct model *m, uint16_t mr, uint32_t key)
{
	const struct model_mr *is = region_at(m, mr);

	return !key && is ? is->lkey : key;
}

void indirect_set(struct model *m, uint16_t mr, const struct elements *data,
		  const struct repetition *repeat, uint16_t row)
{
	struct model_mr *to = &m->object[mr].mr;
	struct layout *l = &to->layout;

	l->data = *data;
	l->data.key = own_key(m, data->mr, data->key);
	l->data.part.key = own_key(m, data->part.mr, data->part.key);
	l->block = elements_bytes(data);
	l->repeat = *repeat;
	l->row = row;
	l->set = true;
	to->length = l->block * repeat->count;
	l->overlaps = m->observes && has_overlaps(m, mr);
}

bool indirect_invalidate(struct step *s, uint32_t key, uint16_t user,
			 bool by_remote)
{
	uint16_t mr = region_of_key(s->m, key, by_remote, user);
	struct layout *l;

	if (!region_is_indirect(s->m, mr))
		return false;
	l = &s->m->object[mr].mr.layout;
	if (by_remote && !l->by_remote)
		return false;
	if (!l->set)
		return choose_hidden(s, ROW_INV_FREE) == OUT_OK;
	record_row(s, (enum row)l->invalid_row);
	if (!mutant_skips(s->m->mutant, (enum row)l->invalid_row))
		l->set = false;
	return true;
}

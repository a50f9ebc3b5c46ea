// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sets and lists of slots. A set is a bitmap with a second level, which says
 * which words are not empty. A list by number or key is a hash table whose
 * chains are in slot order. A chain stores slot + 1, and 0 ends it.
 */
#include "model/internal.h"

#define FEWEST_BUCKETS	16
#define PLACES_A_BUCKET 4

struct index_link {
	uint16_t next[BY_NR];
};

static uint32_t words_for(size_t bits)
{
	return (uint32_t)((bits + 63) / 64);
}

static struct index_shape shape_of(unsigned int places, size_t at)
{
	uint32_t leaves = words_for(places), buckets = FEWEST_BUCKETS;
	struct index_shape s = {.sets = at,
				.leaves = leaves,
				.words = leaves + words_for(leaves)};

	while (buckets * PLACES_A_BUCKET < places)
		buckets *= 2;
	s.buckets = buckets;
	s.heads = s.sets + SET_NR * s.words * sizeof(uint64_t);
	s.links = s.heads + BY_NR * s.buckets * sizeof(uint16_t);
	return s;
}

size_t index_size(unsigned int places)
{
	return shape_of(places, 0).links + places * sizeof(struct index_link);
}

static void *part(const struct model *m, size_t at)
{
	return (char *)(uintptr_t)m + at;
}

static uint64_t *words_of(const struct model *m, unsigned int set)
{
	return (uint64_t *)part(m, m->index.sets) +
	       (size_t)set * m->index.words;
}

static uint16_t *bucket_of(const struct model *m, enum index_by by,
			   uint32_t number)
{
	uint32_t n = by == BY_NUMBER ? number : number >> 8;
	uint16_t *all = part(m, m->index.heads);

	return &all[by * m->index.buckets + (n & (m->index.buckets - 1))];
}

static struct index_link *link_of(const struct model *m, uint16_t slot)
{
	return (struct index_link *)part(m, m->index.links) + slot;
}

void index_clear(struct model *m)
{
	memset(part(m, m->index.sets), 0, m->index.links - m->index.sets);
	memset(m->alive, 0, sizeof(m->alive));
}

void index_init(struct model *m, unsigned int places, size_t at)
{
	m->index = shape_of(places, at);
	index_clear(m);
}

void index_copy(struct model *to, const struct model *from)
{
	const struct index_shape *s = &from->index;

	memcpy(part(to, s->sets), part(from, s->sets),
	       s->links - s->sets + from->top * sizeof(struct index_link));
}

void index_put(struct model *m, unsigned int set, uint16_t slot)
{
	uint64_t *words = words_of(m, set);
	unsigned int leaf = slot / 64;

	words[leaf] |= UINT64_C(1) << slot % 64;
	words[m->index.leaves + leaf / 64] |= UINT64_C(1) << leaf % 64;
}

void index_take(struct model *m, unsigned int set, uint16_t slot)
{
	uint64_t *words = words_of(m, set);
	unsigned int leaf = slot / 64;

	words[leaf] &= ~(UINT64_C(1) << slot % 64);
	if (!words[leaf])
		words[m->index.leaves + leaf / 64] &=
			~(UINT64_C(1) << leaf % 64);
}

static unsigned int lowest(uint64_t word)
{
	return (unsigned int)__builtin_ctzll(word);
}

/* Returns the first non-empty word from `leaf` on, or `n`. */
static unsigned int leaf_from(const uint64_t *sums, unsigned int leaf,
			      unsigned int n)
{
	for (; leaf < n; leaf = (leaf / 64 + 1) * 64)
		if (sums[leaf / 64] >> leaf % 64)
			return leaf + lowest(sums[leaf / 64] >> leaf % 64);
	return n;
}

uint16_t index_from(const struct model *m, unsigned int set, unsigned int slot)
{
	const uint64_t *words = words_of(m, set);
	unsigned int leaf = slot / 64, n = m->index.leaves;

	if (leaf < n && words[leaf] >> slot % 64)
		return (uint16_t)(slot + lowest(words[leaf] >> slot % 64));
	if (leaf + 1 < n)
		n = words_for(m->top);
	if (leaf + 1 >= n) /* always so with few places */
		return NO_OBJ;
	leaf = leaf_from(words + m->index.leaves, leaf + 1, n);
	return leaf < n ? (uint16_t)(leaf * 64 + lowest(words[leaf])) : NO_OBJ;
}

static uint16_t slot_of(uint16_t link)
{
	return link ? (uint16_t)(link - 1) : NO_OBJ;
}

uint16_t index_first(const struct model *m, enum index_by by, uint32_t number)
{
	return slot_of(*bucket_of(m, by, number));
}

uint16_t index_next(const struct model *m, enum index_by by, uint16_t slot)
{
	return slot_of(link_of(m, slot)->next[by]);
}

/* Returns the link that names a slot, or where the link belongs. */
static uint16_t *find(const struct model *m, enum index_by by, uint32_t number,
		      uint16_t slot)
{
	uint16_t *at = bucket_of(m, by, number);

	while (*at && *at <= slot)
		at = &link_of(m, (uint16_t)(*at - 1))->next[by];
	return at;
}

static void chain(struct model *m, enum index_by by, uint32_t number,
		  uint16_t slot)
{
	uint16_t *at = find(m, by, number, slot);

	link_of(m, slot)->next[by] = *at;
	*at = (uint16_t)(slot + 1);
}

static void unchain(struct model *m, enum index_by by, uint32_t number,
		    uint16_t slot)
{
	uint16_t *at = find(m, by, number, slot);

	if (*at == slot + 1)
		*at = link_of(m, slot)->next[by];
}

typedef void renaming(struct model *m, enum index_by by, uint32_t number,
		      uint16_t slot);

static void each_name(struct model *m, uint16_t slot, renaming *change)
{
	const struct object *o = obj(m, slot);

	if (o->kind == OBJ_QP) {
		change(m, BY_NUMBER, o->qp.init.qp_num, slot);
	} else if (o->kind == OBJ_MR) {
		change(m, BY_LKEY, o->mr.lkey, slot);
		change(m, BY_RKEY, o->mr.rkey, slot);
	} else if (o->kind == OBJ_MW) {
		change(m, BY_WINDOW, o->mw.rkey, slot);
	}
}

void index_name(struct model *m, uint16_t slot)
{
	each_name(m, slot, chain);
}

void index_unname(struct model *m, uint16_t slot)
{
	each_name(m, slot, unchain);
}

void index_enter(struct model *m, uint16_t slot)
{
	index_put(m, obj(m, slot)->kind, slot);
}

void index_leave(struct model *m, uint16_t slot)
{
	index_unname(m, slot);
	index_take(m, obj(m, slot)->kind, slot);
}

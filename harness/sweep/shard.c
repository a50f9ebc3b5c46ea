// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Divides the calls of a sweep among shards. All calls stand in one row, first
 * those of the pairs 0, N, 2N, ..., then those of 1, N + 1, ..., and each shard
 * has an N-th of the row. So a shard has every N-th pair, and parts of two
 * more. With more shards than pairs each has a range of masks of one pair. Only
 * masks are divided; numbered calls are few.
 */
#include "sweep/shard.h"

/* The part of the row that belongs to the shard: [low, high) */
struct part {
	const struct device_info *d;
	uint64_t at, low, high;
	bool is_last;
};

/* Cells that the device lacks make no calls. */
static uint64_t weight(const struct sweep_cell *c, const struct device_info *d)
{
	return cell_missing(c, d) == CLAIM_NONE ? cell_size(c) : 0;
}

static bool is_divided(const struct sweep_cell *c)
{
	return c->sort == CELL_MASKS || c->sort == CELL_LIES;
}

/* Returns the place in the cell of a place in the row. */
static uint32_t place_in(const struct part *p, const struct sweep_cell *c,
			 uint64_t in_row)
{
	if (in_row <= p->at)
		return 0;
	if (in_row - p->at >= cell_size(c))
		return cell_size(c);
	return (uint32_t)(in_row - p->at) / CELL_SEGMENT * CELL_SEGMENT;
}

static bool begins_here(const struct part *p)
{
	return p->at >= p->low && (p->at < p->high || p->is_last);
}

/* Sets which calls of the cell belong to the shard; begin == end: none. */
static void take(struct part *p, struct sweep_cell *c)
{
	const uint64_t calls = weight(c, p->d);

	if (calls && is_divided(c)) {
		c->begin = place_in(p, c, p->low);
		c->end = place_in(p, c, p->high);
	} else if (!begins_here(p)) {
		c->end = c->begin;
	}
	p->at += calls;
}

void shard_take(const struct sweep_options *o, const struct device_info *d,
		struct sweep_cell *cell, size_t *n)
{
	struct part p = {.d = d, .is_last = o->shard == o->shards};
	uint64_t calls = 0;
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++)
		calls += weight(&cell[i], d);
	p.low = calls * (o->shard - 1) / o->shards;
	p.high = calls * o->shard / o->shards;
	for (unsigned int first = 0; first < o->shards; first++)
		for (size_t i = 0; i < *n; i++)
			if (cell[i].pair % o->shards == first)
				take(&p, &cell[i]);
	for (size_t i = 0; i < *n; i++)
		if (cell[i].begin < cell[i].end)
			cell[kept++] = cell[i];
	*n = kept;
}

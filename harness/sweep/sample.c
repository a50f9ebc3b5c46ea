// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Takes the calls with the smallest hashes.
 */
#include <string.h>
#include "sweep/sample.h"

_Static_assert(MAP_REPEATS >= (DIFFERENCE_NR + 1) * SAMPLE_MAX,
	       "the map has room for the samples and for doubted calls");

/* No two calls have the same hash (the last steps of MurmurHash3). */
static uint32_t hash(uint32_t call)
{
	call = (call ^ call >> 16) * UINT32_C(0x85ebca6b);
	call = (call ^ call >> 13) * UINT32_C(0xc2b2ae35);
	return call ^ call >> 16;
}

/* Returns how many calls of the sample have a smaller hash. */
static uint32_t rank_of(const struct sample *s, uint32_t call)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;

		if (hash(s->call[middle]) < hash(call))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool sample_has(const struct sample *s, uint32_t call)
{
	const uint32_t rank = rank_of(s, call);

	return rank < s->n && s->call[rank] == call;
}

uint32_t sample_doubted(const struct map_cell *cell)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cell->nrepeats; i++)
		n += cell->repeat[i].doubted;
	return n;
}

void sample_add(struct sample *s, uint32_t call)
{
	const uint32_t rank = rank_of(s, call);

	if (rank == SAMPLE_MAX || (rank < s->n && s->call[rank] == call))
		return;
	s->n += s->n < SAMPLE_MAX;
	memmove(&s->call[rank + 1], &s->call[rank],
		(s->n - rank - 1) * sizeof(s->call[0]));
	s->call[rank] = call;
}

void sample_keep(struct map_cell *cell, const struct sample *sample)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < cell->nrepeats; i++) {
		const struct map_repeat *r = &cell->repeat[i];

		if (r->doubted || !r->same ||
		    sample_has(&sample[r->kind], r->call))
			cell->repeat[kept++] = *r;
	}
	cell->nrepeats = kept;
}

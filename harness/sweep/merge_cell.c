// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Appends the parts of a cell: answers, counts, and the calls that are listed
 * one by one, in the order of the calls. Of the calls that were made again,
 * those remain that one sweep would have made again.
 */
#include <string.h>
#include "sweep/merge_cell.h"
#include "sweep/sample.h"

#define SET_WORDS (MASKS_NR / 64)

static const struct map_cell *cell_of(const struct cell_part *part)
{
	return &part->map->cell[part->cell];
}

/* Writes no zeros, which then take no room on disk. */
static void add_set(uint64_t *to, const uint64_t *from)
{
	for (uint32_t word = 0; word < SET_WORDS; word++)
		if (from[word])
			to[word] |= from[word];
}

static void add_sets(const struct sweep_map *to, uint32_t i,
		     const struct cell_part *part)
{
	add_set(map_accepted(to, i), map_accepted(part->map, part->cell));
	if (cell_of(part)->layered)
		add_set(map_sent(to, i), map_sent(part->map, part->cell));
}

static void add_creeps(struct map_cell *to, const struct map_cell *from)
{
	const uint32_t kept =
		from->ncreeps < MAP_CREEPS ? from->ncreeps : MAP_CREEPS;

	for (uint32_t i = 0; i < kept; i++)
		map_note_creep(to, &from->creep[i]);
	to->ncreeps += from->ncreeps - kept;
}

static void add_deaths(struct map_cell *to, const struct map_cell *from)
{
	for (uint32_t i = 0; i < from->ndeaths && to->ndeaths < MAP_DEATHS; i++)
		to->death[to->ndeaths++] = from->death[i];
	if (to->status == STATUS_OPEN)
		map_count_deaths(to);
}

static void add_part(const struct sweep_map *map, uint32_t i,
		     const struct cell_part *part)
{
	const struct map_cell *from = cell_of(part);
	struct map_cell *to = &map->cell[i];

	add_sets(map, i, part);
	to->done = from->done;
	to->counted = from->counted;
	to->careful_to = from->careful_to;
	to->step = from->step;
	to->status = from->status;
	memcpy(to->why, from->why, sizeof(to->why));
	_Static_assert(sizeof(to->back) / sizeof(to->back[0]) == WAY_NR,
		       "a count for each way");
	for (int way = 0; way < WAY_NR; way++)
		to->back[way] += from->back[way];
	for (uint32_t e = 0; e < from->nerrnos; e++)
		map_add_errno(to, &from->errnos[e]);
	add_creeps(to, from);
	add_deaths(to, from);
	to->repeated &= from->repeated;
	to->layered &= from->layered;
	to->history.checked += from->history.checked;
}

/* Adds what mattered to a call in one of the parts, also if that part is left
 * out: its calls are then made again with this. */
static void add_knowledge(struct map_cell *to, const struct cell_part *part,
			  uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct map_cell *from = cell_of(&part[i]);

		if (from->destination.matters && !to->destination.matters)
			to->destination = from->destination;
		if (from->history.matters && !to->history.matters)
			to->history = from->history;
	}
	to->history.checked = 0;
}

/* Returns false if a part had not found out what mattered: then its answers do
 * not count. */
static bool knows(const struct map_cell *from, const struct map_cell *all)
{
	return from->destination.matters == all->destination.matters &&
	       from->history.matters == all->history.matters;
}

/* --- Calls that were made again --------------------------------------------
 */

static const struct map_repeat *find_repeat(const struct cell_part *part,
					    uint32_t n, uint32_t call)
{
	for (uint32_t p = 0; p < n; p++) {
		const struct map_cell *from = cell_of(&part[p]);

		for (uint32_t i = 0; i < from->nrepeats; i++)
			if (from->repeat[i].call == call)
				return &from->repeat[i];
	}
	return NULL;
}

static void add_doubted(struct map_cell *to, const struct map_cell *from)
{
	for (uint32_t i = 0; i < from->nrepeats; i++)
		if (from->repeat[i].doubted && to->nrepeats < SAMPLE_MAX)
			map_note_repeat(to, &from->repeat[i]);
}

static void add_repeats_of(struct map_cell *to, uint8_t kind,
			   const struct cell_part *part, uint32_t n)
{
	struct sample sample = {.n = 0};

	for (uint32_t p = 0; p < n; p++) {
		const struct map_cell *from = cell_of(&part[p]);

		for (uint32_t i = 0; i < from->nrepeats; i++)
			if (from->repeat[i].kind == kind &&
			    !from->repeat[i].doubted)
				sample_add(&sample, from->repeat[i].call);
	}
	for (uint32_t i = 0; i < sample.n; i++)
		map_note_repeat(to, find_repeat(part, n, sample.call[i]));
}

static void add_repeats(struct map_cell *to, const struct cell_part *part,
			uint32_t n)
{
	for (uint32_t p = 0; p < n; p++)
		add_doubted(to, cell_of(&part[p]));
	for (uint8_t kind = 0; kind < DIFFERENCE_NR; kind++)
		add_repeats_of(to, kind, part, n);
}

void merge_cell(const struct sweep_map *map, uint32_t i,
		const struct cell_part *part, uint32_t nparts)
{
	struct map_cell *to = &map->cell[i];
	uint32_t used = 0;

	to->repeated = to->layered = true;
	add_knowledge(to, part, nparts);
	while (used < nparts && to->status == STATUS_OPEN) {
		const struct map_cell *from = cell_of(&part[used]);

		if (from->cell.begin != to->done || !knows(from, to))
			break;
		add_part(map, i, &part[used++]);
	}
	add_repeats(to, part, used);
	to->repeated &= used > 0;
	to->layered &= used > 0;
}

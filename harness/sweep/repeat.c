// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides which calls are made again: all that differ from the contract, or, if
 * there are too many for the map, a sample that is spread evenly over them. A
 * result that came only because of earlier calls on the same queue pair is not
 * a property of the device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sweep/repeat.h"
#include "sweep/block.h"
#include "sweep/analysis/analysis.h"

#define SET_WORDS     (MASKS_NR / 64)
#define MAX_OF_A_KIND (MAP_REPEATS / DIFFERENCE_NR)

struct repeater {
	struct sweep_worker *w;
	struct analyst *analyst;
	struct cell_calls c;
	bool used; /* a call was made on the queue pair */
	int ret;
};

/* Returns true if the call is already in the list of repeated calls. */
static bool is_known(const struct map_cell *cell, uint32_t call)
{
	for (uint32_t i = 0; i < cell->nrepeats; i++)
		if (cell->repeat[i].call == call)
			return true;
	return false;
}

static uint32_t count_known(const struct map_cell *cell,
			    enum difference_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cell->nrepeats; i++)
		n += cell->repeat[i].kind == kind;
	return n;
}

/* Replaces the queue pair if a call was made on it. This replacement does not
 * count in the statistics of accepted calls. */
static bool renew(struct repeater *a)
{
	struct restorer *restorer = &a->w->restorer;

	if (a->used && restorer_replace_qp(restorer))
		return false;
	memset(restorer->back, 0, sizeof(restorer->back));
	a->used = true;
	return true;
}

/* Makes a call again and notes whether the result is the same. Returns false if
 * the worker has to stop. */
static bool repeat_call(struct repeater *a, struct map_repeat *call)
{
	struct map_cell *cell = a->c.cell;
	uint32_t place = cell_is_numbered(&cell->cell)
				 ? call->call
				 : order_place(&a->c.order, call->call);
	bool accepted;

	if (map_next_death(cell, place, place + 1) == place)
		return true;
	if (!renew(a))
		return false;
	a->w->lane->repeating = true;
	a->ret = sweep_worker_announce(a->w, place, place + 1);
	if (a->ret)
		return false;
	accepted = !block_call(&a->c, call->call);
	call->same = accepted == bit_test(a->c.accepted, call->call);
	call->made = true;
	sweep_worker_read_kernel_log(a->w, place, 1);
	a->ret = sweep_worker_conclude(a->w);
	a->w->lane->repeating = false;
	recorder_tick(a->w->recorder);
	return !a->ret && !sweep_worker_is_over(a->w);
}

static bool repeat_new(struct repeater *a, enum difference_kind kind,
		       uint32_t call)
{
	struct map_repeat repeat = {.call = call, .kind = (uint8_t)kind};
	bool more = true;

	if (is_known(a->c.cell, call))
		return true;
	more = repeat_call(a, &repeat);
	if (repeat.made)
		map_note_repeat(a->c.cell, &repeat);
	return more;
}

static bool repeat_doubted(struct repeater *a)
{
	struct map_cell *cell = a->c.cell;
	bool more = true;

	for (uint32_t i = 0; i < cell->nrepeats && more; i++)
		if (!cell->repeat[i].made)
			more = repeat_call(a, &cell->repeat[i]);
	return more;
}

static bool any_doubted(const struct map_cell *cell)
{
	for (uint32_t i = 0; i < cell->nrepeats; i++)
		if (!cell->repeat[i].made)
			return true;
	return false;
}

/* Makes `want` calls of a set again, spread evenly: adds `want` for each call
 * of the set, and makes the call when the sum reaches the size of the set. */
static bool repeat_of_kind(struct repeater *a, enum difference_kind kind,
			   const uint64_t *set)
{
	uint64_t known = count_known(a->c.cell, kind), all = 0, n = 0;
	uint64_t want = known < MAX_OF_A_KIND ? MAX_OF_A_KIND - known : 0;

	for (uint32_t w = 0; w < SET_WORDS; w++)
		all += (uint64_t)__builtin_popcountll(set[w]);
	if (want > all)
		want = all;
	for (uint32_t w = 0; w < SET_WORDS && want; w++)
		for (uint64_t left = set[w]; left; left &= left - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(left);

			n += want;
			if (n < all)
				continue;
			n -= all;
			if (!repeat_new(a, kind, w * 64 + bit))
				return false;
		}
	return true;
}

static void repeat_all(struct repeater *a, uint64_t *const *differs)
{
	bool more;

	block_begin(&a->c);
	more = repeat_doubted(a);
	for (int d = 0; d < DIFFERENCE_NR && more; d++)
		more = repeat_of_kind(a, (enum difference_kind)d, differs[d]);
}

/* Makes the differing and the doubted calls of a cell again. Makes a queue pair
 * only if there are such calls. */
static void repeat_cell(struct repeater *a, uint32_t i)
{
	struct sweep_worker *w = a->w;
	uint64_t *differs[DIFFERENCE_NR];
	int found;

	w->lane->cell = i;
	w->lane->open = false;
	a->used = false;
	a->c = (struct cell_calls){
		.w = w,
		.cell = &w->map->cell[i],
		.accepted = map_accepted(w->map, i),
	};
	found = analyse_differences(a->analyst, a->c.cell, a->c.accepted,
				    differs, w->recorder->error,
				    sizeof(w->recorder->error));
	a->ret = found < 0 ? found : 0;
	if (found < 0 || (!found && !any_doubted(a->c.cell)) ||
	    restorer_open(&w->restorer, w->target, &a->c.cell->cell))
		return;
	repeat_all(a, differs);
	restorer_close(&w->restorer);
}

static bool is_own(const struct sweep_worker *w, const struct map_cell *cell)
{
	return cell->cell.pair % w->lanes == w->number && map_has_answers(cell);
}

static void repeat_own(struct repeater *a)
{
	struct sweep_worker *w = a->w;

	for (uint32_t i = 0; i < w->map->head->ncells; i++) {
		struct map_cell *cell = &w->map->cell[i];

		if (a->ret || sweep_worker_is_over(w))
			return;
		if (is_own(w, cell)) {
			repeat_cell(a, i);
			cell->repeated = true;
		}
	}
}

/* After --resume, the differing calls of each cell are looked for again. */
static void forget_repeated(struct sweep_worker *w)
{
	for (uint32_t i = 0; i < w->map->head->ncells; i++)
		if (is_own(w, &w->map->cell[i]))
			w->map->cell[i].repeated = false;
	w->lane->walked = true;
}

int sweep_worker_repeat(struct sweep_worker *w)
{
	struct repeater *a = calloc(1, sizeof(*a));
	int ret;

	if (!a)
		return -ENOMEM;
	a->w = w;
	a->analyst = analyst_new(&w->map->head->info);
	forget_repeated(w);
	if (a->analyst)
		repeat_own(a);
	ret = a->analyst ? a->ret : -ENOMEM;
	if (a->analyst)
		analyst_free(a->analyst);
	free(a);
	return ret;
}

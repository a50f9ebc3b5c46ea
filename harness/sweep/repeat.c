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

#define SET_WORDS (MASKS_NR / 64)
#define OF_A_KIND (MAP_AGAIN / DIFFERENCE_NR)

struct again {
	struct sweep_worker *w;
	struct analyst *analyst;
	struct calling c;
	bool used; /* a call was made on the queue pair */
	int ret;
};

static bool is_known(const struct map_cell *cell, uint32_t call)
{
	for (uint32_t i = 0; i < cell->nagain; i++)
		if (cell->again[i].call == call)
			return true;
	return false;
}

static uint32_t known_of(const struct map_cell *cell, enum difference_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cell->nagain; i++)
		n += cell->again[i].kind == kind;
	return n;
}

/* Replaces the queue pair if a call was made on it. This replacement does not
 * count in the statistics of accepted calls. */
static bool renew(struct again *a)
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
static bool ask(struct again *a, struct map_again *call)
{
	struct map_cell *cell = a->c.cell;
	uint32_t place = cell_is_counted(&cell->cell)
				 ? call->call
				 : order_place(&a->c.order, call->call);
	bool accepted;

	if (map_next_death(cell, place, place + 1) == place)
		return true;
	if (!renew(a))
		return false;
	a->w->lane->again = true;
	a->ret = sweep_worker_announce(a->w, place, place + 1);
	if (a->ret)
		return false;
	accepted = !block_ask(&a->c, call->call);
	call->same = accepted == bit_test(a->c.accepted, call->call);
	call->made = true;
	sweep_worker_read_kernel_log(a->w, place, 1);
	a->ret = sweep_worker_conclude(a->w);
	a->w->lane->again = false;
	recorder_tick(a->w->recorder);
	return !a->ret && !sweep_worker_is_over(a->w);
}

static bool ask_new(struct again *a, enum difference_kind kind, uint32_t call)
{
	struct map_again again = {.call = call, .kind = (uint8_t)kind};
	bool more = true;

	if (is_known(a->c.cell, call))
		return true;
	more = ask(a, &again);
	if (again.made)
		map_note_again(a->c.cell, &again);
	return more;
}

static bool ask_doubted(struct again *a)
{
	struct map_cell *cell = a->c.cell;
	bool more = true;

	for (uint32_t i = 0; i < cell->nagain && more; i++)
		if (!cell->again[i].made)
			more = ask(a, &cell->again[i]);
	return more;
}

static bool any_doubted(const struct map_cell *cell)
{
	for (uint32_t i = 0; i < cell->nagain; i++)
		if (!cell->again[i].made)
			return true;
	return false;
}

/* Makes `want` calls of a set again, spread evenly: adds `want` for each call
 * of the set, and makes the call when the sum reaches the size of the set. */
static bool ask_of(struct again *a, enum difference_kind kind,
		   const uint64_t *set)
{
	uint64_t known = known_of(a->c.cell, kind), all = 0, n = 0;
	uint64_t want = known < OF_A_KIND ? OF_A_KIND - known : 0;

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
			if (!ask_new(a, kind, w * 64 + bit))
				return false;
		}
	return true;
}

static void ask_all(struct again *a, uint64_t *const *differs)
{
	bool more;

	block_begin(&a->c);
	more = ask_doubted(a);
	for (int d = 0; d < DIFFERENCE_NR && more; d++)
		more = ask_of(a, (enum difference_kind)d, differs[d]);
}

/* Makes a queue pair only if something differs. */
static void ask_cell(struct again *a, uint32_t i)
{
	struct sweep_worker *w = a->w;
	uint64_t *differs[DIFFERENCE_NR];
	int found;

	w->lane->cell = i;
	w->lane->open = false;
	a->used = false;
	a->c = (struct calling){
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
	ask_all(a, differs);
	restorer_close(&w->restorer);
}

static bool is_own(const struct sweep_worker *w, const struct map_cell *cell)
{
	return cell->cell.pair % w->lanes == w->number && map_has_answers(cell);
}

static void ask_own(struct again *a)
{
	struct sweep_worker *w = a->w;

	for (uint32_t i = 0; i < w->map->head->ncells; i++) {
		struct map_cell *cell = &w->map->cell[i];

		if (a->ret || sweep_worker_is_over(w))
			return;
		if (is_own(w, cell)) {
			ask_cell(a, i);
			cell->asked = true;
		}
	}
}

/* Forgets which cells an earlier sweep of this folder was through with. */
static void forget_asked(struct sweep_worker *w)
{
	for (uint32_t i = 0; i < w->map->head->ncells; i++)
		if (is_own(w, &w->map->cell[i]))
			w->map->cell[i].asked = false;
	w->lane->asking = true;
}

int sweep_worker_repeat(struct sweep_worker *w)
{
	struct again *a = calloc(1, sizeof(*a));
	int ret;

	if (!a)
		return -ENOMEM;
	a->w = w;
	a->analyst = analyst_new(&w->map->head->info);
	forget_asked(w);
	if (a->analyst)
		ask_own(a);
	ret = a->analyst ? a->ret : -ENOMEM;
	if (a->analyst)
		analyst_free(a->analyst);
	free(a);
	return ret;
}

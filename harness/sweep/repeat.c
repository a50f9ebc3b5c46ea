// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides which calls are made again: all that differ from the contract, or, if
 * there are too many for the map, a sample of them. A result that came only
 * because of earlier calls on the same queue pair is not a property of the
 * device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sweep/repeat.h"
#include "sweep/block.h"
#include "sweep/sample.h"
#include "sweep/analysis/analysis.h"

#define SET_WORDS (MASKS_NR / 64)

struct repeater {
	struct sweep_worker *w;
	struct analyst *analyst;
	struct cell_calls c;
	struct sample sample[DIFFERENCE_NR];
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

/* Replaces the queue pair if a call was made on it. */
static bool renew(struct repeater *a)
{
	if (a->used && restorer_replace_qp(&a->w->restorer))
		return false;
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

static void take_samples(struct sample *sample, uint64_t *const *differs)
{
	for (int d = 0; d < DIFFERENCE_NR; d++) {
		sample[d].n = 0;
		for (uint32_t w = 0; w < SET_WORDS; w++)
			for (uint64_t left = differs[d][w]; left;
			     left &= left - 1)
				sample_add(&sample[d],
					   w * 64 + (uint32_t)__builtin_ctzll(
							    left));
	}
}

static bool repeat_sample(struct repeater *a, enum difference_kind kind)
{
	const struct sample *s = &a->sample[kind];

	for (uint32_t i = 0; i < s->n; i++)
		if (!repeat_new(a, kind, s->call[i]))
			return false;
	return true;
}

/* Returns true if no call is left. */
static bool repeat_all(struct repeater *a, uint64_t *const *differs)
{
	bool more;

	block_begin(&a->c);
	take_samples(a->sample, differs);
	sample_keep(a->c.cell, a->sample);
	more = repeat_doubted(a);
	for (int d = 0; d < DIFFERENCE_NR && more; d++)
		more = repeat_sample(a, (enum difference_kind)d);
	return more;
}

/* Makes the differing and the doubted calls of a cell again. Makes a queue pair
 * only if there are such calls. Returns true if no call is left. */
static bool repeat_cell(struct repeater *a, uint32_t i)
{
	struct sweep_worker *w = a->w;
	uint64_t *differs[DIFFERENCE_NR];
	bool all;
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
	if (found < 0)
		return false;
	if (!found && !any_doubted(a->c.cell))
		return true;
	if (restorer_open(&w->restorer, w->target, &a->c.cell->cell))
		return false;
	all = repeat_all(a, differs);
	restorer_close(&w->restorer);
	return all;
}

static bool is_own(const struct sweep_worker *w, const struct map_cell *cell)
{
	return cell->turn % w->lanes == w->number && map_has_answers(cell);
}

/* Returns true if no call was made in the cell since its differing calls were
 * made again, in this sweep or in the one that it resumes. */
static bool is_settled(const struct map_cell *cell)
{
	return cell->repeated && !any_doubted(cell);
}

static void repeat_own(struct repeater *a)
{
	struct sweep_worker *w = a->w;

	for (uint32_t i = 0; i < w->map->head->ncells; i++) {
		struct map_cell *cell = &w->map->cell[i];

		if (a->ret || sweep_worker_is_over(w))
			return;
		if (!is_own(w, cell) || is_settled(cell))
			continue;
		cell->repeated = repeat_cell(a, i);
	}
}

int sweep_worker_repeat(struct sweep_worker *w)
{
	struct repeater *a = calloc(1, sizeof(*a));
	int ret;

	if (!a)
		return -ENOMEM;
	a->w = w;
	a->analyst = analyst_new(&w->map->head->info);
	w->lane->walked = true;
	if (a->analyst) {
		analyst_in_worker(a->analyst, w->recorder);
		repeat_own(a);
	}
	ret = a->analyst ? a->ret : -ENOMEM;
	if (a->analyst)
		analyst_free(a->analyst);
	free(a);
	return ret;
}

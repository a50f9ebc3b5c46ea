// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides the order of a worker's calls: first the masks that differ from a
 * legal mask in no attribute, of all cells, then those that differ in one
 * attribute (the next ring), and so on. A sweep that is cut off has then tried
 * the most interesting masks of every pair. The next calls are noted in the map
 * before they are made.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "sweep/block.h"
#include "sweep/layers.h"

#define NUMBERED_AFTER 2 /* rings, then cells of numbered calls */

/* A cell whose state cannot be reached is unsupported, not failed. */
static int give_up(struct cell_calls *c)
{
	const struct restorer *restorer = &c->w->restorer;
	struct map_cell *cell = c->cell;

	snprintf(cell->why, sizeof(cell->why), "%s", restorer->why);
	cell->status = restorer->no_way && cell->done == cell->cell.begin
			       ? STATUS_UNSUPPORTED
			       : STATUS_GIVEN_UP;
	c->w->lane->open = false;
	return 0;
}

bool sweep_worker_is_over(const struct sweep_worker *w)
{
	return w->recorder->stop ||
	       (w->deadline_us && now_us() >= w->deadline_us);
}

void sweep_worker_read_kernel_log(struct sweep_worker *w, uint32_t from,
				  uint32_t calls)
{
	struct kernel_log *log = &w->recorder->kernel;
	struct map_cell *cell = &w->map->cell[w->lane->cell];
	struct map_death *death;

	if (!w->recorder->live)
		return;
	kernel_log_read(log);
	if (log->found && cell->ndeaths < MAP_DEATHS) {
		death = &cell->death[cell->ndeaths++];
		death->place = from;
		death->calls = calls;
		death->kind = DEATH_KERNEL;
		kernel_log_says(log, death->how, sizeof(death->how));
	}
	kernel_log_forget(log);
}

static int sync_failed(struct sweep_worker *w, int error)
{
	struct recorder *r = w->recorder;

	snprintf(r->error, sizeof(r->error), "%s: cannot be written: %s",
		 w->map->path, strerror(-error));
	r->exit = RUN_BROKEN;
	return error;
}

int sweep_worker_announce(struct sweep_worker *w, uint32_t from, uint32_t to)
{
	int ret = 0;

	w->lane->from = from;
	w->lane->to = to;
	w->lane->at = from;
	w->lane->open = true;
	if (w->recorder->live)
		ret = map_sync_head(w->map);
	return ret ? sync_failed(w, ret) : 0;
}

int sweep_worker_conclude(struct sweep_worker *w)
{
	int ret = 0;

	if (w->recorder->live)
		ret = map_sync_cell(w->map, w->lane->cell);
	w->lane->open = false;
	return ret ? sync_failed(w, ret) : 0;
}

static int call_segment(struct cell_calls *c, uint32_t end)
{
	uint32_t from = c->at;
	int ret = sweep_worker_announce(c->w, c->at, end), made = 0;

	while (!ret && !made && c->at < end && !sweep_worker_is_over(c->w)) {
		uint32_t to = end - c->at > BLOCK ? c->at + BLOCK : end;

		made = block_until(c, to);
		recorder_tick(c->w->recorder);
	}
	if (!made)
		made = block_end_segment(c);
	sweep_worker_read_kernel_log(c->w, from, c->at - from);
	if (made == -EAGAIN)
		made = block_begin_again(c);
	if (made)
		return give_up(c);
	return ret ? ret : sweep_worker_conclude(c->w);
}

/* Returns the end of the calls that are noted on disk at once. */
static uint32_t segment_end(const struct cell_calls *c, uint32_t goal)
{
	const struct map_cell *cell = c->cell;
	uint32_t end = (c->at / CELL_SEGMENT + 1) * CELL_SEGMENT;

	if (c->at < cell->careful_to && cell->step && end - c->at > cell->step)
		end = c->at + cell->step;
	return end < goal ? end : goal;
}

static int open_cell(struct cell_calls *c)
{
	if (restorer_open(&c->w->restorer, c->w->target, &c->cell->cell))
		return give_up(c);
	block_begin(c);
	return 0;
}

static int continue_cell(struct sweep_worker *w, struct map_cell *cell,
			 uint32_t goal)
{
	struct cell_calls c = {
		.w = w,
		.cell = cell,
		.accepted =
			map_accepted(w->map, (uint32_t)(cell - w->map->cell)),
	};
	int ret;

	w->lane->cell = (uint32_t)(cell - w->map->cell);
	w->lane->open = false;
	ret = open_cell(&c);
	while (!ret && cell->status == STATUS_OPEN && c.at < goal &&
	       !sweep_worker_is_over(w)) {
		if (c.at % CELL_SEGMENT == 0 && block_begin_segment(&c))
			ret = give_up(&c);
		else
			ret = call_segment(&c, segment_end(&c, goal));
	}
	if (!ret && layers_are_due(w, cell) && !sweep_worker_is_over(w))
		ret = ask_library(w, cell);
	restorer_close(&w->restorer);
	return ret;
}

/* Returns up to which call a cell gets in this ring. */
static uint32_t goal_of(const struct sweep_cell *c, unsigned int ring)
{
	struct mask_order order = cell_order(c);
	uint32_t goal;

	if (cell_is_numbered(c))
		return ring < NUMBERED_AFTER ? 0 : c->end;
	goal = order_within(&order, ring);
	return goal < c->end ? goal : c->end;
}

static int run_ring(struct sweep_worker *w, unsigned int ring)
{
	const struct map_head *head = w->map->head;
	int ret = 0;

	for (uint32_t i = 0; i < head->ncells && !ret; i++) {
		struct map_cell *cell = &w->map->cell[i];
		uint32_t goal = goal_of(&cell->cell, ring);

		if (sweep_worker_is_over(w))
			break;
		if (cell->turn % w->lanes != w->number)
			continue;
		if (cell->status == STATUS_OPEN &&
		    (cell->done < goal || layers_are_due(w, cell)))
			ret = continue_cell(w, cell, goal);
	}
	return ret;
}

int sweep_worker_run(struct sweep_worker *w)
{
	int ret = 0;

	for (unsigned int ring = 0; ring <= MASKS_BITS && !ret; ring++)
		ret = run_ring(w, ring);
	return ret;
}

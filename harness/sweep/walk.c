// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls of a worker's cells, ring by ring over all of them: one that is cut
 * off has tried what is next to the legal masks of every pair. What is about to
 * be called stands in the map before it is. After each thousand refusals a
 * query proves that they changed nothing; where they did, each is made again
 * with a query behind it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "sweep/walk.h"

#define SEGMENT	      65536 /* calls for which one note on disk has to do */
#define BLOCK	      1000  /* refusals that one query has to do for */
#define COUNTED_AFTER 2	    /* rings: what is in no order of masks */

/* Where the calls of a cell stand. */
struct progress_of {
	struct sweep_worker *w;
	struct map_cell *cell;
	uint64_t *accepted;
	struct mask_order order;
	struct mask_walk walk;
	struct bound value; /* of a cell of values */
	enum field field;
	uint32_t at;	 /* the next call */
	uint32_t proven; /* up to there the queue pair was not changed */
	bool again;	 /* these calls were made before */
};

static int give_up(struct progress_of *p)
{
	struct map_cell *cell = p->cell;

	snprintf(cell->why, sizeof(cell->why), "%s", p->w->stage.why);
	cell->status = STATUS_GIVEN_UP;
	p->w->lane->open = false;
	return 0;
}

/* Calls that are counted, and not in the order of masks. */
static bool is_counted(const struct sweep_cell *c)
{
	return c->sort == CELL_VALUES || c->sort == CELL_UNDEFINED;
}

static void go_to(struct progress_of *p, uint32_t at)
{
	p->at = at;
	if (!is_counted(&p->cell->cell))
		walk_begin(&p->walk, &p->order, at);
}

static int try_value(struct progress_of *p, uint32_t n)
{
	struct outcome o;

	memset(&o, OUT_POISON, sizeof(o));
	field_set(p->field, &p->value.in.qp_attr,
		  cell_value(&p->cell->cell, n));
	p->w->target->ops->call(p->w->target, &p->value, &o);
	return outcome_error(V_modify_qp, &o);
}

static int try_counted(struct progress_of *p, uint32_t n)
{
	struct target *t = p->w->target;

	if (p->cell->cell.sort == CELL_VALUES)
		return try_value(p, n);
	return t->ops->modify(t, cell_undefined(&p->cell->cell, n));
}

static void say_next(struct sweep_worker *w, uint32_t at)
{
	atomic_store_explicit(&w->lane->at, at, memory_order_relaxed);
}

/* EINVAL is what refusals are expected to say. */
static void note_errno(struct map_cell *cell, int err, uint32_t call)
{
	for (uint32_t i = 0; i < cell->nerrnos; i++)
		if (cell->errnos[i].err == err) {
			cell->errnos[i].calls++;
			return;
		}
	if (cell->nerrnos < MAP_ERRNOS)
		cell->errnos[cell->nerrnos++] =
			(struct map_errno){err, call, 1};
}

static void note(struct progress_of *p, int err, uint32_t call)
{
	if (err && err != EINVAL && !p->again)
		note_errno(p->cell, err, call);
}

/* Makes calls up to `end`, as long as they are refused. False when the last
 * one was not: *call says which it is, as its bit counts. */
static bool refuses_values(struct progress_of *p, uint32_t end, uint32_t *call)
{
	int err = EINVAL;

	while (p->at < end && err) {
		*call = p->at++;
		say_next(p->w, *call);
		err = try_counted(p, *call);
		note(p, err, *call);
	}
	return err;
}

static bool refuses_masks(struct progress_of *p, uint32_t end, uint32_t *call)
{
	struct target *t = p->w->target;
	struct mask_walk walk = p->walk;
	uint32_t at = p->at, mask = 0;
	int err = EINVAL;

	while (at < end && err) {
		say_next(p->w, at++);
		mask = walk_next(&walk);
		err = t->ops->modify(t, mask_unpack(mask));
		note(p, err, mask);
	}
	p->at = at;
	p->walk = walk;
	*call = mask;
	return err;
}

static bool refuses(struct progress_of *p, uint32_t end, uint32_t *call)
{
	return is_counted(&p->cell->cell) ? refuses_values(p, end, call)
					  : refuses_masks(p, end, call);
}

static int accept(struct progress_of *p, uint32_t call)
{
	struct sweep_worker *w = p->w;
	int ret;

	bit_set(p->accepted, call);
	w->lane->restoring = true;
	ret = stage_restore(&w->stage);
	w->lane->restoring = false;
	p->proven = p->at;
	recorder_tick(w->recorder);
	return ret;
}

static void note_creep(struct map_cell *cell, const struct map_creep *creep)
{
	if (cell->ncreeps < MAP_CREEPS)
		cell->creep[cell->ncreeps] = *creep;
	cell->ncreeps++;
}

/* What is different now, and behind which calls. */
static struct map_creep creep_of(const struct progress_of *p, uint32_t call,
				 uint32_t calls)
{
	struct map_creep creep = {.call = call, .calls = calls};

	stage_differs(&p->w->stage, creep.what, sizeof(creep.what));
	return creep;
}

/* The call at a place, as its bit counts. */
static uint32_t call_at(const struct progress_of *p, uint32_t place)
{
	struct mask_walk walk;

	if (is_counted(&p->cell->cell))
		return place;
	walk_begin(&walk, &p->order, place);
	return walk_next(&walk);
}

/* Makes a call again, and looks whether it changed anything. */
static int try_again(struct progress_of *p)
{
	struct map_creep creep;
	uint32_t call;

	if (!refuses(p, p->at + 1, &call))
		return accept(p, call);
	if (stage_as_fresh(&p->w->stage))
		return 0;
	creep = creep_of(p, call, 1);
	note_creep(p->cell, &creep);
	return stage_replace(&p->w->stage);
}

/* One of the refusals since the last proof changed something: each is made
 * again, with a query behind it. */
static int find_creep(struct progress_of *p)
{
	uint32_t end = p->at, known = p->cell->ncreeps;
	struct map_creep some =
		creep_of(p, call_at(p, p->proven), end - p->proven);
	int ret = 0;

	if (stage_replace(&p->w->stage))
		return -EIO;
	if (p->cell->ncreeps >= MAP_CREEPS) {
		p->cell->ncreeps++;
		return 0;
	}
	go_to(p, p->proven);
	p->again = true;
	while (p->at < end && !ret)
		ret = try_again(p);
	p->again = false;
	if (!ret && p->cell->ncreeps == known)
		note_creep(p->cell, &some);
	return ret;
}

static int prove(struct progress_of *p)
{
	if (!stage_as_fresh(&p->w->stage) && find_creep(p))
		return -EIO;
	p->proven = p->at;
	return 0;
}

static bool is_over(const struct sweep_worker *w)
{
	return w->recorder->stop ||
	       (w->deadline_us && now_us() >= w->deadline_us);
}

static int block(struct progress_of *p, uint32_t end)
{
	uint32_t call = 0;

	while (p->at < end)
		if (!refuses(p, end, &call) && accept(p, call))
			return -EIO;
	return prove(p);
}

/* The kernel has something to say about these calls. */
static void hear_kernel(struct progress_of *p, uint32_t from)
{
	struct kernel_log *log = &p->w->recorder->kernel;
	struct map_cell *cell = p->cell;
	struct map_death *death;

	if (!p->w->recorder->live)
		return;
	kernel_log_read(log);
	if (log->found && cell->ndeaths < MAP_DEATHS) {
		death = &cell->death[cell->ndeaths++];
		death->place = from;
		death->calls = p->at - from;
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

/* What is about to be called is on disk before it is called. */
static int announce(struct progress_of *p, uint32_t end)
{
	struct sweep_worker *w = p->w;
	int ret = 0;

	w->lane->from = p->at;
	w->lane->to = end;
	w->lane->at = p->at;
	w->lane->open = true;
	if (w->recorder->live)
		ret = map_sync_head(w->map);
	return ret ? sync_failed(w, ret) : 0;
}

static int concluded(struct progress_of *p)
{
	struct sweep_worker *w = p->w;
	int ret = 0;

	for (int way = 0; way < WAY_NR; way++) {
		p->cell->back[way] += w->stage.back[way];
		w->stage.back[way] = 0;
	}
	if (w->recorder->live)
		ret = map_sync_cell(w->map, w->lane->cell);
	w->lane->open = false;
	return ret ? sync_failed(w, ret) : 0;
}

static int segment(struct progress_of *p, uint32_t end)
{
	uint32_t from = p->at;
	int ret = announce(p, end);

	while (!ret && p->at < end && !is_over(p->w)) {
		uint32_t to = end - p->at > BLOCK ? p->at + BLOCK : end;

		if (block(p, to))
			return give_up(p);
		p->cell->done = p->at;
		recorder_tick(p->w->recorder);
	}
	hear_kernel(p, from);
	return ret ? ret : concluded(p);
}

static uint32_t step_of(const struct progress_of *p)
{
	const struct map_cell *cell = p->cell;

	return p->at < cell->careful_to && cell->step ? cell->step : SEGMENT;
}

static int begin(struct progress_of *p)
{
	const struct sweep_cell *c = &p->cell->cell;
	size_t n;

	if (stage_open(&p->w->stage, p->w->target, c))
		return give_up(p);
	p->order = cell_order(c);
	p->proven = p->cell->done;
	if (c->sort == CELL_VALUES) {
		p->value = p->w->stage.tried;
		p->field = (enum field)field_by_text(
			FAM_QP_ATTR, qp_fields(&n)[c->field].text);
	}
	go_to(p, p->cell->done);
	return 0;
}

static int go_on(struct sweep_worker *w, struct map_cell *cell, uint32_t goal)
{
	struct progress_of p = {
		.w = w,
		.cell = cell,
		.accepted =
			map_accepted(w->map, (uint32_t)(cell - w->map->cell)),
	};
	int ret;

	w->lane->cell = (uint32_t)(cell - w->map->cell);
	w->lane->open = false;
	ret = begin(&p);
	while (!ret && cell->status == STATUS_OPEN && p.at < goal &&
	       !is_over(w)) {
		uint32_t step = step_of(&p);

		ret = segment(&p, goal - p.at > step ? p.at + step : goal);
	}
	stage_close(&w->stage);
	return ret;
}

/* How far a cell gets in a round. */
static uint32_t goal_of(const struct sweep_cell *c, unsigned int ring)
{
	struct mask_order order = cell_order(c);

	if (is_counted(c))
		return ring < COUNTED_AFTER ? 0 : cell_size(c);
	return order_within(&order, ring);
}

static int walk_ring(struct sweep_worker *w, unsigned int ring)
{
	const struct map_head *head = w->map->head;
	int ret = 0;

	for (uint32_t i = 0; i < head->ncells && !ret; i++) {
		struct map_cell *cell = &w->map->cell[i];
		uint32_t goal = goal_of(&cell->cell, ring);

		if (is_over(w))
			break;
		if (cell->cell.pair % w->lanes != w->number)
			continue;
		if (cell->status == STATUS_OPEN && cell->done < goal)
			ret = go_on(w, cell, goal);
	}
	return ret;
}

int worker_walk(struct sweep_worker *w)
{
	int ret = 0;

	for (unsigned int ring = 0; ring <= MASKS_BITS && !ret; ring++)
		ret = walk_ring(w, ring);
	return ret;
}

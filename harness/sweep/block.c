// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides after how many refused calls a query proves that they changed
 * nothing. If the query shows a change, each of these calls is made again with
 * a query of its own. An accepted call behind unproven refusals does not count
 * yet: the refusals are made again and proven, then the call is made again.
 * Where calls are accepted or change something, queries come often; each query
 * that shows no change doubles the distance to the next. Some calls on a queue
 * pair that keeps what earlier ones have set are made on a new one as well. A
 * mask that is tried with a group's address and with the peer's must be
 * answered alike.
 */
#include <string.h>
#include "sweep/block.h"
#include "sweep/destination.h"
#include "sweep/sample.h"
#include "sweep/analysis/analysis.h"

#define CHECK_EVERY 512 /* calls on a queue pair that keeps attributes */

bool cell_is_numbered(const struct sweep_cell *c)
{
	return c->sort == CELL_VALUES || c->sort == CELL_UNDEFINED;
}

/* Continues with the call at this place. */
static void go_to(struct cell_calls *c, uint32_t at)
{
	c->at = at;
	if (!cell_is_numbered(&c->cell->cell))
		walk_begin(&c->walk, &c->order, at);
}

void block_begin(struct cell_calls *c)
{
	const struct sweep_cell *cell = &c->cell->cell;

	c->order = cell_order(cell);
	c->proven = c->cell->done;
	c->span = BLOCK;
	c->to_group = destination_is_group(c->w->map, c->cell);
	c->checked = c->proven;
	c->w->restorer.may_keep = !c->cell->history.matters;
	if (cell->sort == CELL_VALUES)
		c->value = c->w->restorer.tried;
	go_to(c, c->proven);
}

int block_begin_segment(struct cell_calls *c)
{
	struct restorer *r = &c->w->restorer;

	c->span = BLOCK;
	c->checked = c->at;
	r->reset_fails = false;
	return r->keeps ? restorer_replace_qp(r) : 0;
}

static int try_value(struct cell_calls *c, uint32_t n)
{
	const struct sweep_cell *cell = &c->cell->cell;
	struct outcome o;

	outcome_poison(&o, V_modify_qp);
	domain_set(cell_field(cell), &c->value.in.qp_attr,
		   cell_value(cell, &c->w->target->info, n));
	c->w->target->ops->call(c->w->target, &c->value, &o);
	return outcome_error(V_modify_qp, &o);
}

static int try_numbered(struct cell_calls *c, uint32_t n)
{
	struct target *t = c->w->target;

	if (c->cell->cell.sort == CELL_VALUES)
		return try_value(c, n);
	return t->ops->modify(t, cell_undefined(&c->cell->cell, n));
}

int block_call(struct cell_calls *c, uint32_t call)
{
	struct target *t = c->w->target;

	if (cell_is_numbered(&c->cell->cell))
		return try_numbered(c, call);
	return t->ops->modify(t, mask_unpack(call));
}

static void set_under_way(struct sweep_worker *w, uint32_t at)
{
	atomic_store_explicit(&w->lane->at, at, memory_order_relaxed);
}

/* Counts a refusal with an errno other than EINVAL. A call that is made again
 * is not counted again. */
static void count_refusal(struct map_cell *cell, int err, uint32_t place,
			  uint32_t call)
{
	if (!err || err == EINVAL || place < cell->counted)
		return;
	map_add_errno(cell, &(struct map_errno){err, call, 1});
	cell->counted = place + 1;
}

static bool call_numbered(struct cell_calls *c, uint32_t end)
{
	int err = EINVAL;

	while (c->at < end && err) {
		c->last = c->at++;
		set_under_way(c->w, c->last);
		err = try_numbered(c, c->last);
		count_refusal(c->cell, err, c->last, c->last);
	}
	return err;
}

/* Makes a call again with the peer's address. It must have the same answer. */
static void call_peer(struct cell_calls *c, uint32_t mask, int to_group)
{
	struct target *t = c->w->target;
	int to_peer;

	restorer_aim(&c->w->restorer, false);
	to_peer = t->ops->modify(t, mask_unpack(mask));
	restorer_aim(&c->w->restorer, true);
	if (to_peer != to_group)
		c->cell->destination = (struct map_destination){
			.matters = true,
			.call = mask,
			.to_group = to_group,
			.to_peer = to_peer,
		};
}

static bool destination_matters(const struct cell_calls *c)
{
	return c->to_group && c->cell->destination.matters;
}

static bool call_masks(struct cell_calls *c, uint32_t end)
{
	struct target *t = c->w->target;
	struct mask_walk walk = c->walk;
	uint32_t at = c->at, mask = 0;
	int err = EINVAL;

	restorer_aim(&c->w->restorer, c->to_group);
	while (at < end && err && !destination_matters(c)) {
		set_under_way(c->w, at);
		mask = walk_next(&walk);
		err = t->ops->modify(t, mask_unpack(mask));
		if (err && c->to_group && destination_is_checked(&c->order, at))
			call_peer(c, mask, err);
		count_refusal(c->cell, err, at++, mask);
	}
	c->at = at;
	c->walk = walk;
	c->last = mask;
	return err;
}

/* Makes calls up to `end`, and stops after an accepted one, or if the
 * destination matters. Returns true if all were refused. */
static bool call_until_accepted(struct cell_calls *c, uint32_t end)
{
	return cell_is_numbered(&c->cell->cell) ? call_numbered(c, end)
						: call_masks(c, end);
}

/* Returns the bit number of the call at a place of the order. */
static uint32_t call_at(const struct cell_calls *c, uint32_t place)
{
	struct mask_walk walk;

	if (cell_is_numbered(&c->cell->cell))
		return place;
	walk_begin(&walk, &c->order, place);
	return walk_next(&walk);
}

/* Notes a call that was accepted and later refused, although the queue pair was
 * unchanged. */
static void note_doubted(struct cell_calls *c)
{
	struct map_repeat repeat = {
		.call = call_at(c, c->doubted - 1),
		.kind = ACCEPTS_REFUSED,
		.doubted = true,
	};

	bit_set(c->accepted, repeat.call);
	if (sample_doubted(c->cell) < SAMPLE_MAX)
		map_note_repeat(c->cell, &repeat);
	c->doubted = 0;
}

/* Marks all calls so far as proven. They are then not made again, even after
 * this process dies. */
static void mark_proven(struct cell_calls *c)
{
	c->proven = c->at;
	if (c->doubted && c->doubted <= c->proven)
		note_doubted(c);
	c->cell->done = c->at;
	c->cell->repeated = false;
}

/* Brings the queue pair back after the last call, which was accepted. */
static int restore(struct cell_calls *c)
{
	struct sweep_worker *w = c->w;
	uint32_t mask =
		cell_is_numbered(&c->cell->cell) ? 0 : mask_unpack(c->last);
	int ret;

	w->lane->restoring = true;
	ret = restorer_restore(&w->restorer, mask);
	w->lane->restoring = false;
	recorder_tick(w->recorder);
	return ret;
}

/* Each accepted call counts once, by the way that brings the queue pair back.
 */
static int restore_and_count(struct cell_calls *c)
{
	int ret = restore(c);

	if (!ret)
		c->cell->back[c->w->restorer.way]++;
	return ret;
}

/* Describes what one of the calls from `call` on has changed. */
static struct map_creep creep_of(const struct cell_calls *c, uint32_t call,
				 uint32_t calls)
{
	struct map_creep creep = {.call = call, .calls = calls};

	restorer_describe_change(&c->w->restorer, creep.what,
				 sizeof(creep.what));
	return creep;
}

/* The same for the calls since the last proof. */
static struct map_creep creep_since_proof(const struct cell_calls *c)
{
	return creep_of(c, call_at(c, c->proven), c->at - c->proven);
}

/* Notes a refused call that changed something, and replaces the queue pair. */
static int note_creep(struct cell_calls *c, const struct map_creep *creep)
{
	int ret;

	map_note_creep(c->cell, creep);
	ret = restorer_replace_qp(&c->w->restorer);
	recorder_tick(c->w->recorder);
	return ret;
}

/* Makes the last call once more on its queue pair, which keeps what earlier
 * calls have set, and on a new one. Both answers must be the same. */
static int call_anew(struct cell_calls *c)
{
	struct map_history found = {.call = c->last};
	struct restorer *r = &c->w->restorer;

	c->checked = c->at;
	restorer_aim(r, c->to_group);
	found.kept = block_call(c, c->last);
	if (restorer_replace_qp(r))
		return -EIO;
	restorer_aim(r, c->to_group);
	found.anew = block_call(c, c->last);
	found.matters = found.kept != found.anew;
	if (found.matters) {
		c->found = found;
		return -EAGAIN;
	}
	c->cell->history.checked++;
	if (!found.anew)
		return restore(c);
	if (!restorer_is_fresh(r)) {
		struct map_creep creep = creep_of(c, c->last, 1);

		return note_creep(c, &creep);
	}
	return 0;
}

/* Does so with one in CHECK_EVERY calls. */
static int check_history(struct cell_calls *c)
{
	return c->w->restorer.keeps && c->at - c->checked >= CHECK_EVERY
		       ? call_anew(c)
		       : 0;
}

int block_end_segment(struct cell_calls *c)
{
	return c->w->restorer.keeps && c->at != c->checked ? call_anew(c) : 0;
}

static void count_accepted(struct cell_calls *c)
{
	bit_set(c->accepted, c->last);
	if (c->doubted == c->at)
		c->doubted = 0;
	mark_proven(c);
	c->span = 1;
}

/* Handles an accepted call. It counts if no unproven refusals are before it;
 * else goes back to these refusals. */
static int handle_accepted(struct cell_calls *c)
{
	uint32_t before = c->at - 1 - c->proven;

	if (before) {
		c->doubted = c->at;
		go_to(c, c->proven);
		c->span = before;
		return restore(c);
	}
	if (c->to_group) {
		if (restore(c))
			return -EIO;
		call_peer(c, c->last, 0);
		if (destination_matters(c))
			return -EAGAIN;
	}
	count_accepted(c);
	if (restore_and_count(c))
		return -EIO;
	return check_history(c);
}

/* Makes one call. If it is refused, a query shows whether it changed
 * something. */
static int call_and_prove(struct cell_calls *c)
{
	struct map_creep creep;
	int ret = 0;

	if (!call_until_accepted(c, c->at + 1))
		return handle_accepted(c);
	if (destination_matters(c))
		return -EAGAIN;
	if (!restorer_is_fresh(&c->w->restorer)) {
		creep = creep_since_proof(c);
		ret = note_creep(c, &creep);
	}
	mark_proven(c);
	return ret;
}

/* One of the refusals since the last proof changed something. Makes each of
 * them again with a query behind it. An accepted call behind them is no longer
 * in doubt. */
static int find_creep(struct cell_calls *c)
{
	uint32_t end = c->at, known = c->cell->ncreeps;
	struct map_creep some = creep_since_proof(c);
	int ret = restorer_replace_qp(&c->w->restorer);

	c->doubted = 0;
	if (some.calls > 1)
		go_to(c, c->proven);
	while (c->at < end && !ret)
		ret = call_and_prove(c);
	if (ret)
		return ret;
	if (c->cell->ncreeps == known)
		map_note_creep(c->cell, &some);
	mark_proven(c);
	c->span = 1;
	return 0;
}

static int prove(struct cell_calls *c)
{
	if (destination_matters(c))
		return -EAGAIN;
	if (!restorer_is_fresh(&c->w->restorer))
		return find_creep(c);
	mark_proven(c);
	c->span = c->span < BLOCK / 2 ? 2 * c->span : BLOCK;
	return check_history(c);
}

/* Makes calls up to the next call that did not return before, or skips that
 * call. */
static int call_span(struct cell_calls *c, uint32_t far)
{
	far = map_next_death(c->cell, c->proven, far);
	if (far == c->proven) {
		go_to(c, far + 1);
		mark_proven(c);
		return 0;
	}
	return call_until_accepted(c, far) ? prove(c) : handle_accepted(c);
}

int block_until(struct cell_calls *c, uint32_t end)
{
	int ret = 0;

	while (c->proven < end && !ret)
		ret = call_span(c, end - c->proven > c->span
					   ? c->proven + c->span
					   : end);
	return ret;
}

int block_begin_again(struct cell_calls *c)
{
	struct map_cell *cell = c->cell;

	map_begin_again(cell);
	cell->nrepeats = 0;
	memset(c->accepted, 0, MASKS_NR / 8);
	if (c->found.matters)
		cell->history = c->found;
	c->doubted = 0;
	block_begin(c);
	return restorer_replace_qp(&c->w->restorer);
}

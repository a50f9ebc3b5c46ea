// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keeps references to a destroyed object valid when its slot gets a new object.
 * A receive may name a deregistered region, a completion a destroyed sender.
 * The destroyed object moves to a place behind the slots of programs, and the
 * references move with it.
 */
#include "model/internal.h"

/* Called for each member that names an object; returns true to stop. */
typedef bool place_fn(uint16_t *place, uint16_t slot, uint16_t to);

static bool is_named(uint16_t *place, uint16_t slot, uint16_t to)
{
	(void)to;
	return *place == slot;
}

static bool rename_place(uint16_t *place, uint16_t slot, uint16_t to)
{
	if (*place == slot)
		*place = to;
	return false;
}

static bool in_request(struct model_wr *w, place_fn *fn, uint16_t slot,
		       uint16_t to)
{
	uint16_t *const places[] = {
		&w->data.mr,	&w->data.part.mr, &w->remote,
		&w->ah,		&w->mw,		  &w->sender,
		&w->binding.mr, &w->from,	  &w->binding.qp,
	};

	if (w->stage == WR_DISCARDED)
		return false;
	for (size_t i = 0; i < COUNT(places); i++)
		if (fn(places[i], slot, to))
			return true;
	return false;
}

static bool in_window(struct model_mw *mw, place_fn *fn, uint16_t slot,
		      uint16_t to)
{
	return fn(&mw->bound_to.mr, slot, to) ||
	       fn(&mw->last_bound.mr, slot, to) ||
	       fn(&mw->bound_to.qp, slot, to) ||
	       fn(&mw->last_bound.qp, slot, to);
}

static bool in_handles(struct model *m, place_fn *fn, uint16_t slot,
		       uint16_t to)
{
	for (uint16_t qp = first_of(m, OBJ_QP); qp != NO_OBJ;
	     qp = next_of(m, OBJ_QP, qp))
		if (qp != slot && fn(&m->object[qp].real, slot, to))
			return true;
	return false;
}

/* Events may still come for a queue pair that other handles keep alive. */
static bool in_events(struct model *m, place_fn *fn, uint16_t slot, uint16_t to)
{
	for (int i = 0; i < m->nevents; i++)
		if (fn(&m->event[i].slot, slot, to))
			return true;
	return false;
}

/* Calls `fn` for each member that may name the slot, until `fn` returns true.
 * Returns true then. */
static bool each_place(struct model *m, place_fn *fn, uint16_t slot,
		       uint16_t to)
{
	for (uint16_t of = first_of(m, SET_WORK); of != NO_OBJ;
	     of = next_of(m, SET_WORK, of))
		for (int recv = 0; recv < 2; recv++)
			each_wr(m, wr_list_at(m, of, recv), w)
			{
				if (in_request(w, fn, slot, to))
					return true;
			}
	for (uint16_t mw = first_of(m, OBJ_MW); mw != NO_OBJ;
	     mw = next_of(m, OBJ_MW, mw))
		if (in_window(&m->object[mw].mw, fn, slot, to))
			return true;
	return in_events(m, fn, slot, to) || in_handles(m, fn, slot, to);
}

bool stale_refs_any(struct model *m, uint16_t slot)
{
	return each_place(m, is_named, slot, NO_OBJ);
}

/* Returns a place behind the slots of programs that nothing names. */
static uint16_t find_place(struct model *m)
{
	for (uint16_t i = PROG_MAX_OBJECTS; i < m->places; i++)
		if (i >= m->top || !each_place(m, is_named, i, NO_OBJ))
			return i;
	m->lost_track = true;
	return (uint16_t)(m->places - 1u);
}

void stale_refs_keep(struct model *m, uint16_t slot)
{
	uint16_t to;

	if (m->places != PROG_MAX_OBJECTS + MODEL_STALE_PLACES ||
	    m->object[slot].kind == OBJ_NONE || slot >= PROG_MAX_OBJECTS ||
	    !each_place(m, is_named, slot, NO_OBJ))
		return;
	to = find_place(m);
	object_clear(m, to);
	m->object[to] = m->object[slot];
	m->object[to].real = to;
	m->object[to].alive = false;
	index_enter(m, to);
	index_name(m, to);
	each_place(m, rename_place, slot, to);
}

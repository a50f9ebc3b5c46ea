/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Regions that bound windows keep busy: whether ibv_dereg_mr may deregister
 * them.
 */
#include "model/memory/window.h"
#include "contract/opcodes.h"

/* Seeded fault: returns true if the region that a window of type 2 was bound to
 * later is not kept busy. */
static bool is_uncounted(const struct model *m, const struct model_mw *mw)
{
	return mw->type == IBV_MW_TYPE_2 && mw->uncounted &&
	       mutant_has_quirk(m->mutant, QUIRK_BIND_LATER);
}

/* Returns the region that a bound window keeps busy. A seeded fault counts a
 * window of type 1 for the region of its first bind. */
static uint16_t busy_region(const struct model *m, const struct model_mw *mw)
{
	if (mw->type == IBV_MW_TYPE_2 && mw->uncounted &&
	    mutant_has_quirk(m->mutant, QUIRK_BIND_STAYS))
		return (uint16_t)(mw->first - 1);
	return mw->type == IBV_MW_TYPE_1 && mw->counted &&
			       mutant_has_quirk(m->mutant, QUIRK_BIND_MOVES)
		       ? (uint16_t)(mw->counted - 1)
		       : mw->bound_to.mr;
}

/* Seeded fault: returns true if a window of type 1 was bound to the region
 * before it was bound to another one. */
static bool has_left(const struct model *m, const struct object *o, uint16_t mr)
{
	if (!mutant_has_quirk(m->mutant, QUIRK_BIND_BOTH) || !o->alive ||
	    o->mw.type != IBV_MW_TYPE_1)
		return false;
	for (unsigned int i = 0; i < COUNT(o->mw.left); i++)
		if (o->mw.left[i] == mr + 1)
			return true;
	return false;
}

/* Returns true if the window in a slot keeps the region busy. */
static bool keeps(const struct model *m, uint16_t slot, uint16_t mr)
{
	const struct object *o = &m->object[slot];

	return has_left(m, o, mr) ||
	       ((o->alive || o->orphan) && o->mw.bound && !o->mw.kept &&
		!is_uncounted(m, &o->mw) && busy_region(m, &o->mw) == mr);
}

void window_note_bound(struct model *m, const struct model_wr *w)
{
	struct model_mw *mw;

	if (w->recv || w->opcode != IBV_WR_BIND_MW || w->mw >= m->top ||
	    w->status != IBV_WC_SUCCESS || m->object[w->mw].kind != OBJ_MW)
		return;
	mw = &m->object[w->mw].mw;
	mw->seen |= mw->bound && mw->bound_to.qp == w->owner &&
		    mw->bound_to.mr == w->binding.mr &&
		    (mw->rkey & 0xff) == (w->binding.rkey & 0xff);
}

/* Returns true if the program knows that the window is bound. A window of type
 * 2 may lose its binding with the state of its queue pair. */
static bool is_sure(const struct model *m, const struct model_mw *mw)
{
	return mw->seen &&
	       (mw->type == IBV_MW_TYPE_1 ||
		(mw->bound_to.qp != NO_OBJ &&
		 m->object[mw->bound_to.qp].qp.state == IBV_QPS_RTS));
}

/* Returns the types of the windows that keep the region busy, as bits; with
 * `sure`, only of those that the program knows to be bound. */
static uint8_t types_bound(const struct model *m, uint16_t mr, bool sure)
{
	uint8_t types = 0;

	for (uint16_t i = first_of(m, OBJ_MW); i != NO_OBJ;
	     i = next_of(m, OBJ_MW, i))
		if (keeps(m, i, mr) && (!sure || is_sure(m, &m->object[i].mw)))
			types |= (uint8_t)(1u << (m->object[i].mw.type & 3));
	return types;
}

bool window_is_bound_to(const struct model *m, uint16_t mr)
{
	return types_bound(m, mr, false) != 0;
}

enum row window_busy_row(const struct model *m, uint16_t mr)
{
	return types_bound(m, mr, true) & m->bound_refused[m->object[mr].device]
		       ? ROW_MR_BOUND_EACH
		       : ROW_MR_BOUND;
}

void window_note_busy(struct model *m, uint16_t mr)
{
	uint8_t types = types_bound(m, mr, false);

	if (!(types & (types - 1)))
		m->bound_refused[m->object[mr].device] |= types;
}

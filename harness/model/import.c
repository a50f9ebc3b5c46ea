// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Imported contexts, and further handles of protection domains, regions and
 * device memory. The first handle of an object is the object of the model; a
 * step that would leave a handle without its object is refused, as the target
 * does.
 */
#include <errno.h>
#include "model/internal.h"

/* Returns the slot of the object that a handle stands for. */
static uint16_t root_of(const struct model *m, uint16_t slot)
{
	return slot == NO_OBJ ? slot : m->object[slot].real;
}

/* Returns true if the slot has a further handle of an object. */
static bool is_import(const struct model *m, uint16_t slot)
{
	return m->object[slot].real != slot;
}

/* Returns another live handle of the same object, or NO_OBJ. */
static uint16_t twin_of(const struct model *m, uint16_t slot)
{
	const struct object *o = m->object;

	for (uint16_t i = 0; i < m->top; i++) {
		bool alike = o[i].kind == o[slot].kind ||
			     (o[slot].kind == OBJ_MR && o[i].kind == OBJ_IMR);

		if (i != slot && alike && o[i].alive &&
		    o[i].real == o[slot].real)
			return i;
	}
	return NO_OBJ;
}

static bool context_is_held(const struct model *m, uint16_t ctx)
{
	if (!is_import(m, ctx))
		return twin_of(m, ctx) != NO_OBJ;
	for (uint16_t i = 0; i < m->top; i++)
		if (i != ctx && m->object[i].alive && m->object[i].ctx == ctx)
			return true;
	return false;
}

bool import_holds(const struct model *m, uint16_t slot)
{
	switch (m->object[slot].kind) {
	case OBJ_CTX:
		return context_is_held(m, slot);
	case OBJ_PD:
	case OBJ_MR:
	case OBJ_DM:
		return twin_of(m, slot) != NO_OBJ;
	default:
		return false;
	}
}

/* Handles so near to each other may be those of two objects: uverbs gives an
 * object the lowest number that is free in its file. */
#define NEAR 0x10000u

/* Returns true if the device under test has found an object by a handle that
 * may be that of another object than the call names. */
static bool found_another(const struct step *s)
{
	uint32_t plus = s->b->in.import.plus;

	return is_oracle(s) && !s->seen_error && plus && plus + NEAR < 2 * NEAR;
}

static void check_import(struct step *s, struct faults *f)
{
	bool another = found_another(s);

	s->m->lost_track |= another;
	if (!s->d->can_import)
		add_fault(s, f, ROW_IMPORT_UNSUPPORTED);
	if (s->b->in.import.plus && !another)
		add_fault(s, f, ROW_IMPORT_HANDLE);
	if (!f->n)
		add_fault(s, f, ROW_IMPORT_ACCEPT);
}

/* Decides an import. Returns NULL if the call is refused. */
static struct object *decide(struct step *s, const struct faults *f,
			     enum object_kind kind)
{
	enum out effect;
	int err;

	answer_accept(s, ROW_IMPORT_ACCEPT);
	err = choose_outcome(s, f, &effect);
	if (!err)
		return object_add(s, kind);
	answer_refuse(s, s->a->row, err);
	return NULL;
}

void do_import_device(struct step *s)
{
	uint16_t from = root_of(s->m, s->b->on);
	struct faults f = {0};
	struct object *o;

	if (s->b->in.import.fd == IMPORT_FD_OTHER)
		add_fault(s, &f, ROW_IMPORT_OTHER);
	else if (s->b->in.import.fd != IMPORT_FD_COPY)
		add_fault(s, &f, ROW_IMPORT_FD);
	check_import(s, &f);
	o = decide(s, &f, OBJ_CTX);
	if (!o)
		return;
	o->real = from;
	o->ctx = s->b->result;
}

/* Returns true if an object is there, in the file of the call's context. */
static bool is_at_home(const struct step *s, uint16_t slot)
{
	const struct model *m = s->m;

	return slot != NO_OBJ &&
	       root_of(m, m->object[slot].ctx) == root_of(m, s->b->on);
}

static bool is_parent_domain(const struct model *m, uint16_t pd)
{
	return m->object[pd].nparents != 0;
}

void do_import_pd(struct step *s)
{
	uint16_t from = s->b->in.import.object;
	struct faults f = {0};
	struct object *o;

	if (!is_at_home(s, from) || is_parent_domain(s->m, from)) {
		answer_refuse(s, ROW_IMPORT_ACCEPT, EINVAL);
		return;
	}
	from = root_of(s->m, from);
	check_import(s, &f);
	o = decide(s, &f, OBJ_PD);
	if (!o)
		return;
	record_row(s, ROW_IMPORT_SAME);
	o->real = from;
	o->pd = mutant_skips(s->mutant, ROW_IMPORT_SAME) ? NO_OBJ : from;
}

void do_import_mr(struct step *s)
{
	uint16_t from = s->b->in.import.object;
	struct faults f = {0};
	const struct model_mr *mr;
	struct object *o;

	if (from == NO_OBJ || s->m->object[from].mr.indirect ||
	    is_parent_domain(s->m, s->b->on) ||
	    s->m->object[from].pd != root_of(s->m, s->b->on)) {
		answer_refuse(s, ROW_IMPORT_ACCEPT, EINVAL);
		return;
	}
	check_import(s, &f);
	o = decide(s, &f, OBJ_IMR);
	if (!o)
		return;
	object_add_parent(s->m, o, s->b->on);
	o->real = from;
	if (found_another(s))
		return;
	mr = &s->m->object[from].mr;
	record_row(s, ROW_IMPORT_KEYS);
	answer_define(s, F_keys_lkey,
		      mr->lkey + mutant_skips(s->mutant, ROW_IMPORT_KEYS),
		      ROW_IMPORT_KEYS);
	answer_define(s, F_keys_rkey, mr->rkey, ROW_IMPORT_KEYS);
}

void do_import_dm(struct step *s)
{
	uint16_t from = s->b->in.import.object;
	struct faults f = {0};
	struct object *o;

	if (!is_at_home(s, from)) {
		answer_refuse(s, ROW_IMPORT_ACCEPT, EINVAL);
		return;
	}
	from = root_of(s->m, from);
	check_import(s, &f);
	o = decide(s, &f, OBJ_DM);
	if (!o)
		return;
	record_row(s, ROW_IMPORT_DM);
	o->real = from;
	o->dm = s->m->object[from].dm;
}

/* Lets another handle take the place of the first one. */
static void promote(struct model *m, uint16_t root, uint16_t next)
{
	for (uint16_t i = 0; i < m->top; i++) {
		struct object *o = obj(m, i);

		if (o->kind == OBJ_PD && o->real == root)
			o->real = next;
		if (o->pd == root)
			o->pd = next;
	}
	obj(m, next)->pd = NO_OBJ;
}

static void give_up(struct step *s)
{
	uint16_t slot = s->b->on, root = root_of(s->m, slot);
	struct object *o = obj(s->m, slot), *of = obj(s->m, root);

	record_row(s, ROW_IMPORT_LEFT);
	if (mutant_skips(s->mutant, ROW_IMPORT_LEFT)) {
		of->broken = true;
		of->mr.invalid |= of->kind == OBJ_MR;
	}
	if (o->alive)
		s->m->alive[o->device][o->kind]--;
	o->alive = false;
	answer_accept(s, ROW_IMPORT_LEFT);
}

void do_unimport_pd(struct step *s)
{
	uint16_t slot = s->b->on, twin = twin_of(s->m, slot);
	bool first = !is_import(s->m, slot);

	if (twin == NO_OBJ || object_is_used(s->m, slot)) {
		answer_refuse(s, ROW_IMPORT_LEFT, EBUSY);
		return;
	}
	give_up(s);
	if (!first)
		return;
	promote(s->m, slot, twin);
	obj(s->m, twin)->broken = obj(s->m, slot)->broken;
}

void do_unimport_mr(struct step *s)
{
	give_up(s);
}

void do_unimport_dm(struct step *s)
{
	if (is_import(s->m, s->b->on))
		give_up(s);
	else
		answer_refuse(s, ROW_IMPORT_LEFT, EBUSY);
}

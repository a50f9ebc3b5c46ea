/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which calls of a walk belong to its last call. The program of these
 * creates each object that it names. A queue pair whose early calls are left
 * out keeps the changes of state since its last RESET.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/mutate/edit.h"
#include "fuzz/walk/history.h"
#include "program/text.h"

/* --- Recording ------------------------------------------------------------ */

void history_begin(struct history *t)
{
	t->n = 0;
	t->nsettings = 0;
	t->nobjects = 0;
	t->under_way = VERB_NR;
}

bool history_has_room(const struct history *t)
{
	return t->n < HISTORY_CALLS && t->nobjects < HISTORY_CALLS &&
	       t->nsettings + PROG_MAX_SETTINGS <= HISTORY_SETTINGS;
}

uint16_t history_add_object(struct history *t, enum object_kind kind,
			    char name[OBJ_NAME_LEN])
{
	struct prog_object *o = &t->object[t->nobjects];

	o->kind = (uint8_t)kind;
	snprintf(o->name, sizeof(o->name), "%s%u", object_prefix(kind),
		 t->nobjects);
	memcpy(name, o->name, OBJ_NAME_LEN);
	return (uint16_t)t->nobjects++;
}

static uint16_t object_of(const uint16_t object[PROG_MAX_OBJECTS], uint8_t slot)
{
	return slot == NO_OBJ ? HISTORY_NO_OBJ : object[slot];
}

void history_add_call(struct history *t, const struct program *p,
		      unsigned int call,
		      const uint16_t object[PROG_MAX_OBJECTS])
{
	const struct call *c = &p->call[call];

	t->call[t->n] = (struct history_call){
		.is = *c,
		.first = t->nsettings,
		.result = object_of(object, c->result),
		.on = object_of(object, c->on),
		.from = object_of(object, c->from),
	};
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *s = &p->setting[c->first + i];
		struct history_setting *to = &t->setting[t->nsettings++];

		to->is = *s;
		to->object = value_names_object(&s->value)
				     ? object[s->value.ref]
				     : HISTORY_NO_OBJ;
	}
	t->n++;
}

void history_remove_last(struct history *t)
{
	t->nsettings = t->call[--t->n].first;
}

void history_mark_idle(struct history *t)
{
	t->call[t->n - 1].idle = true;
}

/* --- The calls that belong to the last call ------------------------------- */

struct choice {
	const struct history *t;
	unsigned int first; /* earlier calls are taken only if needed */
	bool idle;	    /* take idle calls, too */
	unsigned int ncalls, nobjects, nsettings;
	bool taken[HISTORY_CALLS];
	/* For each object: its distance from the last call, from 1 on, or 0 if
	 * not known; whether a taken call names it; whether the last modify of
	 * it to RESET is taken */
	uint8_t away[HISTORY_CALLS];
	bool needed[HISTORY_CALLS];
	bool led[HISTORY_CALLS];
};

typedef void (*object_fn)(struct choice *c, uint16_t object, unsigned int arg);

static void each_named(struct choice *c, const struct history_call *call,
		       object_fn fn, unsigned int arg)
{
	if (call->on != HISTORY_NO_OBJ)
		fn(c, call->on, arg);
	if (call->from != HISTORY_NO_OBJ)
		fn(c, call->from, arg);
	for (unsigned int i = 0; i < call->is.nset; i++) {
		uint16_t object = c->t->setting[call->first + i].object;

		if (object != HISTORY_NO_OBJ)
			fn(c, object, arg);
	}
}

static void set_away(struct choice *c, uint16_t object, unsigned int away)
{
	if (!c->away[object])
		c->away[object] = (uint8_t)away;
}

static bool is_near(const struct choice *c, uint16_t object, unsigned int away)
{
	return object != HISTORY_NO_OBJ && c->away[object] &&
	       c->away[object] <= away;
}

static bool names_near(const struct choice *c, const struct history_call *call,
		       unsigned int away)
{
	if (is_near(c, call->on, away) || is_near(c, call->result, away) ||
	    is_near(c, call->from, away))
		return true;
	for (unsigned int i = 0; i < call->is.nset; i++)
		if (is_near(c, c->t->setting[call->first + i].object, away))
			return true;
	return false;
}

static void find_near(struct choice *c, unsigned int far)
{
	const struct history *t = c->t;
	bool any = false;

	each_named(c, &t->call[t->n - 1], set_away, 1);
	for (unsigned int i = 0; i < t->nobjects; i++)
		any |= c->away[i] != 0;
	/* The last call names no object: an event of the device, for example,
	 * may be about any of them. */
	if (!any)
		memset(c->away, 1, t->nobjects);
	for (unsigned int away = 1; away <= far; away++)
		for (unsigned int i = 0; i < t->n; i++) {
			const struct history_call *call = &t->call[i];

			if (!names_near(c, call, away))
				continue;
			each_named(c, call, set_away, away + 1);
			if (call->result != HISTORY_NO_OBJ)
				set_away(c, call->result, away + 1);
		}
}

static bool makes_pointer(const struct history_call *call)
{
	return call->result != HISTORY_NO_OBJ &&
	       verb_info((enum verb)call->is.verb)->conv == CONV_PTR;
}

static bool back_to_reset(const struct history *t,
			  const struct history_call *call)
{
	for (unsigned int i = 0; i < call->is.nset; i++) {
		const struct setting *s = &t->setting[call->first + i].is;

		if (s->field == F_qp_state && s->value.kind == VAL_NUM)
			return s->value.num == IBV_QPS_RESET;
	}
	return false;
}

/* Returns true if the call modifies a needed queue pair, and is not before its
 * last modify to RESET. Calls are visited from the last one to the first. */
static bool leads_to_state(struct choice *c, const struct history_call *call)
{
	if (call->is.verb != V_modify_qp || !c->needed[call->on] ||
	    c->led[call->on])
		return false;
	c->led[call->on] = back_to_reset(c->t, call);
	return true;
}

/* Returns true if call i belongs to the last call. */
static bool belongs(struct choice *c, unsigned int i, unsigned int far)
{
	const struct history_call *call = &c->t->call[i];
	unsigned int whole = far + 1;

	if (call->result != HISTORY_NO_OBJ && c->needed[call->result])
		return true;
	if (call->idle && !c->idle)
		return false;
	if (i < c->first)
		return call->on != HISTORY_NO_OBJ && leads_to_state(c, call);
	if (makes_pointer(call))
		return is_near(c, call->result, whole);
	if (call->on == HISTORY_NO_OBJ)
		return far == HISTORY_FAR;
	return is_near(c, call->on, whole);
}

static void need(struct choice *c, uint16_t object, unsigned int arg)
{
	(void)arg;
	c->needed[object] = true;
}

static void take(struct choice *c, unsigned int i)
{
	const struct history_call *call = &c->t->call[i];

	c->taken[i] = true;
	c->ncalls++;
	c->nsettings += call->is.nset;
	each_named(c, call, need, 0);
	if (makes_pointer(call))
		c->needed[call->result] = true;
	if (call->result != HISTORY_NO_OBJ && c->needed[call->result])
		c->nobjects++;
}

/* A call names only objects that earlier calls made, so that one pass from the
 * end finds all. */
static bool choose(struct choice *c, unsigned int far)
{
	const struct history *t = c->t;

	find_near(c, far);
	take(c, t->n - 1);
	for (unsigned int i = t->n - 1; i-- > 0;)
		if (belongs(c, i, far))
			take(c, i);
	return c->ncalls <= PROG_MAX_CALLS && c->nobjects <= PROG_MAX_OBJECTS &&
	       c->nsettings <= PROG_MAX_SETTINGS;
}

/* --- The program ---------------------------------------------------------- */

struct copy {
	struct program *to;
	uint8_t slot[HISTORY_CALLS]; /* of an object */
};

static uint8_t slot_of(const struct copy *copy, uint16_t object)
{
	return object == HISTORY_NO_OBJ ? NO_OBJ : copy->slot[object];
}

static void copy_call(struct copy *copy, const struct choice *c,
		      const struct history_call *from)
{
	struct program *to = copy->to;
	struct call *call = &to->call[to->ncalls++];

	*call = from->is;
	call->on = slot_of(copy, from->on);
	call->from = slot_of(copy, from->from);
	call->result = NO_OBJ;
	call->first = call->efirst = to->nsettings;
	for (unsigned int i = 0; i < call->nset; i++) {
		const struct history_setting *s =
			&c->t->setting[from->first + i];
		struct setting *set = &to->setting[to->nsettings++];

		*set = s->is;
		if (s->object != HISTORY_NO_OBJ)
			set->value.ref = copy->slot[s->object];
	}
	if (from->result == HISTORY_NO_OBJ || !c->needed[from->result])
		return;
	to->object[to->nobjects] = c->t->object[from->result];
	call->result = copy->slot[from->result] = to->nobjects++;
}

static bool copy_taken(const struct choice *c, struct program *p)
{
	struct copy *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return false;
	copy->to = p;
	prog_init(p);
	for (unsigned int i = 0; i < c->t->n; i++)
		if (c->taken[i])
			copy_call(copy, c, &c->t->call[i]);
	free(copy);
	return true;
}

bool history_program(const struct history *t, unsigned int far, bool idle,
		     struct program *p)
{
	struct choice *c = malloc(sizeof(*c));
	bool fits = false;

	for (unsigned int window = t->n; c && !fits && window; window /= 2) {
		memset(c, 0, sizeof(*c));
		c->t = t;
		c->idle = idle;
		c->first = t->n - window;
		fits = choose(c, far) && copy_taken(c, p);
	}
	free(c);
	return fits;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Surgery on programs. Everything that changes which calls there are is copied
 * call by call into another program, and a call whose objects did not come
 * along stays behind: that the result parses need not be checked afterwards.
 */
#include <stdio.h>
#include <string.h>
#include "fuzz/mutate/edit.h"
#include "program/text.h"

void edit_continue(struct edit *e, struct program *to, enum edit_lost lost)
{
	e->to = to;
	e->lost = lost;
	memset(e->slot, NO_OBJ, sizeof(e->slot));
}

void edit_begin(struct edit *e, struct program *to, const struct program *from,
		enum edit_lost lost)
{
	prog_init(to);
	memcpy(to->about, from->about, sizeof(to->about));
	edit_continue(e, to, lost);
}

static bool name_is_free(const struct program *p, const char *name)
{
	for (int i = 0; i < p->nobjects; i++)
		if (!strcmp(p->object[i].name, name))
			return false;
	return true;
}

/* "qp7" says no more than its kind; a name that somebody chose does. What has
 * none is given one, as other calls may come to name it. */
static bool is_chosen(const struct prog_object *o)
{
	const char *prefix = object_prefix((enum object_kind)o->kind);
	size_t len = strlen(prefix);

	if (!o->name[0])
		return false;
	return strncmp(o->name, prefix, len) != 0 ||
	       o->name[len + strspn(o->name + len, "0123456789")] != '\0';
}

static uint8_t new_object(struct program *p, const struct prog_object *like)
{
	struct prog_object *o = &p->object[p->nobjects];
	char name[OBJ_NAME_LEN];

	snprintf(name, sizeof(name), "%s", like->name);
	for (unsigned int number = 0;
	     (number == 0 && !is_chosen(like)) || !name_is_free(p, name);
	     number++)
		snprintf(name, sizeof(name), "%s%u",
			 object_prefix((enum object_kind)like->kind), number);
	o->kind = like->kind;
	strcpy(o->name, name);
	return p->nobjects++;
}

static bool names_object(const struct value *v)
{
	return (v->kind == VAL_OBJ || v->kind == VAL_OUT) && v->ref != NO_OBJ;
}

/* The value as the new program says it; false: it lacks the object, or has one
 * in its place that gives no such output. */
static bool carry_value(const struct edit *e, struct value *v)
{
	int maker;

	if (!names_object(v))
		return true;
	v->ref = e->slot[v->ref];
	if (v->ref == NO_OBJ)
		return false;
	if (v->kind == VAL_OBJ)
		return true;
	maker = maker_of(e->to, v->ref);
	return maker >= 0 &&
	       verb_writes((enum verb)maker, (enum field)v->field);
}

/* Copies settings to the end; how many, or -1 where the call cannot be. */
static int carry_settings(struct edit *e, const struct setting *from,
			  unsigned int n, enum edit_lost lost)
{
	struct program *to = e->to;
	int taken = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct setting s = from[i];

		if (!carry_value(e, &s.value)) {
			if (lost == LOST_CALL)
				return -1;
			continue;
		}
		if (to->nsettings >= PROG_MAX_SETTINGS)
			return -1;
		to->setting[to->nsettings++] = s;
		taken++;
	}
	return taken;
}

/* The device itself needs no name, unless it is closed. */
static bool can_be_unnamed(enum verb verb)
{
	return verb_info(verb)->on == OBJ_CTX && verb != V_close_device;
}

static bool carry_objects(const struct edit *e, struct call *c)
{
	if (c->on != NO_OBJ) {
		c->on = e->slot[c->on];
		if (c->on == NO_OBJ && (e->lost == LOST_CALL ||
					!can_be_unnamed((enum verb)c->verb)))
			return false;
	}
	if (c->from != NO_OBJ) {
		c->from = e->slot[c->from];
		if (c->from == NO_OBJ && e->lost == LOST_CALL)
			return false;
	}
	return true;
}

static bool carry_call(struct edit *e, const struct program *from,
		       struct call *c)
{
	int n;

	if (!carry_objects(e, c))
		return false;
	n = carry_settings(e, &from->setting[c->first], c->nset, e->lost);
	if (n < 0)
		return false;
	c->first = (uint16_t)(e->to->nsettings - n);
	c->nset = (uint16_t)n;
	n = carry_settings(e, &from->setting[c->efirst], c->nexp, LOST_NAME);
	if (n < 0)
		return false;
	c->efirst = (uint16_t)(e->to->nsettings - n);
	c->nexp = (uint16_t)n;
	return true;
}

bool edit_take(struct edit *e, const struct program *from, unsigned int call)
{
	struct program *to = e->to;
	const uint16_t before = to->nsettings;
	struct call c = from->call[call];

	if (to->ncalls >= PROG_MAX_CALLS ||
	    (c.result != NO_OBJ && to->nobjects >= PROG_MAX_OBJECTS))
		return false;
	if (!carry_call(e, from, &c)) {
		to->nsettings = before;
		return false;
	}
	if (c.result != NO_OBJ) {
		e->slot[c.result] = new_object(to, &from->object[c.result]);
		c.result = e->slot[c.result];
	}
	to->call[to->ncalls++] = c;
	return true;
}

void edit_without(struct program *to, const struct program *from,
		  unsigned int first, unsigned int n, enum edit_lost lost)
{
	struct edit e;

	edit_begin(&e, to, from, lost);
	for (unsigned int i = 0; i < from->ncalls; i++)
		if (i < first || i - first >= n)
			edit_take(&e, from, i);
}

void edit_without_two(struct program *to, const struct program *from,
		      unsigned int one, unsigned int other)
{
	struct edit e;

	edit_begin(&e, to, from, LOST_CALL);
	for (unsigned int i = 0; i < from->ncalls; i++)
		if (i != one && i != other)
			edit_take(&e, from, i);
}

void edit_instead(struct program *to, const struct program *from, uint8_t slot,
		  uint8_t instead)
{
	struct edit e;

	edit_begin(&e, to, from, LOST_CALL);
	for (unsigned int i = 0; i < from->ncalls; i++) {
		if (from->call[i].result == slot)
			e.slot[slot] = e.slot[instead];
		else
			edit_take(&e, from, i);
	}
}

static void drop(struct program *p, unsigned int first, uint16_t *count,
		 unsigned int n)
{
	struct setting *s = &p->setting[first];

	memmove(&s[n], &s[n + 1], (*count - n - 1) * sizeof(*s));
	(*count)--;
}

void edit_drop_setting(struct program *p, unsigned int call, unsigned int n)
{
	drop(p, p->call[call].first, &p->call[call].nset, n);
}

void edit_drop_expected(struct program *p, unsigned int call, unsigned int n)
{
	drop(p, p->call[call].efirst, &p->call[call].nexp, n);
}

void edit_drop_expectation(struct program *p, unsigned int call)
{
	p->call[call].expects = false;
	p->call[call].expect_err = 0;
	p->call[call].nexp = 0;
}

bool edit_made_above(const struct program *p, unsigned int call, uint8_t slot)
{
	for (unsigned int i = 0; i < call; i++)
		if (p->call[i].result == slot)
			return true;
	return false;
}

/* Can this value stand in this field of a call? */
static bool value_fits(const struct program *p, unsigned int call, enum field f,
		       const struct value *v)
{
	int maker;

	if (!value_allowed(f, v))
		return false;
	if (!names_object(v))
		return true;
	if (!edit_made_above(p, call, v->ref))
		return false;
	if (v->kind == VAL_OBJ)
		return p->object[v->ref].kind == field_info(f)->names;
	maker = maker_of(p, v->ref);
	return verb_writes((enum verb)maker, (enum field)v->field);
}

bool edit_value(struct program *p, unsigned int call, unsigned int n,
		const struct value *v)
{
	struct setting *s = &p->setting[p->call[call].first + n];

	if (!value_fits(p, call, (enum field)s->field, v))
		return false;
	s->value = *v;
	if (v->kind == VAL_NUM)
		s->value.num =
			number_cut((enum field)s->field, (uint64_t)v->num);
	return true;
}

bool edit_settings(struct program *p, unsigned int call,
		   const struct setting *instead, unsigned int n)
{
	struct call *c = &p->call[call];
	uint16_t first = p->nsettings;

	if (p->nsettings + n > PROG_MAX_SETTINGS)
		return false;
	for (unsigned int i = 0; i < n; i++)
		if (value_fits(p, call, (enum field)instead[i].field,
			       &instead[i].value))
			p->setting[p->nsettings++] = instead[i];
	c->first = first;
	c->nset = (uint16_t)(p->nsettings - first);
	return true;
}

bool edit_on(struct program *p, unsigned int call, uint8_t slot)
{
	struct call *c = &p->call[call];

	if (slot == NO_OBJ) {
		if (!can_be_unnamed((enum verb)c->verb))
			return false;
	} else if (!edit_made_above(p, call, slot) ||
		   p->object[slot].kind != verb_info((enum verb)c->verb)->on) {
		return false;
	}
	c->on = slot;
	return true;
}

static bool names_slot(const struct program *p, const struct call *c,
		       uint8_t slot)
{
	if (c->on == slot || c->from == slot)
		return true;
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct value *v = &p->setting[c->first + i].value;

		if (names_object(v) && v->ref == slot)
			return true;
	}
	for (unsigned int i = 0; i < c->nexp; i++) {
		const struct value *v = &p->setting[c->efirst + i].value;

		if (names_object(v) && v->ref == slot)
			return true;
	}
	return false;
}

/* What is made by a pointer that is given back has to be named. */
bool edit_drop_result(struct program *p, unsigned int call)
{
	struct call *c = &p->call[call];

	if (c->result == NO_OBJ ||
	    verb_info((enum verb)c->verb)->conv == CONV_PTR)
		return false;
	for (unsigned int i = 0; i < p->ncalls; i++)
		if (names_slot(p, &p->call[i], c->result))
			return false;
	c->result = NO_OBJ;
	return true;
}

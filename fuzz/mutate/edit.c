/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Edits programs. To add or remove calls, a program is copied call by call into
 * another one. A call whose objects were not copied is left out, so that the
 * result always parses.
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

/* Returns true if somebody chose the name; false for no name, and for a name
 * like "qp7", which only has the kind of the object. */
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

/* Converts a value for the new program. Returns false if the program lacks the
 * object, or if the object that replaces it has no such output. */
static bool carry_value(const struct edit *e, struct value *v)
{
	int maker;

	if (!value_names_object(v))
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

/* Copies settings to the end of the program. Returns how many, or -1 if the
 * call has to be left out. */
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

/* A call on the device need not name it, unless it closes the device. */
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

/* Returns true if the field of this call can have the value. */
static bool value_fits(const struct program *p, unsigned int call, enum field f,
		       const struct value *v)
{
	int maker;

	if (!value_allowed(f, v))
		return false;
	if (!value_names_object(v))
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

		if (value_names_object(v) && v->ref == slot)
			return true;
	}
	for (unsigned int i = 0; i < c->nexp; i++) {
		const struct value *v = &p->setting[c->efirst + i].value;

		if (value_names_object(v) && v->ref == slot)
			return true;
	}
	return false;
}

/* An object that the verb returns a pointer to has to keep its name. */
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

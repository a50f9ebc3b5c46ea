/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which object replaces an object of a sample: the one that the call
 * already names, else one of the same kind that an earlier call makes.
 */
#include <string.h>
#include "fuzz/mutate/edit.h"
#include "fuzz/mutate/like_case.h"
#include "program/text.h"

enum { MOST_SETTINGS = 64 };

/* A call that gets the values of a sample, and the object for each slot of the
 * sample. */
struct likeness {
	struct changer *c;
	unsigned int call;
	uint8_t as[PROG_MAX_OBJECTS];
};

static uint8_t own_object(const struct likeness *l, enum field f,
			  enum object_kind kind)
{
	const struct program *p = &l->c->made;
	const struct call *c = &p->call[l->call];
	const struct setting *s = find_setting(p, c->first, c->nset, f);

	if (!s || !value_names_object(&s->value) ||
	    p->object[s->value.ref].kind != kind)
		return NO_OBJ;
	return s->value.ref;
}

/* Returns an object that an earlier call makes, mostly the last one. */
static uint8_t object_above(const struct likeness *l, enum object_kind kind)
{
	const struct program *p = &l->c->made;
	uint8_t found = NO_OBJ;

	for (uint8_t i = 0; i < p->nobjects; i++)
		if (p->object[i].kind == kind &&
		    edit_made_above(p, l->call, i) &&
		    (found == NO_OBJ || chance_below(&l->c->chance, 3)))
			found = i;
	return found;
}

/* Replaces the object in a setting. Returns false if there is none. */
static bool replace_object(struct likeness *l,
			   const struct sample_setting *from,
			   struct setting *set)
{
	enum object_kind kind = (enum object_kind)from->kind;
	uint8_t *as;

	if (kind == OBJ_NONE)
		return true;
	as = &l->as[set->value.ref];
	if (*as == NO_OBJ)
		*as = own_object(l, (enum field)set->field, kind);
	if (*as == NO_OBJ)
		*as = object_above(l, kind);
	set->value.ref = *as;
	return *as != NO_OBJ;
}

/* Gives a call the values of a sample. */
static void give(struct changer *c, unsigned int call, const struct sample *of)
{
	struct likeness l = {.c = c, .call = call};
	struct setting set[MOST_SETTINGS];
	unsigned int n = 0;

	memset(l.as, NO_OBJ, sizeof(l.as));
	for (unsigned int i = 0; i < of->nset && n < MOST_SETTINGS; i++) {
		const struct sample_setting *from =
			&c->calls->setting[of->first + i];

		set[n] = from->is;
		n += replace_object(&l, from, &set[n]);
	}
	edit_settings(&c->made, call, set, n);
}

const struct sample *like_case(struct changer *c, unsigned int call)
{
	const struct call *at = &c->made.call[call];
	enum verb verb = (enum verb)at->verb;
	/* A call that creates a queue pair may change the type. */
	enum qp_kind type = verb_info(verb)->makes == OBJ_QP
				    ? QK_NR
				    : sample_type(&c->made, at);
	const struct sample *of = NULL;

	if (c->calls)
		of = samples_pick(c->calls, &c->chance, verb, type);
	if (of)
		give(c, call, of);
	return of;
}

void like_same_case(struct changer *c, unsigned int call,
		    const struct sample *as)
{
	const struct program *p = &c->made;
	int maker = making_call(p, p->call[call].on);

	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *at = &p->call[i];
		const struct sample *of =
			samples_beside(c->calls, &c->chance, as,
				       (enum verb)at->verb, sample_type(p, at),
				       (int)i == maker);

		if (i != call && of)
			give(c, i, of);
	}
}

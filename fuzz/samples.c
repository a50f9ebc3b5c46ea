/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps calls without their programs. A value that names an object keeps the
 * slot, by which two of the same object are told from two others.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/samples.h"
#include "program/text.h"

enum { TRIES = 8 };

/* Room for one element more; false: no memory. */
static bool grow(void **list, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 1024;
	void *grown;

	if (n < *room)
		return true;
	grown = realloc(*list, more * size);
	if (!grown)
		return false;
	*list = grown;
	*room = more;
	return true;
}

static enum qp_kind type_of(const struct program *p, uint8_t slot)
{
	for (unsigned int i = 0; i < p->ncalls; i++)
		if (slot != NO_OBJ && p->call[i].result == slot &&
		    verb_info((enum verb)p->call[i].verb)->makes == OBJ_QP)
			return qp_kind_of(
				(int)literal_of(p, &p->call[i], F_qp_type));
	return QK_NR;
}

static bool add_setting(struct samples *s, const struct program *p,
			const struct setting *from)
{
	const struct value *v = &from->value;
	bool names =
		(v->kind == VAL_OBJ || v->kind == VAL_OUT) && v->ref != NO_OBJ;

	if (!grow((void **)&s->setting, s->nsettings, &s->settings_room,
		  sizeof(*s->setting)))
		return false;
	s->setting[s->nsettings++] = (struct sample_setting){
		.is = *from,
		.kind = names ? p->object[v->ref].kind : OBJ_NONE,
	};
	return true;
}

static bool add_call(struct samples *s, const struct program *p,
		     const struct call *c)
{
	if (!grow((void **)&s->call, s->n, &s->room, sizeof(*s->call)))
		return false;
	s->call[s->n++] = (struct sample){
		.verb = c->verb,
		.type = (uint8_t)type_of(p, c->on),
		.keeps = c->result != NO_OBJ,
		.nset = c->nset,
		.first = (uint32_t)s->nsettings,
	};
	for (unsigned int i = 0; i < c->nset; i++)
		if (!add_setting(s, p, &p->setting[c->first + i]))
			return false;
	return true;
}

bool samples_add(struct samples *s, const struct program *p)
{
	for (unsigned int i = 0; i < p->ncalls; i++)
		if (!add_call(s, p, &p->call[i]))
			return false;
	return true;
}

/* In the order in which they came, where the verb is the same. */
static int by_verb(const void *a, const void *b)
{
	const struct sample *one = a, *other = b;

	if (one->verb != other->verb)
		return one->verb - other->verb;
	return one->first < other->first ? -1 : one->first > other->first;
}

void samples_sort(struct samples *s)
{
	size_t at = 0;

	if (s->n)
		qsort(s->call, s->n, sizeof(*s->call), by_verb);
	for (unsigned int verb = 0; verb <= VERB_NR; verb++) {
		while (at < s->n && s->call[at].verb < verb)
			at++;
		s->first[verb] = at;
	}
}

const struct sample *samples_pick(const struct samples *s, struct chance *c,
				  enum verb verb, enum qp_kind type)
{
	size_t first = s->first[verb], n = s->first[verb + 1] - first;
	const struct sample *pick = NULL;

	for (int tries = 0; n && tries < TRIES; tries++) {
		pick = &s->call[first + chance_below(c, (unsigned int)n)];
		if (type == QK_NR || pick->type == type)
			break;
	}
	return pick;
}

void samples_free(struct samples *s)
{
	free(s->call);
	free(s->setting);
	*s = (struct samples){0};
}

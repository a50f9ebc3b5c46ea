/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps calls without their programs. A value that names an object keeps the
 * slot, by which two of the same object are told from two others.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/new_call.h"
#include "fuzz/samples.h"
#include "fuzz/seeds.h"
#include "program/text.h"

enum { TRIES = 8, PATIENCE_MS = 10 };

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

enum qp_kind sample_type(const struct program *p, uint8_t slot)
{
	for (unsigned int i = 0; i < p->ncalls; i++)
		if (slot != NO_OBJ && p->call[i].result == slot &&
		    verb_info((enum verb)p->call[i].verb)->makes == OBJ_QP)
			return qp_kind_of(
				(int)literal_of(p, &p->call[i], F_qp_type));
	return QK_NR;
}

/* Who takes it waits for little. */
static struct setting brief(struct setting s)
{
	if (is_patience((enum field)s.field) && s.value.num > PATIENCE_MS)
		s.value.num = PATIENCE_MS;
	return s;
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
		.is = brief(*from),
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
		.type = (uint8_t)sample_type(p, c->on),
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

/* --- Of cases ------------------------------------------------------------- */

/* A bit for each call that is there, by what it is given: a few that are alike
 * in theirs are taken for the same. */
#define SEEN_BITS 20

struct gathering {
	struct samples *to;
	uint8_t seen[(1 << SEEN_BITS) / 8];
};

static uint64_t mixed(uint64_t hash, uint64_t with)
{
	return (hash ^ with) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

/* Slots count by the order in which the call names them. */
static uint64_t hash_call(const struct program *p, const struct call *c)
{
	uint64_t hash = mixed(c->verb, sample_type(p, c->on));
	uint8_t as[PROG_MAX_OBJECTS] = {0}, n = 0;

	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *s = &p->setting[c->first + i];
		const struct value *v = &s->value;
		uint8_t ref = v->ref;

		if ((v->kind == VAL_OBJ || v->kind == VAL_OUT) &&
		    ref != NO_OBJ) {
			if (!as[ref])
				as[ref] = ++n;
			ref = as[ref];
		}
		hash = mixed(hash, s->field);
		hash = mixed(hash, (uint64_t)v->kind << 32 | ref);
		hash = mixed(hash, (uint64_t)v->num);
	}
	return hash;
}

static bool gather(const struct test_case *c, void *arg)
{
	struct gathering *g = arg;
	const struct program *p = c->program;

	for (unsigned int i = 0; i < p->ncalls; i++) {
		uint64_t at = hash_call(p, &p->call[i]) >> (64 - SEEN_BITS);
		uint8_t bit = (uint8_t)(1u << at % 8);

		if (p->call[i].verb == V_modify_qp || g->seen[at / 8] & bit)
			continue;
		g->seen[at / 8] |= bit;
		if (!add_call(g->to, p, &p->call[i]))
			return false;
	}
	return true;
}

struct samples *samples_of_cases(const struct device_info *d)
{
	struct gathering *g = calloc(1, sizeof(*g));
	struct samples *s = calloc(1, sizeof(*s));

	if (g && s) {
		g->to = s;
		if (!seed_cases(d, PROFILE_QUICK, gather, g)) {
			samples_sort(s);
			free(g);
			return s;
		}
		samples_free(s);
	}
	free(g);
	free(s);
	return NULL;
}

/* --- Picking -------------------------------------------------------------- */

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

unsigned int samples_of(const struct samples *s, enum verb verb)
{
	return (unsigned int)(s->first[verb + 1] - s->first[verb]);
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

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps calls without their programs. A value that names an object keeps the
 * slot, which tells whether two values name the same object.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/mutate/edit.h"
#include "fuzz/mutate/new_call.h"
#include "fuzz/mutate/samples.h"
#include "fuzz/hunt/seeds.h"
#include "program/text.h"

enum { TRIES = 8, PATIENCE_MS = 10 };

/* Makes room for one more element. Returns false without memory. */
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

enum qp_kind sample_type(const struct program *p, const struct call *c)
{
	int made = making_call(p, c->on);

	if (verb_info((enum verb)c->verb)->makes != OBJ_QP)
		c = made < 0 ? NULL : &p->call[made];
	if (!c || verb_info((enum verb)c->verb)->makes != OBJ_QP)
		return QK_NR;
	return qp_kind_of((int)literal_of(p, c, F_qp_type));
}

/* Shortens waits: a call that takes this value must not wait long. */
static struct setting shorten_wait(struct setting s)
{
	if (field_is_wait_time((enum field)s.field) &&
	    s.value.num > PATIENCE_MS)
		s.value.num = PATIENCE_MS;
	return s;
}

static bool add_setting(struct samples *s, const struct program *p,
			const struct setting *from)
{
	const struct value *v = &from->value;
	if (!grow((void **)&s->setting, s->nsettings, &s->settings_room,
		  sizeof(*s->setting)))
		return false;
	s->setting[s->nsettings++] = (struct sample_setting){
		.is = shorten_wait(*from),
		.kind = value_names_object(v) ? p->object[v->ref].kind
					      : OBJ_NONE,
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
		.type = (uint8_t)sample_type(p, c),
		.keeps = c->result != NO_OBJ,
		.nset = c->nset,
		.first = (uint32_t)s->nsettings,
		.maker = NO_SAMPLE,
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

/* --- Generated cases ------------------------------------------------------ */

/* A hash table of calls by their values. Different calls with the same hash
 * count as one, which is rare. */
#define PLACE_BITS 20

struct gathering {
	struct samples *to;
	bool failed;		      /* no memory */
	uint32_t at[1 << PLACE_BITS]; /* number of the sample, from 1 */
};

static uint64_t mixed(uint64_t hash, uint64_t with)
{
	return (hash ^ with) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

/* Slots are numbered in the order in which the call names them. */
static uint64_t hash_call(const struct program *p, const struct call *c)
{
	uint64_t hash = mixed(c->verb, sample_type(p, c));
	uint8_t as[PROG_MAX_OBJECTS] = {0}, n = 0;

	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *s = &p->setting[c->first + i];
		const struct value *v = &s->value;
		uint8_t ref = v->ref;

		if (value_names_object(v)) {
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

/* Finds or adds the sample for a call. Returns false without memory. */
static bool find_sample(struct gathering *g, const struct program *p,
			const struct call *c, uint32_t *number)
{
	uint32_t *at = &g->at[hash_call(p, c) >> (64 - PLACE_BITS)];

	if (!*at) {
		if (!add_call(g->to, p, c))
			return false;
		*at = (uint32_t)g->to->n;
	}
	*number = *at - 1;
	return true;
}

static bool add_member(struct samples *s, uint32_t number)
{
	if (!grow((void **)&s->member, s->nmembers, &s->members_room,
		  sizeof(*s->member)))
		return false;
	s->member[s->nmembers++] = number;
	return true;
}

/* Adds the calls of a program but ibv_modify_qp. number[] gets the sample of
 * each call. */
static bool add_members(struct gathering *g, const struct program *p,
			uint32_t number[])
{
	for (unsigned int i = 0; i < p->ncalls; i++) {
		number[i] = NO_SAMPLE;
		if (p->call[i].verb != V_modify_qp &&
		    (!find_sample(g, p, &p->call[i], &number[i]) ||
		     !add_member(g->to, number[i])))
			return false;
	}
	return true;
}

/* Sets case and maker of the samples that are new. */
static void link_samples(struct samples *s, const struct program *p,
			 const uint32_t number[], size_t before)
{
	for (unsigned int i = 0; i < p->ncalls; i++) {
		int made = making_call(p, p->call[i].on);
		struct sample *is;

		if (number[i] == NO_SAMPLE || number[i] < before)
			continue;
		is = &s->call[number[i]];
		is->of = (uint32_t)s->ncases;
		is->maker = made < 0 ? NO_SAMPLE : number[made];
	}
}

/* Adds a case, unless all of its calls are known. */
static bool gather(const struct test_case *c, void *arg)
{
	struct gathering *g = arg;
	struct samples *s = g->to;
	size_t before = s->n, first = s->nmembers;
	uint32_t number[PROG_MAX_CALLS];

	g->failed = !grow((void **)&s->of, s->ncases, &s->cases_room,
			  sizeof(*s->of)) ||
		    !add_members(g, c->program, number);
	if (g->failed)
		return false;
	if (s->n == before) {
		s->nmembers = first;
		return true;
	}
	link_samples(s, c->program, number, before);
	s->of[s->ncases++] = (struct sample_case){
		.first = (uint32_t)first,
		.n = (uint32_t)(s->nmembers - first),
	};
	return true;
}

/* Returns 0 or -errno. */
static int gather_all(struct samples *s, const struct device_info *d)
{
	struct gathering *g = calloc(1, sizeof(*g));
	int ret = -ENOMEM;

	if (g) {
		g->to = s;
		ret = seed_cases(d, PROFILE_QUICK, gather, g);
	}
	if (!ret && (g->failed || !samples_sort(s)))
		ret = -ENOMEM;
	free(g);
	return ret;
}

struct samples *samples_of_cases(const struct device_info *d)
{
	struct samples *s = calloc(1, sizeof(*s));
	int ret = s ? gather_all(s, d) : -ENOMEM;

	if (!ret)
		return s;
	if (s)
		samples_free(s);
	free(s);
	errno = -ret;
	return NULL;
}

/* --- Picking -------------------------------------------------------------- */

bool samples_sort(struct samples *s)
{
	size_t n = 0;

	s->by_verb = calloc(s->n + 1, sizeof(*s->by_verb));
	if (!s->by_verb)
		return false;
	for (unsigned int verb = 0; verb < VERB_NR; verb++) {
		s->first[verb] = n;
		for (size_t i = 0; i < s->n; i++)
			if (s->call[i].verb == verb)
				s->by_verb[n++] = (uint32_t)i;
	}
	s->first[VERB_NR] = n;
	return true;
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
		pick = &s->call[s->by_verb[first +
					   chance_below(c, (unsigned int)n)]];
		if (type == QK_NR || pick->type == type)
			break;
	}
	return pick;
}

const struct sample *samples_beside(const struct samples *s, struct chance *c,
				    const struct sample *of, enum verb verb,
				    enum qp_kind type, bool maker)
{
	const struct sample_case *from = &s->of[of->of];
	const struct sample *pick = NULL;
	unsigned int n = 0;

	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t number = s->member[from->first + i];
		const struct sample *is = &s->call[number];

		if (is->verb == verb && is->type == type &&
		    (!maker || number == of->maker) && !chance_below(c, ++n))
			pick = is;
	}
	return pick;
}

void samples_free(struct samples *s)
{
	free(s->call);
	free(s->setting);
	free(s->of);
	free(s->member);
	free(s->by_verb);
	*s = (struct samples){0};
}

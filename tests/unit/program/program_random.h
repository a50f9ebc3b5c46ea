/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes random programs from a seed: any verb, with any field and any kind of
 * value that the verb can have.
 */
#ifndef IBVET_PROGRAM_RANDOM_H
#define IBVET_PROGRAM_RANDOM_H

#include "program/text.h"
#include "tests/unit/program/program_check.h"

/* xorshift64: a seed gives the same programs everywhere. */
static uint64_t rnd(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static unsigned int below(uint64_t *seed, unsigned int n)
{
	return (unsigned int)(rnd(seed) % n);
}

struct maker {
	struct program p;
	uint64_t seed;
	uint8_t slot[OBJ_KIND_NR];     /* last object of each kind, or NO_OBJ */
	uint8_t out[PROG_MAX_OBJECTS]; /* the verb that made a slot */
	bool reads[VERB_NR][FIELD_NR], writes[VERB_NR][FIELD_NR];
};

static void any_value(struct program *p, enum field f)
{
	if (field_info(f)->kind == FK_OBJ)
		prog_obj(p, f, NO_OBJ);
	else if (field_info(f)->kind == FK_GID)
		prog_mygid(p, f);
	else
		prog_num(p, f, 1);
}

/* Returns true if the verb has the field as input or output, by trying to build
 * a call. */
static bool has_field(enum verb verb, enum field f, bool output)
{
	enum object_kind on = verb_info(verb)->on;
	enum object_kind makes = verb_info(verb)->makes;
	static struct program p;
	uint8_t made;

	prog_init(&p);
	made = makes == OBJ_NONE ? NO_OBJ : prog_new(&p, makes);
	prog_call(&p, verb, made, on == OBJ_NONE ? NO_OBJ : prog_new(&p, on));
	if (output)
		prog_expect(&p, 0);
	any_value(&p, f);
	return prog_ok(&p);
}

static void learn_fields(struct maker *m)
{
	for (int v = 0; v < VERB_NR; v++) {
		const struct verb_info *info = verb_info((enum verb)v);

		for (unsigned int f = 0; f < FIELD_NR; f++) {
			enum family fam = field_info((enum field)f)->family;

			if (fam == info->in)
				m->reads[v][f] = has_field(
					(enum verb)v, (enum field)f, false);
			if (fam == info->out || fam == info->out2)
				m->writes[v][f] = has_field(
					(enum verb)v, (enum field)f, true);
		}
	}
}

static void maker_init(struct maker *m, uint64_t seed)
{
	prog_init(&m->p);
	m->seed = seed;
	memset(m->slot, NO_OBJ, sizeof(m->slot));
}

static void random_gid(struct maker *m, enum field f)
{
	union ibv_gid gid;

	memset(&gid, 0, sizeof(gid));
	for (int i = 0; i < 16; i++)
		if (below(&m->seed, 2))
			gid.raw[i] = (uint8_t)rnd(&m->seed);
	prog_gid(&m->p, f, &gid);
}

static int64_t random_plus(struct maker *m)
{
	static const int64_t plus[] = {0,	0,	1,	   -1,
				       1000000, -65536, INT64_MAX, -INT64_MAX};

	return plus[below(&m->seed, COUNT(plus))];
}

/* Sets a field to an output of an earlier object. Returns false if there is
 * none. */
static bool random_output(struct maker *m, enum field f)
{
	bool gid = field_info(f)->kind == FK_GID;

	for (int tries = 0; tries < 40 && m->p.nobjects; tries++) {
		uint8_t slot = (uint8_t)below(&m->seed, m->p.nobjects);
		unsigned int of = below(&m->seed, FIELD_NR);
		const struct field_info *info = field_info((enum field)of);

		if (slot == m->p.call[m->p.ncalls - 1].result ||
		    !m->writes[m->out[slot]][of] || info->kind == FK_OBJ ||
		    (info->kind == FK_GID) != gid)
			continue;
		prog_out(&m->p, f, slot, (enum field)of,
			 gid ? 0 : random_plus(m));
		return true;
	}
	return false;
}

static void random_number(struct maker *m, enum field f)
{
	static const char *const symbols[] = {
#define SYMBOL(name, expr) #name,
#include "program/symbols.def"
	};
	uint64_t num = rnd(&m->seed) >> below(&m->seed, 64);

	switch (literal_only(f) ? 0 : below(&m->seed, 6)) {
	case 1:
		prog_limit(&m->p, f, (enum limit)below(&m->seed, LIM_NR),
			   random_plus(m));
		break;
	case 2:
		prog_sym(&m->p, f, symbols[below(&m->seed, COUNT(symbols))],
			 random_plus(m));
		break;
	case 3:
		if (random_output(m, f))
			break;
		/* fall through */
	default:
		prog_num(&m->p, f, below(&m->seed, 4) ? num % 12 : num);
		break;
	}
}

static void random_value(struct maker *m, enum field f)
{
	const struct field_info *info = field_info(f);

	if (info->kind == FK_OBJ) {
		prog_obj(&m->p, f, m->slot[info->names]);
		return;
	}
	if (info->kind != FK_GID) {
		random_number(m, f);
		return;
	}
	if (below(&m->seed, 3) == 0)
		prog_mygid(&m->p, f);
	else if (below(&m->seed, 2) || !random_output(m, f))
		random_gid(m, f);
}

static void add_fields(struct maker *m, enum family fam, uint8_t verb,
		       bool output, unsigned int one_of)
{
	for (unsigned int i = 0; i < family_count(fam); i++) {
		unsigned int f = family_first(fam) + i;

		if ((output ? m->writes : m->reads)[verb][f] &&
		    below(&m->seed, one_of) == 0)
			random_value(m, (enum field)f);
	}
}

/* Adds a call of this verb with each field with a chance of 1 in `one_of`.
 * Returns false if an object for the call is missing. */
static bool add_call(struct maker *m, enum verb verb, unsigned int one_of)
{
	static const int errs[] = {0, EINVAL, EOPNOTSUPP, 1234, 32767};
	const struct verb_info *info = verb_info(verb);
	uint8_t on = m->slot[info->on], result = NO_OBJ;

	if (on == NO_OBJ && info->on != OBJ_NONE &&
	    (info->on != OBJ_CTX || verb == V_close_device))
		return false;
	if (m->p.ncalls >= PROG_MAX_CALLS ||
	    m->p.nsettings + 130 > PROG_MAX_SETTINGS ||
	    (info->conv == CONV_PTR && m->p.nobjects >= PROG_MAX_OBJECTS))
		return false;
	if (info->makes != OBJ_NONE && m->p.nobjects < PROG_MAX_OBJECTS)
		result = prog_new(&m->p, info->makes);
	prog_call(&m->p, verb, result, on);
	add_fields(m, info->in, (uint8_t)verb, false, one_of);
	if (verb == V_modify_qp && m->slot[OBJ_QUERY] != NO_OBJ &&
	    below(&m->seed, 2))
		prog_from(&m->p, m->slot[OBJ_QUERY]);
	if (one_of == 1 || below(&m->seed, 2)) {
		prog_expect(&m->p, errs[below(&m->seed, COUNT(errs))]);
		add_fields(m, info->out, (uint8_t)verb, true, one_of);
		add_fields(m, info->out2, (uint8_t)verb, true, one_of);
	}
	if (result != NO_OBJ) {
		m->slot[info->makes] = result;
		m->out[result] = (uint8_t)verb;
	}
	return true;
}

static void random_program(struct maker *m, uint64_t seed)
{
	unsigned int calls;

	maker_init(m, seed);
	calls = below(&m->seed, 30);
	if (below(&m->seed, 2))
		strcpy(m->p.about, "one line\n\n  and three more\n");
	add_call(m, V_alloc_pd, 1);
	add_call(m, V_create_cq, 2);
	add_call(m, V_create_qp, 2);
	for (unsigned int i = 0; i < calls; i++)
		add_call(m, (enum verb)below(&m->seed, VERB_NR),
			 1 + below(&m->seed, 6));
}

#endif

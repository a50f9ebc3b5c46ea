/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides the objects and values of a new call. Objects are existing ones, or
 * made before the call. Most values are legal; some are at the edge of a field,
 * a limit or a set of names.
 */
#include <string.h>
#include "fuzz/mutate/edit.h"
#include "fuzz/mutate/like_case.h"
#include "fuzz/mutate/new_call.h"
#include "program/text.h"

static unsigned int below(struct changer *c, unsigned int n)
{
	return chance_below(&c->chance, n);
}

/* Returns an object of the kind, mostly the last one, or NO_OBJ. */
static uint8_t any_object(struct changer *c, enum object_kind kind)
{
	const struct program *p = &c->made;
	uint8_t found = NO_OBJ;
	unsigned int n = 0;

	for (uint8_t i = 0; i < p->nobjects; i++)
		if (p->object[i].kind == kind && (++n == 1 || below(c, 3)))
			found = i;
	return found;
}

/* --- Values --------------------------------------------------------------- */

static uint64_t any_name(struct changer *c, enum field f)
{
	const struct name *first =
		name_first((enum name_set)field_info(f)->names);
	const struct name *pick = first;
	unsigned int n = 0;

	for (const struct name *at = first; at; at = name_next(at))
		if (!below(c, ++n))
			pick = at;
	return pick ? pick->value : below(c, 8);
}

static uint64_t edge(struct changer *c, enum field f)
{
	uint64_t bits = chance_bits(&c->chance);
	unsigned int shift = below(c, field_info(f)->size * 8u);

	switch (below(c, 6)) {
	case 0:
		return 0;
	case 1:
		return field_max(f);
	case 2:
		return UINT64_C(1) << shift;
	case 3:
		return (UINT64_C(1) << shift) - 1;
	case 4:
		return bits >> below(c, 64);
	default:
		return 1 + below(c, 16);
	}
}

bool field_is_wait_time(enum field f)
{
	return f == F_poll_timeout || f == F_event_timeout ||
	       f == F_connect_timeout || f == F_join_timeout ||
	       f == F_race_timeout || f == F_wait_ack_after ||
	       f == F_cntr_timeout;
}

static uint64_t any_number(struct changer *c, enum field f)
{
	if (field_is_wait_time(f))
		return below(c, 2) * 10u;
	switch (field_info(f)->kind) {
	case FK_ENUM:
		return below(c, 16) ? any_name(c, f) : edge(c, f);
	case FK_FLAGS:
		return below(c, 2) ? any_name(c, f)
				   : any_name(c, f) | any_name(c, f);
	default:
		return below(c, 3) ? below(c, 9) : edge(c, f);
	}
}

static void next_to_limit(struct changer *c, struct value *v)
{
	v->kind = VAL_LIMIT;
	v->ref = (uint8_t)below(c, LIM_NR);
	v->num = (int64_t)below(c, 3) - 1;
}

static void any_output(struct changer *c, enum field f, struct value *v)
{
	const struct program *p = &c->made;
	enum field of = (enum field)below(c, FIELD_NR);
	uint8_t slot;
	int maker;

	if (!p->nobjects)
		return;
	slot = (uint8_t)below(c, p->nobjects);
	maker = maker_of(p, slot);
	if (f == F_dest_qp_num || f == F_send_remote_qpn)
		of = F_qp_num;
	if (maker < 0 || !verb_writes((enum verb)maker, of))
		return;
	v->kind = VAL_OUT;
	v->ref = slot;
	v->field = (uint16_t)of;
	v->num = 0;
}

/* Sometimes takes a value that a generated case gives the field. */
static bool case_value(struct changer *c, enum field f, struct value *v)
{
	return c->values && !field_is_wait_time(f) && !below(c, 3) &&
	       values_pick(c->values, &c->chance, f, v);
}

/* Adds 1 to a field's number, or subtracts 1. It may overflow. */
static int64_t next_to(struct changer *c, int64_t number)
{
	uint64_t step = below(c, 2) ? 1 : UINT64_MAX;

	return (int64_t)((uint64_t)number + step);
}

void new_value(struct changer *c, unsigned int call, unsigned int n,
	       struct value *v)
{
	const struct program *p = &c->made;
	enum field f = (enum field)p->setting[p->call[call].first + n].field;
	enum field_kind kind = field_info(f)->kind;

	if (kind == FK_GID)
		return;
	if (kind == FK_OBJ) {
		v->ref = any_object(c, (enum object_kind)field_info(f)->names);
		v->kind = VAL_OBJ;
		return;
	}
	if (case_value(c, f, v))
		return;
	if (literal_only(f) || field_is_wait_time(f) || below(c, 6)) {
		if (v->kind == VAL_NUM && !field_is_wait_time(f) &&
		    !below(c, 3))
			v->num = next_to(c, v->num);
		else
			v->num = (int64_t)any_number(c, f);
		v->kind = VAL_NUM;
		v->ref = 0;
		return;
	}
	if (below(c, 2))
		next_to_limit(c, v);
	else
		any_output(c, f, v);
}

/* --- Calls ---------------------------------------------------------------- */

/* New objects may need new objects themselves, to this depth. */
enum { DEPTH = 3 };

static uint8_t find_or_make(struct changer *c, enum object_kind kind,
			    int depth);

static void name_object(struct changer *c, enum field f, uint8_t slot)
{
	if (slot != NO_OBJ)
		prog_obj(&c->made, f, slot);
}

/* Returns true for a field that decides whether others are used at all. A new
 * call always sets it. */
static bool is_needed(enum field f)
{
	switch (f) {
	case F_qp_type:
	case F_mask:
	case F_cqe:
	case F_srq_max_wr:
	case F_max_send_wr:
	case F_max_recv_wr:
	case F_max_send_sge:
	case F_max_recv_sge:
	case F_send_num_sge:
	case F_recv_num_sge:
	case F_poll_max:
	case F_poll_timeout:
	case F_event_timeout:
		return true;
	default:
		return false;
	}
}

static bool takes_field(struct changer *c, enum field f)
{
	if (field_info(f)->kind == FK_OBJ)
		return below(c, 8) != 0;
	return is_needed(f) || !below(c, 3);
}

/* The objects of a call, which are found or made before the call is added. */
struct objects {
	int n;
	struct {
		enum field field;
		uint8_t slot;
	} at[8];
};

static void find_objects(struct changer *c, enum verb verb, int depth,
			 struct objects *all)
{
	enum family fam = verb_info(verb)->in;

	all->n = 0;
	for (unsigned int i = 0; i < family_count(fam) && all->n < 8; i++) {
		enum field f = (enum field)(family_first(fam) + i);

		if (field_info(f)->kind != FK_OBJ || !verb_reads(verb, f) ||
		    !takes_field(c, f))
			continue;
		all->at[all->n].field = f;
		all->at[all->n++].slot = find_or_make(
			c, (enum object_kind)field_info(f)->names, depth);
	}
}

static void put_values(struct changer *c, enum verb verb)
{
	enum family fam = verb_info(verb)->in;
	struct program *p = &c->made;
	struct value known;

	for (unsigned int i = 0; i < family_count(fam); i++) {
		enum field f = (enum field)(family_first(fam) + i);
		enum field_kind kind = field_info(f)->kind;

		if (kind == FK_OBJ || !verb_reads(verb, f) ||
		    !takes_field(c, f))
			continue;
		if (kind == FK_GID)
			prog_mygid(p, f);
		else
			prog_num(p, f, any_number(c, f));
		if (case_value(c, f, &known))
			edit_value(p, p->ncalls - 1u,
				   p->call[p->ncalls - 1].nset - 1u, &known);
	}
}

static bool add_call(struct changer *c, enum verb verb, int depth,
		     uint8_t *result)
{
	const struct verb_info *info = verb_info(verb);
	struct program *p = &c->made;
	struct objects objects;
	uint8_t on = NO_OBJ;

	*result = NO_OBJ;
	if (info->on != OBJ_NONE && info->on != OBJ_CTX)
		on = find_or_make(c, info->on, depth);
	if (info->on != OBJ_NONE && info->on != OBJ_CTX && on == NO_OBJ)
		return false;
	find_objects(c, verb, depth, &objects);
	if (p->ncalls >= CHANGE_MAX_CALLS || p->nobjects >= PROG_MAX_OBJECTS)
		return false;
	if (info->makes != OBJ_NONE)
		*result = prog_new(p, info->makes);
	prog_call(p, verb, *result, on);
	for (int i = 0; i < objects.n; i++)
		name_object(c, objects.at[i].field, objects.at[i].slot);
	put_values(c, verb);
	if (c->calls && below(c, 2))
		like_case(c, p->ncalls - 1u);
	return true;
}

/* Returns an existing object of a kind, or makes one; NO_OBJ if neither can be.
 */
static uint8_t find_or_make(struct changer *c, enum object_kind kind, int depth)
{
	uint8_t slot = any_object(c, kind);

	if ((slot != NO_OBJ && below(c, 8)) || depth == 0)
		return slot;
	for (int tries = 0; tries < 2 * VERB_NR; tries++) {
		enum verb verb = (enum verb)c->verb[below(c, c->nverbs)];

		if (verb_info(verb)->makes != kind)
			continue;
		add_call(c, verb, depth - 1, &slot);
		return slot;
	}
	return slot;
}

void new_call(struct changer *c)
{
	uint8_t result;

	add_call(c, (enum verb)c->verb[below(c, c->nverbs)], DEPTH, &result);
}

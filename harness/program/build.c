/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds programs call by call. A value that does not fit, or that the verb
 * cannot take, marks the program as broken, so that callers check once at the
 * end.
 */
#include <errno.h>
#include <string.h>
#include "program/text.h"

/* Only the counts are cleared: nothing behind them is read. */
void prog_init(struct program *p)
{
	p->ncalls = 0;
	p->nsettings = 0;
	p->nobjects = 0;
	p->broken = false;
	memset(p->about, 0, sizeof(p->about));
}

void prog_copy(struct program *to, const struct program *from)
{
	to->ncalls = from->ncalls;
	to->nsettings = from->nsettings;
	to->nobjects = from->nobjects;
	to->broken = from->broken;
	memcpy(to->call, from->call, from->ncalls * sizeof(to->call[0]));
	memcpy(to->setting, from->setting,
	       from->nsettings * sizeof(to->setting[0]));
	memcpy(to->object, from->object,
	       from->nobjects * sizeof(to->object[0]));
	memcpy(to->about, from->about, sizeof(to->about));
}

bool prog_ok(const struct program *p)
{
	return !p->broken;
}

/* Returns a slot whose object is gone, or a new slot. */
static uint8_t free_slot(const struct program *p)
{
	uint8_t slot = 0;

	while (slot < p->nobjects && p->object[slot].kind != OBJ_NONE)
		slot++;
	return slot;
}

uint8_t prog_new(struct program *p, enum object_kind kind)
{
	struct prog_object *o;
	unsigned int number = 0;
	uint8_t slot = free_slot(p);

	if (slot >= PROG_MAX_OBJECTS) {
		p->broken = true;
		return NO_OBJ;
	}
	for (unsigned int i = 0; i < p->nobjects; i++)
		number += p->object[i].kind == kind;
	o = &p->object[slot];
	o->kind = (uint8_t)kind;
	snprintf(o->name, sizeof(o->name), "%s%u", object_prefix(kind), number);
	if (slot == p->nobjects)
		p->nobjects++;
	return slot;
}

static bool is_kind(const struct program *p, uint8_t slot,
		    enum object_kind kind)
{
	return slot < p->nobjects && p->object[slot].kind == kind;
}

/* Returns false for the object that the last call creates: it cannot be an
 * input of the call. */
static bool is_made(const struct program *p, uint8_t slot)
{
	return p->ncalls && p->call[p->ncalls - 1].result != slot;
}

/* Returns true if a call of the verb can be on the object. Only the context of
 * the worker has no name; no program closes it. */
static bool fits_on(const struct program *p, enum verb verb, uint8_t on)
{
	enum object_kind kind = verb_info(verb)->on;

	if (on == NO_OBJ)
		return (kind == OBJ_CTX && verb != V_close_device) ||
		       kind == OBJ_NONE;
	return is_kind(p, on, kind);
}

/* Returns true if a call can have this result. A verb that returns a pointer
 * needs a slot for its object. */
static bool fits_result(const struct program *p, enum verb verb, uint8_t result)
{
	const struct verb_info *v = verb_info(verb);

	if (result == NO_OBJ)
		return v->conv != CONV_PTR;
	return is_kind(p, result, v->makes);
}

struct call *prog_call(struct program *p, enum verb verb, uint8_t result,
		       uint8_t on)
{
	struct call *c;

	if (p->ncalls >= PROG_MAX_CALLS) {
		p->broken = true;
		return &p->call[PROG_MAX_CALLS - 1];
	}
	if (!fits_on(p, verb, on) || !fits_result(p, verb, result))
		p->broken = true;
	c = &p->call[p->ncalls++];
	memset(c, 0, sizeof(*c));
	c->verb = (uint8_t)verb;
	c->result = result;
	c->on = on;
	c->from = NO_OBJ;
	c->first = p->nsettings;
	c->efirst = p->nsettings;
	return c;
}

static struct call *last_call(struct program *p)
{
	if (!p->ncalls) {
		p->broken = true;
		return NULL;
	}
	return &p->call[p->ncalls - 1];
}

const struct setting *find_setting(const struct program *p, unsigned int first,
				   unsigned int n, enum field f)
{
	for (unsigned int i = first; i < first + n; i++)
		if (p->setting[i].field == f)
			return &p->setting[i];
	return NULL;
}

/* Returns the setting of a field in the last call, or a new one. */
static struct setting *place(struct program *p, struct call *c, enum field f)
{
	unsigned int first = c->expects ? c->efirst : c->first;
	unsigned int n = c->expects ? c->nexp : c->nset;

	for (unsigned int i = first; i < first + n; i++)
		if (p->setting[i].field == f)
			return &p->setting[i];
	if (p->nsettings >= PROG_MAX_SETTINGS)
		return NULL;
	if (c->expects)
		c->nexp++;
	else
		c->nset++;
	return &p->setting[p->nsettings++];
}

bool literal_only(enum field f)
{
	return f == F_mask || f == F_poison || f == F_open_which ||
	       f == F_link_action || f == F_link_amount;
}

uint64_t literal_of(const struct program *p, const struct call *c, enum field f)
{
	const struct setting *s = find_setting(p, c->first, c->nset, f);

	return s ? (uint64_t)s->value.num : 0;
}

bool value_allowed(enum field f, const struct value *v)
{
	enum field_kind kind = field_info(f)->kind;

	switch ((enum value_kind)v->kind) {
	case VAL_OBJ:
		return kind == FK_OBJ;
	case VAL_GID:
	case VAL_MYGID:
		return kind == FK_GID;
	case VAL_OUT:
		if (kind == FK_OBJ || field_info(v->field)->kind == FK_OBJ)
			return false;
		return (kind == FK_GID) ==
			       (field_info(v->field)->kind == FK_GID) &&
		       !literal_only(f);
	case VAL_LIMIT:
	case VAL_SYM:
		return kind != FK_OBJ && kind != FK_GID && !literal_only(f);
	case VAL_NUM:
		break;
	}
	return kind != FK_OBJ && kind != FK_GID;
}

static void add(struct program *p, enum field f, const struct value *v)
{
	struct call *c = last_call(p);
	struct setting *s;
	bool takes;

	if (!c)
		return;
	takes = c->expects ? verb_writes((enum verb)c->verb, f)
			   : verb_reads((enum verb)c->verb, f);
	if (!takes || !value_allowed(f, v)) {
		p->broken = true;
		return;
	}
	s = place(p, c, f);
	if (!s) {
		p->broken = true;
		return;
	}
	s->field = (uint16_t)f;
	s->value = *v;
}

static struct value number_value(enum value_kind kind, unsigned int ref,
				 int64_t num)
{
	struct value v;

	memset(&v, 0, sizeof(v));
	v.kind = (uint8_t)kind;
	v.ref = (uint8_t)ref;
	v.num = num;
	return v;
}

void prog_num(struct program *p, enum field f, uint64_t num)
{
	struct value v = number_value(VAL_NUM, 0, number_cut(f, num));

	add(p, f, &v);
}

void prog_obj(struct program *p, enum field f, uint8_t slot)
{
	struct value v = number_value(VAL_OBJ, slot, 0);

	if (slot != NO_OBJ &&
	    (!is_made(p, slot) ||
	     !is_kind(p, slot, (enum object_kind)field_info(f)->names))) {
		p->broken = true;
		return;
	}
	add(p, f, &v);
}

void prog_limit(struct program *p, enum field f, enum limit lim, int64_t plus)
{
	struct value v = number_value(VAL_LIMIT, (unsigned int)lim, plus);

	add(p, f, &v);
}

void prog_sym(struct program *p, enum field f, const char *name, int64_t plus)
{
	int sym = symbol_by_name(name);
	struct value v;

	if (sym < 0) {
		p->broken = true;
		return;
	}
	v = number_value(VAL_SYM, (unsigned int)sym, plus);
	add(p, f, &v);
}

void prog_out(struct program *p, enum field f, uint8_t slot, enum field of,
	      int64_t plus)
{
	struct value v = number_value(VAL_OUT, slot, plus);
	int verb = maker_of(p, slot);

	if (verb < 0 || !is_made(p, slot) ||
	    !verb_writes((enum verb)verb, of)) {
		p->broken = true;
		return;
	}
	v.field = (uint16_t)of;
	add(p, f, &v);
}

void prog_gid(struct program *p, enum field f, const union ibv_gid *gid)
{
	struct value v = number_value(VAL_GID, 0, 0);

	v.gid = *gid;
	add(p, f, &v);
}

void prog_mygid(struct program *p, enum field f)
{
	struct value v = number_value(VAL_MYGID, DEVICE_FIRST, 0);

	add(p, f, &v);
}

void prog_second_gid(struct program *p, enum field f)
{
	struct value v = number_value(VAL_MYGID, DEVICE_SECOND, 0);

	add(p, f, &v);
}

void prog_from(struct program *p, uint8_t query_slot)
{
	struct call *c = last_call(p);

	if (!c)
		return;
	if (c->verb != V_modify_qp || !is_kind(p, query_slot, OBJ_QUERY)) {
		p->broken = true;
		return;
	}
	c->from = query_slot;
}

void prog_expect(struct program *p, int err)
{
	struct call *c = last_call(p);

	if (!c)
		return;
	if (!c->expects)
		c->efirst = p->nsettings;
	c->expects = true;
	c->expect_err = (int16_t)err;
}

int making_call(const struct program *p, uint8_t slot)
{
	for (int i = 0; i < p->ncalls && slot != NO_OBJ; i++)
		if (p->call[i].result == slot)
			return i;
	return -1;
}

int maker_of(const struct program *p, uint8_t slot)
{
	int made = making_call(p, slot);

	return made < 0 ? -1 : p->call[made].verb;
}

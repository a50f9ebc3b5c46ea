// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes a program again for two devices. Each call is made on the device of
 * its objects. A call about an object of both sides becomes two calls, one for
 * each of the two objects. Addresses lead to the other device, and symbols mean
 * the device that the call is made on.
 */
#include <string.h>
#include "cases/across/across.h"
#include "program/text.h"

struct move {
	const struct program *from;
	struct program *to;
	const struct device_info *d;
	bool back;
	struct sides sides;
	uint8_t slot[2][PROG_MAX_OBJECTS]; /* of side A, of side B */
	uint8_t ctx;			   /* of the second device */
	enum across_why why;
};

static const char *const texts[ACROSS_NR] = {
	[ACROSS_MOVED] = "moved",
#define WHY(id, text) [ACROSS_##id] = text,
#include "cases/across/why.def"
};

const char *across_text(enum across_why why)
{
	return texts[why];
}

static bool is_second(const struct move *m, unsigned int side)
{
	return (side == SIDE_B) != m->back;
}

static uint8_t slot_of(const struct move *m, unsigned int side, uint8_t slot)
{
	return slot < PROG_MAX_OBJECTS ? m->slot[side == SIDE_B][slot] : NO_OBJ;
}

/* --- Values ------------------------------------------------------------------
 */

static bool is_destination(enum field f)
{
	return f == F_ah_dgid || f == F_alt_dgid || f == F_addr_dgid ||
	       f == F_ah_dlid || f == F_alt_dlid || f == F_addr_dlid;
}

/* Returns the symbol with the same meaning for the second device, or SYM_NR. */
static unsigned int second_symbol(unsigned int sym)
{
	switch (sym) {
	case SYM_port:
		return SYM_second_port;
	case SYM_gid_index:
		return SYM_second_gid_index;
	case SYM_lid:
		return SYM_second_lid;
	default:
		return SYM_NR;
	}
}

/* Both ends of a connection have the same path MTU, which both ports can have
 * (IBTA, ModifyQP: the path MTU is at most that of the port). */
static void move_symbol(const struct move *m, bool second, struct value *v)
{
	unsigned int sym = v->ref;

	if (sym == SYM_mtu) {
		v->ref = SYM_link_mtu;
	} else if (sym == SYM_mtu_bytes) {
		v->ref = SYM_link_mtu_bytes;
	} else if (second && second_symbol(sym) != SYM_NR) {
		v->ref = (uint8_t)second_symbol(sym);
	} else if (second) {
		v->kind = VAL_NUM;
		v->num += symbol_value(sym, m->d->second);
	}
}

/* Returns true if a GID is one of the first device. */
static bool is_own(const struct device_info *d, const union ibv_gid *gid)
{
	for (int port = 0; port < d->nports; port++)
		for (int i = 0; i < d->port[port].ngids; i++)
			if (!memcmp(&d->port[port].gid[i].gid, gid,
				    sizeof(*gid)))
				return true;
	return false;
}

/* The GID of connections becomes that of the device that is meant. */
static void move_gid(struct move *m, bool second, struct value *v)
{
	const struct gid_entry *usual = device_gid(m->d);

	if (!is_own(m->d, &v->gid))
		return;
	if (!usual || memcmp(&usual->gid, &v->gid, sizeof(v->gid))) {
		m->why = ACROSS_OWN_GID;
		return;
	}
	v->kind = VAL_MYGID;
	v->ref = second;
}

static bool is_source(enum field f)
{
	return f == F_ah_sgid_index || f == F_alt_sgid_index ||
	       f == F_addr_sgid_index;
}

static void move_value(struct move *m, unsigned int side, const struct call *c,
		       const struct setting *from, struct value *v)
{
	bool local = c->on < PROG_MAX_OBJECTS && m->sides.local[c->on];
	bool leaves = is_destination((enum field)from->field) && !local;
	bool second = is_second(m, side);

	switch ((enum value_kind)v->kind) {
	case VAL_SYM:
		move_symbol(m, second != leaves, v);
		return;
	case VAL_MYGID:
		v->ref = second != leaves;
		return;
	case VAL_GID:
		move_gid(m, second != leaves, v);
		return;
	case VAL_LIMIT:
		if (!second)
			return;
		v->kind = VAL_NUM;
		v->num += (int64_t)m->d->second->limit[v->ref];
		return;
	case VAL_OBJ:
	case VAL_OUT:
		if (across_is_remote(m->from, &m->sides, c, from))
			side = SIDE_BOTH ^ side;
		v->ref = slot_of(m, side, v->ref);
		if (v->ref == NO_OBJ)
			m->why = ACROSS_BOTH_ENDS;
		return;
	case VAL_NUM:
		if (second && is_source((enum field)from->field) &&
		    v->num == m->d->gid_index)
			v->num = m->d->second->gid_index;
		return;
	}
}

static void put_setting(struct move *m, const struct setting *set)
{
	struct program *to = m->to;

	if (to->nsettings >= PROG_MAX_SETTINGS) {
		m->why = ACROSS_TOO_LARGE;
		return;
	}
	to->setting[to->nsettings++] = *set;
}

static void move_settings(struct move *m, unsigned int side,
			  const struct call *c, unsigned int first,
			  unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct setting *from = &m->from->setting[first + i];
		struct setting set = *from;

		if (set.value.ref != NO_OBJ ||
		    (set.value.kind != VAL_OBJ && set.value.kind != VAL_OUT))
			move_value(m, side, c, from, &set.value);
		put_setting(m, &set);
	}
}

/* --- Calls -------------------------------------------------------------------
 */

/* Gives the call's result a slot on a side. Of polled completions only those
 * have one that a later call of the side uses. */
static uint8_t new_result(struct move *m, unsigned int side,
			  const struct call *c)
{
	const enum object_kind kind =
		(enum object_kind)m->from->object[c->result].kind;
	uint8_t slot;

	if (kind == OBJ_WC && !(m->sides.of[c->result] & side))
		return NO_OBJ;
	slot = prog_new(m->to, kind);
	m->slot[side == SIDE_B][c->result] = slot;
	return slot;
}

static uint8_t object_of(const struct move *m, unsigned int side,
			 const struct call *c)
{
	if (c->on != NO_OBJ)
		return slot_of(m, side, c->on);
	if (verb_info((enum verb)c->verb)->on == OBJ_CTX && is_second(m, side))
		return m->ctx;
	return NO_OBJ;
}

/* What comes to the two queues of a call that is made twice may come to either,
 * so that such a call expects nothing. */
static void move_call(struct move *m, unsigned int side, const struct call *c,
		      bool twice)
{
	const uint8_t result =
		c->result == NO_OBJ ? NO_OBJ : new_result(m, side, c);
	struct call *to = prog_call(m->to, (enum verb)c->verb, result,
				    object_of(m, side, c));

	to->from = slot_of(m, side, c->from);
	to->first = m->to->nsettings;
	move_settings(m, side, c, c->first, c->nset);
	to->nset = (uint16_t)(m->to->nsettings - to->first);
	to->efirst = m->to->nsettings;
	if (!c->expects || twice)
		return;
	to->expects = true;
	to->expect_err = c->expect_err;
	move_settings(m, side, c, c->efirst, c->nexp);
	to->nexp = (uint16_t)(m->to->nsettings - to->efirst);
}

static void move_calls(struct move *m)
{
	for (int i = 0; i < m->from->ncalls && m->why == ACROSS_MOVED; i++) {
		const struct call *c = &m->from->call[i];
		unsigned int sides = across_call_sides(m->from, &m->sides, c);

		if (sides & SIDE_A)
			move_call(m, SIDE_A, c, sides == SIDE_BOTH);
		if (sides & SIDE_B)
			move_call(m, SIDE_B, c, sides == SIDE_BOTH);
		if (!prog_ok(m->to))
			m->why = ACROSS_TOO_LARGE;
	}
}

enum across_why across_move(const struct program *from,
			    const struct device_info *d, bool back,
			    struct program *to)
{
	struct move m = {.from = from, .to = to, .d = d, .back = back};

	prog_init(to);
	m.why = across_sides(from, &m.sides);
	if (m.why != ACROSS_MOVED)
		return m.why;
	memset(m.slot, NO_OBJ, sizeof(m.slot));
	memcpy(to->about, from->about, sizeof(to->about));
	m.ctx = prog_new(to, OBJ_CTX);
	prog_call(to, V_open_device, m.ctx, NO_OBJ);
	prog_num(to, F_open_which, DEVICE_SECOND);
	move_calls(&m);
	return m.why;
}

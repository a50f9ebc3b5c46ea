// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds out which end of a connection each object of a program belongs to.
 * Connected queue pairs are on different sides. An object is on the sides of
 * the calls that name it, and of the objects that are made from it.
 */
#include <string.h>
#include "cases/across/across.h"
#include "contract/count.h"

#define MCAST_QPN 0xffffff /* the destination of messages to a group */

bool across_is_note(enum object_kind kind)
{
	return kind == OBJ_QUERY || kind == OBJ_WC || kind == OBJ_KEY ||
	       kind == OBJ_ECE || kind == OBJ_TAG;
}

static enum object_kind kind_of(const struct program *p, unsigned int slot)
{
	return slot < p->nobjects ? (enum object_kind)p->object[slot].kind
				  : OBJ_NONE;
}

static const struct setting *setting_of(const struct program *p,
					const struct call *c, enum field f)
{
	for (unsigned int i = 0; i < c->nset; i++)
		if (p->setting[c->first + i].field == f)
			return &p->setting[c->first + i];
	return NULL;
}

/* Returns the queue pair whose number a value is, or NO_OBJ. */
static uint8_t numbered_qp(const struct program *p, const struct value *v)
{
	if (v->kind != VAL_OUT || v->num)
		return NO_OBJ;
	if (kind_of(p, v->ref) == OBJ_QP)
		return v->ref;
	if (kind_of(p, v->ref) != OBJ_QUERY)
		return NO_OBJ;
	for (int i = 0; i < p->ncalls; i++)
		if (p->call[i].result == v->ref)
			return p->call[i].on;
	return NO_OBJ;
}

/* --- Connections -------------------------------------------------------------
 */

/* The queue pairs that each queue pair sends to, as bits. */
struct links {
	uint64_t to[PROG_MAX_OBJECTS];
};

static void join(struct links *l, unsigned int a, unsigned int b)
{
	l->to[a] |= UINT64_C(1) << b;
	l->to[b] |= UINT64_C(1) << a;
}

/* A message to a group goes to all its members. */
static void join_members(const struct program *p, struct links *l, uint8_t from)
{
	for (int i = 0; i < p->ncalls; i++)
		if (p->call[i].verb == V_attach_mcast && p->call[i].on != from)
			join(l, from, p->call[i].on);
}

static void join_by(const struct program *p, struct links *l,
		    const struct call *c, const struct setting *set)
{
	static const enum field numbers[] = {F_dest_qp_num, F_send_remote_qpn,
					     F_send_odd_remote_qpn};
	uint8_t peer;

	if (set->field == F_connect_peer)
		join(l, c->on, set->value.ref);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		if (set->field != numbers[i])
			continue;
		peer = numbered_qp(p, &set->value);
		if (peer != NO_OBJ)
			join(l, c->on, peer);
		else if (set->value.kind == VAL_NUM &&
			 set->value.num == MCAST_QPN)
			join_members(p, l, c->on);
	}
}

static void find_links(const struct program *p, struct links *l)
{
	memset(l, 0, sizeof(*l));
	for (int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];

		for (unsigned int n = 0; n < c->nset; n++)
			if (kind_of(p, c->on) == OBJ_QP)
				join_by(p, l, c, &p->setting[c->first + n]);
	}
}

/* Puts a queue pair on a side, those that it is connected to on the other
 * side, and so on. *twice: one of them would have to be on both. */
static void spread(const struct links *l, struct sides *s, unsigned int qp,
		   uint8_t side, uint64_t *reached, bool *twice)
{
	s->of[qp] = side;
	*reached |= UINT64_C(1) << qp;
	for (unsigned int i = 0; i < PROG_MAX_OBJECTS; i++) {
		if (!(l->to[qp] >> i & 1))
			continue;
		if (!(*reached >> i & 1))
			spread(l, s, i, SIDE_BOTH ^ side, reached, twice);
		else if (s->of[i] == side)
			*twice = true;
	}
}

static bool posts(const struct program *p, unsigned int qp)
{
	for (int i = 0; i < p->ncalls; i++)
		if (p->call[i].on == qp &&
		    verb_info((enum verb)p->call[i].verb)->in == FAM_SEND)
			return true;
	return false;
}

/* Leaves queue pairs that are connected to nobody else on side A. */
static enum across_why place(const struct program *p, const struct links *l,
			     struct sides *s, unsigned int qp, bool *crosses)
{
	uint64_t reached = 0, alone = UINT64_C(1) << qp;
	bool twice = false;

	spread(l, s, qp, SIDE_A, &reached, &twice);
	if (twice && (reached != alone || posts(p, qp)))
		return ACROSS_SAME_END;
	s->local[qp] = twice;
	*crosses |= reached != alone;
	return ACROSS_MOVED;
}

static enum across_why place_queue_pairs(const struct program *p,
					 struct sides *s)
{
	enum across_why why = ACROSS_MOVED;
	bool crosses = false;
	struct links l;

	find_links(p, &l);
	for (int i = 0; i < p->ncalls && why == ACROSS_MOVED; i++) {
		uint8_t made = p->call[i].result;

		if (kind_of(p, made) == OBJ_QP && !s->of[made])
			why = place(p, &l, s, made, &crosses);
	}
	if (why != ACROSS_MOVED)
		return why;
	return crosses ? ACROSS_MOVED : ACROSS_NO_PAIR;
}

/* --- Calls that stay on one device -------------------------------------------
 */

static enum across_why check_call(const struct program *p, const struct call *c)
{
	switch (c->verb) {
	case V_open_device:
	case V_import_device:
	case V_close_device:
	case V_import_pd:
	case V_import_dm:
		return ACROSS_CONTEXT;
	case V_connect:
		return setting_of(p, c, F_connect_peer) ? ACROSS_MOVED
							: ACROSS_CONNECT;
	case V_post_and_poll:
		return ACROSS_ONE_CALL;
	default:
		return ACROSS_MOVED;
	}
}

/* --- Objects -----------------------------------------------------------------
 */

/* Returns true if the invalidated key is one of the other side. */
static bool invalidates_there(const struct program *p, const struct call *c)
{
	const struct setting *op = setting_of(p, c, F_send_opcode);

	return op && op->value.kind == VAL_NUM &&
	       op->value.num == IBV_WR_SEND_WITH_INV;
}

bool across_is_remote(const struct program *p, const struct sides *s,
		      const struct call *c, const struct setting *set)
{
	if (c->on < PROG_MAX_OBJECTS && s->local[c->on])
		return false;
	switch (set->field) {
	case F_dest_qp_num:
	case F_send_remote_qpn:
	case F_send_odd_remote_qpn:
		return set->value.kind == VAL_OUT &&
		       kind_of(p, set->value.ref) != OBJ_WC;
	case F_connect_peer:
	case F_send_remote:
	case F_send_rkey:
	case F_send_odd_rkey:
	case F_send_remote_srqn:
	case F_send_odd_remote_srqn:
		return true;
	case F_send_invalidate_rkey:
		return invalidates_there(p, c);
	default:
		return false;
	}
}

unsigned int across_call_sides(const struct program *p, const struct sides *s,
			       const struct call *c)
{
	if (c->result != NO_OBJ && !across_is_note(kind_of(p, c->result)))
		return s->of[c->result];
	if (c->on != NO_OBJ)
		return s->of[c->on];
	return c->verb == V_get_async_event ? SIDE_BOTH : SIDE_A;
}

static unsigned int other(unsigned int sides)
{
	return (sides & SIDE_A ? SIDE_B : 0u) | (sides & SIDE_B ? SIDE_A : 0u);
}

static bool add(struct sides *s, unsigned int slot, unsigned int sides)
{
	uint8_t before;

	if (slot >= PROG_MAX_OBJECTS)
		return false;
	before = s->of[slot];
	s->of[slot] |= (uint8_t)sides;
	return s->of[slot] != before;
}

/* Takes over what a call says of the sides of the objects that it names. */
static bool take(const struct program *p, struct sides *s, const struct call *c)
{
	unsigned int sides = across_call_sides(p, s, c);
	bool changed = false;

	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *set = &p->setting[c->first + i];

		if (across_names(set))
			changed |= add(s, set->value.ref,
				       across_is_remote(p, s, c, set)
					       ? other(sides)
					       : sides);
	}
	changed |= add(s, c->from, sides);
	if (c->result != NO_OBJ)
		changed |= add(s, c->on, s->of[c->result]);
	return changed;
}

/* Returns true if an object of this kind can be two objects. */
static bool can_be_two(enum object_kind kind)
{
	static const bool can[OBJ_KIND_NR] = {
		[OBJ_PD] = true,   [OBJ_TD] = true,	 [OBJ_MR] = true,
		[OBJ_DM] = true,   [OBJ_CHANNEL] = true, [OBJ_CQ] = true,
		[OBJ_SRQ] = true,  [OBJ_XRCD] = true,	 [OBJ_AH] = true,
		[OBJ_DMAH] = true, [OBJ_KEY] = true,
	};

	return can[kind];
}

/* Returns true for a vendor's region. Requests configure it, which would be
 * those of one end alone. */
static bool is_configured(const struct program *p, unsigned int slot)
{
	if (kind_of(p, slot) != OBJ_MR)
		return false;
	for (int i = 0; i < p->ncalls; i++)
		if (p->call[i].result == slot)
			return verb_is_vendors((enum verb)p->call[i].verb);
	return false;
}

static void settle(const struct program *p, struct sides *s)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (int i = p->ncalls - 1; i >= 0; i--)
			changed |= take(p, s, &p->call[i]);
	}
}

enum across_why across_sides(const struct program *p, struct sides *s)
{
	enum across_why why = ACROSS_MOVED;

	memset(s, 0, sizeof(*s));
	for (int i = 0; i < p->ncalls && why == ACROSS_MOVED; i++)
		why = check_call(p, &p->call[i]);
	if (why == ACROSS_MOVED)
		why = place_queue_pairs(p, s);
	if (why != ACROSS_MOVED)
		return why;
	settle(p, s);
	for (unsigned int i = 0; i < p->nobjects; i++)
		if (!s->of[i] && !across_is_note(kind_of(p, i)))
			s->of[i] = SIDE_A;
	settle(p, s);
	for (unsigned int i = 0; i < p->nobjects; i++)
		if (s->of[i] == SIDE_BOTH &&
		    (!can_be_two(kind_of(p, i)) || is_configured(p, i)))
			return ACROSS_BOTH_ENDS;
	return ACROSS_MOVED;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps the set of points, and decides which points a call adds. The outcome of
 * the call does not matter. A call of ibv_modify_qp tries a field if the
 * program sets the field and the mask has its attribute; the call tries the
 * pair of states that the transition asks for.
 */
#include <stdlib.h>
#include <string.h>
#include "contract/opcodes.h"
#include "coverage/coverage.h"
#include "coverage/point.h"

void coverage_init(struct coverage *c, bool keep_fresh)
{
	memset(c, 0, sizeof(*c));
	c->keep_fresh = keep_fresh;
}

void coverage_free(struct coverage *c)
{
	free(c->slot);
	free(c->fresh);
	coverage_init(c, false);
}

/* Returns the slot of the key, or the empty slot where the key belongs. */
static uint64_t *find_slot(uint64_t *slots, size_t room, uint64_t key)
{
	uint64_t hash = (key ^ (key >> 29)) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (room - 1);

	while (slots[at] && slots[at] != key)
		at = (at + 1) & (room - 1);
	return &slots[at];
}

static bool grow(struct coverage *c)
{
	size_t room = c->room ? 2 * c->room : 1024;
	uint64_t *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < c->room; i++)
		if (c->slot[i])
			*find_slot(slots, room, c->slot[i]) = c->slot[i];
	free(c->slot);
	c->slot = slots;
	c->room = room;
	return true;
}

static bool add_fresh(struct coverage *c, uint64_t key)
{
	if (c->nfresh == c->fresh_room) {
		size_t room = c->fresh_room ? 2 * c->fresh_room : 64;
		uint64_t *grown;

		grown = realloc(c->fresh, room * sizeof(*grown));
		if (!grown)
			return false;
		c->fresh = grown;
		c->fresh_room = room;
	}
	c->fresh[c->nfresh++] = key;
	return true;
}

static void add_key(struct coverage *c, uint64_t key)
{
	uint64_t *slot;

	if (4 * (c->used + 1) > 3 * c->room && !grow(c)) {
		c->failed = true;
		return;
	}
	slot = find_slot(c->slot, c->room, key);
	if (*slot)
		return;
	*slot = key;
	c->used++;
	if (c->keep_fresh && !add_fresh(c, key))
		c->failed = true;
}

static void add(struct coverage *c, struct point point)
{
	add_key(c, point_key(&point));
}

void qp_states_init(struct qp_states *q)
{
	memset(q->kind, QK_NR, sizeof(q->kind));
	memset(q->state, 0, sizeof(q->state));
}

static void try_fields(struct coverage *c, enum qp_kind kind,
		       const struct program *p, int index, uint32_t mask)
{
	const struct call *call = &p->call[index];

	for (int i = 0; i < call->nset; i++) {
		enum field f = p->setting[call->first + i].field;
		int bit = field_attr(f);

		if (bit >= 0 && (mask >> bit) & 1)
			add(c, (struct point){.what = POINT_FIELD,
					      .kind = (uint8_t)kind,
					      .id = (uint32_t)f});
	}
}

static void try_modify(struct coverage *c, struct qp_states *q,
		       const struct program *p, int index,
		       const struct bound *b, const struct outcome *o)
{
	const struct qp_attr_args *in = &b->in.qp_attr;
	unsigned int to = q->state[b->on];
	enum qp_kind kind = q->kind[b->on];

	if (in->mask & A_STATE)
		to = (unsigned int)in->attr.qp_state;
	if (kind == QK_NR || to >= STATE_NR)
		return;
	add(c, (struct point){.what = POINT_MASK,
			      .kind = (uint8_t)kind,
			      .from = q->state[b->on],
			      .to = (uint8_t)to,
			      .id = in->mask});
	try_fields(c, kind, p, index, in->mask);
	if (o && !outcome_error(b->verb, o))
		q->state[b->on] = (uint8_t)to;
}

/* Adds one operation for a list of requests, because all its requests have the
 * same opcode. */
static void try_post(struct coverage *c, const struct qp_states *q,
		     const struct bound *b)
{
	bool recv = verb_info(b->verb)->in == FAM_RECV;
	uint32_t opcode = recv ? POST_RECV : b->in.wr.opcode;

	if (q->kind[b->on] == QK_NR || (!recv && !opcode_of(opcode)))
		return;
	add(c, (struct point){.what = POINT_POST,
			      .kind = q->kind[b->on],
			      .from = q->state[b->on],
			      .id = opcode});
}

static bool is_post(enum verb verb)
{
	const struct verb_info *v = verb_info(verb);

	return v->on == OBJ_QP && (v->in == FAM_SEND || v->in == FAM_RECV);
}

/* Notes the type and state of a queue pair that the call created or opened. */
static void note_qp(struct qp_states *q, const struct bound *b,
		    const struct outcome *o, enum qp_kind kind)
{
	if (!o || b->result == NO_OBJ || outcome_error(b->verb, o))
		return;
	q->kind[b->result] = (uint8_t)kind;
	q->state[b->result] = IBV_QPS_RESET;
	if (b->verb == V_open_qp && o->out.qp_init.state < STATE_NR)
		q->state[b->result] = (uint8_t)o->out.qp_init.state;
}

/* Notes the state that ibv_query_qp returned, which may be SQE or ERR without a
 * call of ibv_modify_qp. */
static void note_query(struct qp_states *q, const struct bound *b,
		       const struct outcome *o)
{
	unsigned int state = STATE_NR;

	if (o && (b->in.qp_attr.mask & A_STATE) && !outcome_error(b->verb, o))
		state = (unsigned int)o->out.qp_attr.attr.qp_state;
	if (state < STATE_NR)
		q->state[b->on] = (uint8_t)state;
}

void coverage_call(struct coverage *c, struct qp_states *q,
		   const struct program *p, int index, const struct bound *b,
		   const struct outcome *o)
{
	add(c, (struct point){.what = POINT_VERB, .id = b->verb});
	if (is_post(b->verb) && b->on < PROG_MAX_OBJECTS)
		try_post(c, q, b);
	switch (b->verb) {
	case V_modify_qp:
		if (b->on < PROG_MAX_OBJECTS)
			try_modify(c, q, p, index, b, o);
		break;
	case V_query_qp:
		if (b->on < PROG_MAX_OBJECTS)
			note_query(q, b, o);
		break;
	case V_create_qp:
	case V_create_qp_ex:
		note_qp(q, b, o, qp_init_kind(&b->in.qp_init));
		break;
	case V_open_qp:
		note_qp(q, b, o, qp_kind_of((int)b->in.open_qp.qp_type));
		break;
	default:
		if (verb_creates_vendors(b->verb))
			note_qp(q, b, o, qp_init_kind(&b->in.qp_init));
		break;
	}
}

void coverage_row(struct coverage *c, enum row row)
{
	if (row != ROW_NONE)
		add(c, (struct point){.what = POINT_ROW, .id = row});
}

json_t *coverage_fresh(struct coverage *c)
{
	json_t *points = c->nfresh ? json_array() : NULL;
	char text[POINT_TEXT];

	for (size_t i = 0; points && i < c->nfresh; i++) {
		struct point point = point_of_key(c->fresh[i]);

		point_print(&point, text, sizeof(text));
		json_array_append_new(points, json_string(text));
	}
	c->nfresh = 0;
	return points;
}

void coverage_join(struct coverage *c, const json_t *points)
{
	struct point point;

	for (size_t i = 0; i < json_array_size(points); i++) {
		const json_t *text = json_array_get(points, i);

		if (json_is_string(text) &&
		    point_parse(json_string_value(text), &point))
			add(c, point);
	}
}

void coverage_union(struct coverage *c, const struct coverage *other)
{
	for (size_t i = 0; i < other->room; i++)
		if (other->slot[i])
			add_key(c, other->slot[i]);
}

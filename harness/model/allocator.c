/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Allocators of parent domains. How many buffers a library asks for is its own
 * matter; that it asks for queues of the domain alone, gives each buffer back,
 * and takes NULL for an error, is not.
 */
#include "model/internal.h"

static bool has_buffers(enum object_kind kind)
{
	return kind == OBJ_QP || kind == OBJ_CQ || kind == OBJ_SRQ ||
	       kind == OBJ_WQ;
}

/* Returns the domain in which the call makes a queue, or NO_OBJ. */
static uint16_t domain_of(const struct step *s, enum object_kind kind)
{
	const union args *in = &s->b->in;
	uint16_t on = s->b->on;

	if (on != NO_OBJ && s->m->object[on].kind == OBJ_PD)
		return on;
	switch (kind) {
	case OBJ_QP:
		return in->qp_init.pd;
	case OBJ_SRQ:
		return in->srq.pd;
	case OBJ_WQ:
		return in->wq.pd;
	case OBJ_CQ:
		return in->cq.parent_domain;
	default:
		return NO_OBJ;
	}
}

static struct model_buffers *buffers_of(struct model *m, uint16_t pd)
{
	if (pd == NO_OBJ || m->object[pd].kind != OBJ_PD ||
	    !m->object[pd].buffers.kind)
		return NULL;
	return &obj(m, pd)->buffers;
}

static bool gives(const struct model_buffers *b)
{
	return b->asks && b->kind == ALLOCATOR_GIVES;
}

static bool fails(const struct model_buffers *b)
{
	return b->asks && (b->kind == ALLOCATOR_FAILS ||
			   b->kind == ALLOCATOR_FAILS_SECOND);
}

void allocator_set(const struct step *s, struct object *pd)
{
	const struct parent_args *in = &s->b->in.parent;

	pd->buffers.kind = (uint8_t)in->allocator;
	pd->buffers.asks =
		in->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
}

void allocator_check(struct step *s, struct faults *f, enum object_kind kind)
{
	struct model_buffers *b =
		has_buffers(kind) ? buffers_of(s->m, domain_of(s, kind)) : NULL;

	if (!b)
		return;
	b->tried++;
	if (!fails(b))
		return;
	b->asked++;
	if (!mutant_skips(s->mutant, ROW_ALLOCATOR_NULL))
		add_fault(s, f, ROW_ALLOCATOR_FAILS);
}

void allocator_resized(struct step *s, const struct object *o)
{
	for (int i = 0; i < o->nparents; i++) {
		struct model_buffers *b = buffers_of(s->m, o->parent[i]);

		if (!b)
			continue;
		b->tried++;
		b->ended++;
	}
}

void allocator_made(struct model *m, const struct object *o, uint16_t parent)
{
	struct model_buffers *b = has_buffers((enum object_kind)o->kind)
					  ? buffers_of(m, parent)
					  : NULL;

	if (!b)
		return;
	b->made++;
	b->asked += b->asks && !fails(b);
	b->held += gives(b);
}

void allocator_ended(struct model *m, const struct object *o)
{
	if (!has_buffers((enum object_kind)o->kind))
		return;
	for (int i = 0; i < o->nparents; i++) {
		struct model_buffers *b = buffers_of(m, o->parent[i]);

		if (!b)
			continue;
		b->ended++;
		b->held -= b->held > 0;
	}
}

/* Returns the row that the calls of alloc rest on, and sets *most to how many
 * there can be. */
static enum row asked_row(const struct model_buffers *b, uint32_t *most)
{
	bool all_made = b->made == b->tried;

	*most = UINT32_MAX;
	if (!b->asks)
		*most = 0;
	else if (!b->tried)
		*most = b->last_asked;
	else if (b->kind == ALLOCATOR_FAILS && all_made)
		*most = b->last_asked;
	else if (b->kind == ALLOCATOR_FAILS_SECOND && all_made)
		*most = b->last_asked ? b->last_asked : 1;
	if (!b->asks)
		return ROW_ALLOCATOR_MASKED;
	return b->tried && fails(b) ? ROW_ALLOCATOR_NULL : ROW_ALLOCATOR_OWN;
}

/* Seeded faults: buffers of queues that are none of the domain's. */
static uint32_t own_asked(const struct step *s, const struct model_buffers *b)
{
	if (mutant_skips(s->mutant, ROW_ALLOCATOR_MASKED) && !b->asks)
		return b->tried;
	if (mutant_skips(s->mutant, ROW_ALLOCATOR_OWN) && !b->tried)
		return b->asked + 1;
	return b->asked;
}

static void count_asked(struct step *s, struct model_buffers *b)
{
	uint32_t most;
	enum row row = asked_row(b, &most);
	uint32_t value =
		(uint32_t)answer_seen(s, F_buffers_asked, own_asked(s, b));

	record_row(s, row);
	if (is_oracle(s) && value > most)
		value = most;
	answer_define(s, F_buffers_asked, value, row);
	b->last_asked = value;
}

/* Seeded faults: a queue's buffers that stay behind, or go away before it. */
static uint32_t own_held(const struct step *s, const struct model_buffers *b)
{
	if (mutant_skips(s->mutant, ROW_ALLOCATOR_FREED))
		return b->held + b->ended;
	if (mutant_skips(s->mutant, ROW_ALLOCATOR_KEPT) && b->counted)
		return 0;
	return b->held;
}

static void count_held(struct step *s, struct model_buffers *b)
{
	uint32_t value =
		(uint32_t)answer_seen(s, F_buffers_kept, own_held(s, b));
	uint32_t least = 0, most = UINT32_MAX;

	if (!object_is_used(s->m, s->b->on))
		most = 0;
	else if (!b->made && !b->ended)
		most = b->last_held;
	if (most && !b->ended)
		least = b->last_held;
	record_row(s, ROW_ALLOCATOR_FREED);
	record_row(s, ROW_ALLOCATOR_KEPT);
	if (is_oracle(s) && value < least)
		answer_define(s, F_buffers_kept, least, ROW_ALLOCATOR_KEPT);
	else if (is_oracle(s) && value > most)
		answer_define(s, F_buffers_kept, most, ROW_ALLOCATOR_FREED);
	else
		answer_define(s, F_buffers_kept, value, ROW_ALLOCATOR_FREED);
	b->last_held = value;
}

/* A count that is 0 on a device without the seeded fault. */
static void count_none(struct step *s, enum field f, enum row row,
		       uint32_t with_fault)
{
	record_row(s, row);
	answer_define(s, f, mutant_skips(s->mutant, row) ? with_fault : 0, row);
}

void do_count_buffers(struct step *s)
{
	struct model_buffers *b = &obj(s->m, s->b->on)->buffers;

	answer_accept(s, ROW_ALLOCATOR_OWN);
	b->ended_ever |= b->ended > 0;
	count_asked(s, b);
	count_held(s, b);
	count_none(s, F_buffers_foreign, ROW_ALLOCATOR_FREE,
		   b->kind == ALLOCATOR_DEFAULT && b->ended_ever);
	count_none(s, F_buffers_strange, ROW_ALLOCATOR_CONTEXT, b->asked);
	count_none(s, F_buffers_spilled, ROW_ALLOCATOR_SIZE, b->held);
	b->tried = b->made = b->ended = 0;
	b->counted = true;
}

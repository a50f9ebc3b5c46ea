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

/* A domain that a call has in its attributes. `named`: it makes a queue there.
 */
struct domain {
	uint16_t pd;
	bool named;
};

static struct domain domain_of_qp(const struct qp_init_args *in)
{
	return (struct domain){
		.pd = in->pd,
		.named = in->comp_mask & IBV_QP_INIT_ATTR_PD &&
			 in->qp_type != IBV_QPT_XRC_RECV,
	};
}

/* Returns the domain of the call, whose `pd` can be NO_OBJ. */
static struct domain domain_of(const struct step *s, enum object_kind kind)
{
	const union args *in = &s->b->in;
	uint16_t on = s->b->on;

	if (on != NO_OBJ && s->m->object[on].kind == OBJ_PD)
		return (struct domain){on, true};
	switch (kind) {
	case OBJ_QP:
		return domain_of_qp(&in->qp_init);
	case OBJ_SRQ:
		return (struct domain){
			in->srq.pd, in->srq.comp_mask & IBV_SRQ_INIT_ATTR_PD};
	case OBJ_WQ:
		return (struct domain){in->wq.pd, true};
	case OBJ_CQ:
		return (struct domain){in->cq.parent_domain,
				       in->cq.comp_mask &
					       IBV_CQ_INIT_ATTR_MASK_PD};
	default:
		return (struct domain){NO_OBJ, false};
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

	pd->buffers.kind = in->allocator > ALLOCATOR_FAILS_SECOND
				   ? ALLOCATOR_FAILS
				   : (uint8_t)in->allocator;
	pd->buffers.asks =
		in->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
}

void allocator_check(struct step *s, struct faults *f, enum object_kind kind)
{
	const struct domain domain = domain_of(s, kind);
	struct model_buffers *b =
		has_buffers(kind) ? buffers_of(s->m, domain.pd) : NULL;

	if (!b)
		return;
	b->tried++;
	b->unnamed |= !domain.named;
	if (!fails(b) || !domain.named)
		return;
	b->asked++;
	if (!mutant_skips(s->mutant, ROW_ALLOCATOR_NULL))
		add_fault(s, f, ROW_ALLOCATOR_FAILS);
}

/* Returns the buffers of the domain of a queue, or NULL. */
static struct model_buffers *buffers_of_queue(struct model *m,
					      const struct object *o)
{
	for (int i = 0; i < o->nparents; i++)
		if (buffers_of(m, o->parent[i]))
			return buffers_of(m, o->parent[i]);
	return NULL;
}

enum row allocator_resize_row(struct step *s, const struct object *o,
			      enum row row)
{
	struct model_buffers *b = buffers_of_queue(s->m, o);

	if (!b)
		return row;
	b->tried++;
	return fails(b) && row_accepts(row) ? ROW_ALLOCATOR_FAILS : row;
}

void allocator_resized(struct model *m, const struct object *o)
{
	struct model_buffers *b = buffers_of_queue(m, o);

	if (!b)
		return;
	b->made++;
	b->ended++;
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
	b->kept += gives(b);
}

void allocator_ended(struct model *m, const struct object *o)
{
	struct model_buffers *b = has_buffers((enum object_kind)o->kind)
					  ? buffers_of_queue(m, o)
					  : NULL;

	if (!b)
		return;
	b->ended++;
	b->kept -= b->kept > 0;
}

/* Returns true if a queue of the domain is there. */
static bool has_queues(const struct model *m, uint16_t pd)
{
	for (int i = 0; i < m->top; i++)
		if (object_is_child(&m->object[i], pd) &&
		    has_buffers((enum object_kind)m->object[i].kind))
			return true;
	return false;
}

/* Returns the row that the calls of alloc rest on, and sets *most to how many
 * there can be. A library may ask at any time for what is in the domain. */
static enum row asked_row(const struct step *s, const struct model_buffers *b,
			  uint32_t *most)
{
	bool all_made = b->made == b->tried;

	*most = UINT32_MAX;
	if (!b->asks) {
		*most = 0;
		return ROW_ALLOCATOR_MASKED;
	}
	if (b->counted && !b->tried && !object_is_used(s->m, s->b->on)) {
		*most = b->last_asked;
		return ROW_ALLOCATOR_OWN;
	}
	if (!fails(b) || !b->tried || !all_made)
		return ROW_ALLOCATOR_OWN;
	*most = b->last_asked;
	if (b->kind == ALLOCATOR_FAILS_SECOND && !*most)
		*most = 1;
	return ROW_ALLOCATOR_NULL;
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
	enum row row = asked_row(s, b, &most);
	uint32_t value =
		(uint32_t)answer_seen(s, F_buffers_asked, own_asked(s, b));

	record_row(s, row);
	if (fails(b))
		record_row(s, ROW_ALLOCATOR_NULL);
	if (is_oracle(s) && value > most)
		value = most;
	answer_define(s, F_buffers_asked, value, row);
	b->last_asked = value;
}

/* Seeded faults: a queue's buffers that stay behind, or go away before it. */
static uint32_t own_kept(const struct step *s, const struct model_buffers *b)
{
	if (mutant_skips(s->mutant, ROW_ALLOCATOR_FREED))
		return b->kept + b->ended;
	if (mutant_skips(s->mutant, ROW_ALLOCATOR_KEPT) && b->counted)
		return 0;
	return b->kept;
}

static void count_kept(struct step *s, struct model_buffers *b)
{
	uint32_t value =
		(uint32_t)answer_seen(s, F_buffers_kept, own_kept(s, b));
	uint32_t least = 0, most = UINT32_MAX;

	if (!b->unnamed && !has_queues(s->m, s->b->on))
		most = 0;
	else if (!b->unnamed && b->counted && !b->made)
		most = b->last_kept;
	if (most && !b->ended)
		least = b->last_kept;
	record_row(s, ROW_ALLOCATOR_FREED);
	record_row(s, ROW_ALLOCATOR_KEPT);
	if (is_oracle(s) && value < least)
		answer_define(s, F_buffers_kept, least, ROW_ALLOCATOR_KEPT);
	else if (is_oracle(s) && value > most)
		answer_define(s, F_buffers_kept, most, ROW_ALLOCATOR_FREED);
	else
		answer_define(s, F_buffers_kept, value, ROW_ALLOCATOR_FREED);
	b->last_kept = value;
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
	count_kept(s, b);
	count_none(s, F_buffers_foreign, ROW_ALLOCATOR_FOREIGN,
		   b->kind == ALLOCATOR_DEFAULT && b->ended_ever);
	count_none(s, F_buffers_strange, ROW_ALLOCATOR_CONTEXT, b->asked);
	count_none(s, F_buffers_spilled, ROW_ALLOCATOR_SIZE, b->kept);
	b->tried = b->made = b->ended = 0;
	b->counted = true;
}

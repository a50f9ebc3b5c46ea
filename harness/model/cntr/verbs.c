// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls that make completion counters, change their counts, and attach them
 * to queue pairs.
 */
#include <errno.h>
#include "model/cntr/cntr.h"

static struct model_comp_cntr *cntr_of(struct model *m, uint16_t slot)
{
	return &m->object[slot].comp_cntr;
}

/* Defines the operations that the device counts: those that it has told before,
 * if they are some of the defined ones. */
static void define_ops(struct step *s)
{
	uint64_t mine = s->d->comp_cntr_ops;
	uint64_t ops = answer_seen(s, F_cntr_ops, mine);
	bool right = ops && !(ops & ~(uint64_t)CNTR_OP_ALL);

	record_row(s, ROW_CNTR_CAPS_OPS);
	if (mutant_skips(s->mutant, ROW_CNTR_CAPS_OPS))
		mine |= 1u << CNTR_OPS;
	if (right || !is_oracle(s))
		answer_define(s, F_cntr_ops, mine, ROW_CNTR_CAPS);
	else
		answer_define(s, F_cntr_ops,
			      ops & CNTR_OP_ALL ? ops & CNTR_OP_ALL : 1,
			      ROW_CNTR_CAPS_OPS);
}

void do_query_comp_cntr_caps(struct step *s)
{
	const struct device_info *d = s->d;
	enum out effect;

	if (!d->max_comp_cntr) {
		answer_refuse(s, ROW_CNTR_CAPS_NONE,
			      choose_for_row(s, ROW_CNTR_CAPS_NONE, &effect));
		return;
	}
	answer_accept(s, ROW_CNTR_CAPS);
	record_row(s, ROW_CNTR_CAPS);
	answer_define(s, F_cntr_max,
		      mutant_skips(s->mutant, ROW_CNTR_CAPS)
			      ? d->max_comp_cntr + 1
			      : d->max_comp_cntr,
		      ROW_CNTR_CAPS);
	answer_define(s, F_cntr_max_value, d->comp_cntr_value, ROW_CNTR_CAPS);
	define_ops(s);
}

/* Adds the row for one more counter. */
static void check_cntr_number(struct step *s, struct faults *f)
{
	uint32_t alive = s->m->alive[s->device][OBJ_COMP_CNTR];

	if (alive >= s->d->max_comp_cntr)
		add_fault(s, f, ROW_CNTR_TOO_MANY);
	else if (s->b->in.cntr.type == CNTR_TYPE_BYTES)
		add_fault(s, f, ROW_CNTR_TYPE_BYTES);
	else if (alive + 1 == s->d->max_comp_cntr)
		add_fault(s, f, ROW_CNTR_NUMBER);
}

void do_create_comp_cntr(struct step *s)
{
	const struct cntr_attr *in = &s->b->in.cntr;
	struct faults f = {0};
	struct object *o;

	if (!s->d->max_comp_cntr)
		add_fault(s, &f, ROW_CNTR_UNSUPPORTED);
	else
		check_cntr_number(s, &f);
	if (in->type > CNTR_TYPE_BYTES)
		add_fault(s, &f, ROW_CNTR_TYPE);
	if (in->comp_mask)
		add_fault(s, &f, ROW_CNTR_MASK);
	if (in->flags)
		add_fault(s, &f, ROW_CNTR_FLAGS);
	o = object_make_child(s, &f, OBJ_COMP_CNTR, NO_OBJ, ROW_CNTR_ACCEPT);
	if (!o)
		return;
	s->m->comp_cntrs++;
	o->comp_cntr.bytes = in->type == CNTR_TYPE_BYTES;
	for (int e = 0; e < 2; e++) {
		o->comp_cntr.most = s->d->comp_cntr_value;
		o->comp_cntr.count[e].why = ROW_CNTR_CLEARED;
		o->comp_cntr.count[e].unknown = in->type > CNTR_TYPE_BYTES;
		if (mutant_skips(s->mutant, ROW_CNTR_CLEARED))
			o->comp_cntr.count[e].least = 1;
	}
}

/* Keeps the value that a seeded fault shows instead of the next one. */
static void keep_old(struct model_count *c)
{
	c->old = c->least;
	c->has_old = true;
}

static void set(struct step *s, enum cntr_entry entry, uint64_t value)
{
	struct model_comp_cntr *cntr = cntr_of(s->m, s->b->on);
	struct model_count *c = &cntr->count[entry];

	cntr_note_bounds(s->m, s->b->on, entry);
	if (c->moved || c->extra || cntr_pending(s->m, s->b->on))
		c->unknown = true; /* updates at the same time may be lost */
	keep_old(c);
	c->least = mutant_skips(s->mutant, ROW_CNTR_SET) ? c->least + value
							 : value;
	c->extra = 0;
	c->why = ROW_CNTR_SET;
	cntr_note_bounds(s->m, s->b->on, entry);
}

static void increment(struct step *s, enum cntr_entry entry, uint64_t amount)
{
	struct model_comp_cntr *cntr = cntr_of(s->m, s->b->on);
	struct model_count *c = &cntr->count[entry];
	bool wraps = amount > cntr->most - c->least;

	if (wraps && amount > 1)
		c->unknown = true; /* to 0, or by what is too much */
	cntr_note_bounds(s->m, s->b->on, entry);
	keep_old(c);
	c->why = wraps ? ROW_CNTR_WRAP : ROW_CNTR_INC;
	if (!mutant_skips(s->mutant, ROW_CNTR_INC))
		cntr_add(s->m, s->b->on, entry, amount);
	else
		c->least = amount;
	cntr_note_bounds(s->m, s->b->on, entry);
}

static void change(struct step *s, enum cntr_entry entry, bool sets)
{
	struct model_comp_cntr *cntr = cntr_of(s->m, s->b->on);
	uint64_t value = s->b->in.cntr_value.value;
	enum row row = sets ? ROW_CNTR_SET : ROW_CNTR_INC;
	enum out effect = OUT_OK;
	int err = 0;

	answer_accept(s, row);
	record_row(s, row);
	if (value > cntr->most)
		err = choose_for_row(s, ROW_CNTR_OVER, &effect);
	if (err) {
		answer_refuse(s, ROW_CNTR_OVER, err);
		return;
	}
	if (mutant_does_nothing(s->mutant, s->b->verb))
		return;
	if (value > cntr->most)
		cntr->count[entry].unknown = true;
	else if (sets)
		set(s, entry, value);
	else
		increment(s, entry, value);
	record_row(s, ROW_CNTR_APART);
	if (mutant_skips(s->mutant, ROW_CNTR_APART))
		cntr->count[!entry].least = cntr->count[entry].least;
}

void do_set_comp_cntr(struct step *s)
{
	change(s, CNTR_COMP, true);
}

void do_set_err_comp_cntr(struct step *s)
{
	change(s, CNTR_ERR, true);
}

void do_inc_comp_cntr(struct step *s)
{
	change(s, CNTR_COMP, false);
}

void do_inc_err_comp_cntr(struct step *s)
{
	change(s, CNTR_ERR, false);
}

/* Returns the operations that a type has, on either side. */
static uint32_t ops_of_kind(enum qp_kind kind)
{
	switch (kind) {
	case QK_RC:
		return CNTR_OP_ALL;
	case QK_UC:
		return CNTR_OP_ALL &
		       ~(CNTR_OP_RDMA_READ | CNTR_OP_REMOTE_RDMA_READ);
	case QK_UD:
		return CNTR_OP_SEND | CNTR_OP_RECV;
	default:
		return 0;
	}
}

static bool overlaps(const struct model_qp *qp, uint32_t ops)
{
	for (unsigned int i = 0; i < CNTR_OPS; i++)
		if (ops >> i & 1 && qp->counter[i])
			return true;
	return false;
}

/* A seeded fault compares the masks of two calls. */
static bool conflicts(const struct step *s, const struct model_qp *qp,
		      uint32_t ops)
{
	if (!mutant_has_quirk(s->mutant, QUIRK_CNTR_EQUAL))
		return overlaps(qp, ops);
	for (unsigned int i = 0; i < CNTR_OPS; i++)
		if (qp->counter[i] && qp->counter_mask[i] == ops)
			return true;
	return false;
}

static void check_attach(struct step *s, struct faults *f)
{
	const struct qp_cntr_args *in = &s->b->in.qp_cntr;
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	uint32_t ops = in->op_mask & CNTR_OP_ALL;

	if (in->comp_mask)
		add_fault(s, f, ROW_CNTR_ATTACH_MASK);
	if (in->op_mask & ~CNTR_OP_ALL)
		add_fault(s, f, ROW_CNTR_ATTACH_UNDEFINED);
	if (!ops)
		add_fault(s, f, ROW_CNTR_ATTACH_NOTHING);
	if (ops & ~s->d->comp_cntr_ops)
		add_fault(s, f, ROW_CNTR_ATTACH_OPS);
	if (qp->state != IBV_QPS_RESET && qp->state != IBV_QPS_INIT)
		add_fault(s, f, ROW_CNTR_ATTACH_STATE);
	if (conflicts(s, qp, ops))
		add_fault(s, f, ROW_CNTR_ATTACH_TWICE);
	if (ops & ~ops_of_kind((enum qp_kind)qp->kind))
		add_fault(s, f, ROW_CNTR_ATTACH_TYPE);
	if (!f->n)
		add_fault(s, f, ROW_CNTR_ATTACH);
}

/* Returns true if another queue pair has the counter attached. */
static bool has_another(struct step *s, uint16_t cntr)
{
	return cntr_is_attached(s, cntr) &&
	       !overlaps(qp_of(s->m, s->b->on), CNTR_OP_ALL);
}

static void attach(struct step *s, uint32_t ops)
{
	const struct qp_cntr_args *in = &s->b->in.qp_cntr;
	struct model_qp *qp = qp_of(s->m, s->b->on);
	uint16_t slot = in->comp_cntr;

	cntr_note_bounds(s->m, slot, CNTR_COMP);
	cntr_note_bounds(s->m, slot, CNTR_ERR);
	if (has_another(s, slot)) {
		cntr_of(s->m, slot)->shared = true;
		qp->counter_late = true;
	}
	for (unsigned int i = 0; i < CNTR_OPS; i++)
		if (ops >> i & 1) {
			qp->counter[i] = (uint16_t)(slot + 1);
			qp->counter_mask[i] = s->mutant ? ops : 0;
		}
	cntr_note_bounds(s->m, slot, CNTR_COMP);
	cntr_note_bounds(s->m, slot, CNTR_ERR);
}

/* For a seeded fault: returns the operations of the call that no counter
 * counts. */
static uint32_t free_ops(const struct step *s)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	uint32_t ops = s->b->in.qp_cntr.op_mask;

	for (unsigned int i = 0; i < CNTR_OPS; i++)
		if (qp->counter[i])
			ops &= ~(UINT32_C(1) << i);
	return ops;
}

void do_qp_attach_comp_cntr(struct step *s)
{
	const struct qp_cntr_args *in = &s->b->in.qp_cntr;
	struct faults f = {0};
	enum out effect;
	int err;

	/* The step itself refuses a counter of another context. */
	if (in->comp_cntr == NO_OBJ ||
	    obj(s->m, in->comp_cntr)->ctx != obj(s->m, s->b->on)->ctx) {
		answer_refuse(s, ROW_CNTR_ATTACH, EINVAL);
		return;
	}
	check_attach(s, &f);
	answer_accept(s, ROW_CNTR_ATTACH);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		if (mutant_breaks_object(s->mutant, s->a->row))
			obj(s->m, s->b->on)->broken = true;
		if (mutant_has_quirk(s->mutant, QUIRK_ATTACH_FREE))
			attach(s, free_ops(s));
	} else if (!mutant_does_nothing(s->mutant, s->b->verb)) {
		attach(s, in->op_mask);
	}
}

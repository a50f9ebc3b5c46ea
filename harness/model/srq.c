/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues: creation, limit, resizing, query.
 */
#include <errno.h>
#include "model/internal.h"
#include "model/events/events.h"

static void check_sizes(struct step *s, struct faults *f,
			const struct ibv_srq_attr *in)
{
	static const struct size_rows rows = {ROW_SRQ_ZERO, ROW_SRQ_OVER,
					      ROW_SRQ_LIMIT};
	const uint64_t *limit = s->d->limit;
	bool wr, sge;

	wr = check_size(s, f, F_srq_max_wr, in->max_wr, limit[LIM_max_srq_wr],
			&rows);
	sge = check_size(s, f, F_srq_max_sge, in->max_sge,
			 limit[LIM_max_srq_sge], &rows);
	if (wr && sge)
		add_fault(s, f, ROW_CAP_AT_LIMITS);
	else if (wr || sge)
		add_fault(s, f, ROW_SRQ_LIMIT);
}

static uint32_t grant(struct step *s, enum field f, uint32_t asked)
{
	return (uint32_t)answer_define_at_least(
		s, f, asked, mutant_grant(s->mutant, f, asked),
		ROW_SRQ_AT_LEAST);
}

/* Returns true for a number of 24 bits that no live XRC SRQ of the device has.
 */
static bool may_be_number(const struct step *s, uint64_t number)
{
	for (uint16_t i = first_of(s->m, OBJ_SRQ); i != NO_OBJ;
	     i = next_of(s->m, OBJ_SRQ, i)) {
		const struct object *o = &s->m->object[i];

		if (o->alive && o->device == s->device &&
		    o->srq.type == IBV_SRQT_XRC && o->srq.number == number)
			return false;
	}
	return number <= 0xffffff;
}

static uint32_t choose_number(struct step *s)
{
	uint64_t mine = s->m->next_srqn[s->device]++;
	uint64_t value =
		answer_define_at_least(s, F_srq_num, 0, mine, ROW_XRC_NUMBER);

	record_row(s, ROW_XRC_NUMBER);
	if (is_oracle(s) && !may_be_number(s, value)) {
		value = value == mine ? mine + 1 : mine;
		answer_define(s, F_srq_num, value, ROW_XRC_NUMBER);
	}
	return (uint32_t)value;
}

static void create(struct step *s, struct faults *f, uint16_t pd, uint8_t type)
{
	const struct srq_args *in = &s->b->in.srq;
	struct object *o;
	enum out effect;
	int err;

	if (mutant_has_quirk(s->mutant, QUIRK_LIMIT_REFUSED) &&
	    in->attr.srq_limit) {
		answer_refuse(s, ROW_NONE, EINVAL);
		return;
	}
	if (!s->d->limit[LIM_max_srq])
		add_fault(s, f, ROW_OBJ_UNSUPPORTED);
	check_sizes(s, f, &in->attr);
	check_number(s, f, OBJ_SRQ, ROW_OBJ_ACCEPT);
	answer_accept(s, ROW_OBJ_ACCEPT);
	err = choose_outcome(s, f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		if (mutant_has_quirk(s->mutant, QUIRK_SRQ_ROUNDS))
			s->a->outcome.out_written = true;
		return;
	}
	o = object_add(s, OBJ_SRQ);
	object_add_parent(s->m, o, pd);
	o->srq.type = type;
	o->srq.attr.max_wr = grant(s, F_srq_max_wr, in->attr.max_wr);
	o->srq.attr.max_sge = grant(s, F_srq_max_sge, in->attr.max_sge);
	if (in->attr.srq_limit &&
	    choose_hidden(s, ROW_SRQ_ARM_CREATE) == OUT_ARMED)
		o->srq.attr.srq_limit = in->attr.srq_limit;
	async_srq_armed(s, s->b->result);
	o->srq.cq = NO_OBJ;
	if (type == IBV_SRQT_BASIC &&
	    mutant_has_quirk(s->mutant, QUIRK_SRQ_UNMASKED))
		object_add_parent(s->m, o, in->cq);
	if (type == IBV_SRQT_BASIC)
		return;
	object_add_parent(s->m, o, in->cq);
	o->srq.cq = in->cq;
	if (type == IBV_SRQT_TM) {
		o->srq.max_num_tags = in->tm_cap.max_num_tags;
		o->srq.max_ops = in->tm_cap.max_ops;
		return;
	}
	object_add_parent(s->m, o, in->xrcd);
	o->srq.xrcd = in->xrcd;
	o->srq.number = choose_number(s);
	for (uint16_t i = first_of(s->m, OBJ_XRCD); i != NO_OBJ;
	     i = next_of(s->m, OBJ_XRCD, i))
		if (in->cq != NO_OBJ && s->m->object[i].alive &&
		    xrc_same_domain(s->m, i, in->xrcd))
			s->m->object[i].xrcd.cq = (uint16_t)(in->cq + 1);
}

void do_create_srq(struct step *s)
{
	struct faults f = {0};

	create(s, &f, s->b->on, IBV_SRQT_BASIC);
}

static void check_xrc_srq(struct step *s, struct faults *f)
{
	uint32_t both = IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;

	if (!device_flag(s->d, IBV_DEVICE_XRC))
		add_fault(s, f, ROW_OBJ_UNSUPPORTED);
	else if ((s->b->in.srq.comp_mask & both) != both)
		add_fault(s, f, ROW_SRQ_XRC);
}

static void check_tm_srq(struct step *s, struct faults *f)
{
	uint32_t both = IBV_SRQ_INIT_ATTR_TM | IBV_SRQ_INIT_ATTR_CQ;
	const struct srq_args *in = &s->b->in.srq;
	const struct ibv_tm_cap *cap = &in->tm_cap;
	const uint64_t *limit = s->d->limit;

	if ((in->comp_mask & both) != both || in->cq == NO_OBJ ||
	    !cap->max_num_tags) {
		add_fault(s, f, ROW_TM_PARTS);
		return;
	}
	if (!obj(s->m, in->cq)->cq.extended)
		add_fault(s, f, ROW_TM_PLAIN_CQ);
	if (cap->max_num_tags > mutant_limit(s->mutant, F_srq_max_num_tags,
					     cap->max_num_tags,
					     limit[LIM_tm_max_num_tags]))
		add_fault(s, f, ROW_TM_TAGS_OVER);
	if (cap->max_ops > mutant_limit(s->mutant, F_srq_max_ops, cap->max_ops,
					limit[LIM_tm_max_ops]))
		add_fault(s, f, ROW_TM_OPS_OVER);
	else if (cap->max_ops == limit[LIM_tm_max_ops])
		add_fault(s, f, ROW_TM_OPS_LIMIT);
	if (!cap->max_ops)
		add_fault(s, f, ROW_TM_NO_OPS);
}

/* Returns the highest enum ibv_srq_type that the device has. */
static uint32_t last_type(const struct step *s)
{
	return claim_holds(CLAIM_TM, s->d) ? IBV_SRQT_TM : IBV_SRQT_XRC;
}

void do_create_srq_ex(struct step *s)
{
	const struct srq_args *in = &s->b->in.srq;
	uint32_t type = IBV_SRQT_BASIC;
	struct faults f = {0};

	if (in->comp_mask & IBV_SRQ_INIT_ATTR_TYPE)
		type = in->srq_type;
	if (in->comp_mask & ~0x1fu || type > last_type(s) ||
	    !(in->comp_mask & IBV_SRQ_INIT_ATTR_PD))
		add_fault(s, &f, ROW_SRQ_EX_MASK);
	else if (type == IBV_SRQT_XRC)
		check_xrc_srq(s, &f);
	else if (type == IBV_SRQT_TM)
		check_tm_srq(s, &f);
	create(s, &f, in->pd, (uint8_t)type);
}

static void check_resize(struct step *s, struct faults *f,
			 const struct model_srq *srq)
{
	const struct srq_attr_args *in = &s->b->in.srq_attr;
	bool claimed = device_flag(s->d, IBV_DEVICE_SRQ_RESIZE);
	uint64_t most =
		mutant_limit(s->mutant, F_srq_attr_max_wr, in->attr.max_wr,
			     s->d->limit[LIM_max_srq_wr]);

	if (in->attr.max_wr == 0 || in->attr.max_wr > most ||
	    in->attr.max_wr < srq->attr.srq_limit)
		add_fault(s, f, ROW_SRQ_RESIZE_BAD);
	else
		add_fault(s, f, claimed ? ROW_SRQ_RESIZE : ROW_SRQ_RESIZE_NONE);
}

/* After a resize, and before a query, the SRQ may have more entries than were
 * asked for. */
static void check_limit(struct step *s, struct faults *f,
			const struct model_srq *srq)
{
	const struct srq_attr_args *in = &s->b->in.srq_attr;
	bool resize = in->mask & IBV_SRQ_MAX_WR;
	uint32_t size = resize ? in->attr.max_wr : srq->attr.max_wr;

	if (in->attr.srq_limit > size)
		add_fault(s, f,
			  resize || srq->resized ? ROW_SRQ_LIMIT_RESIZED
						 : ROW_SRQ_LIMIT_BAD);
}

/* Seeded fault: returns true for an arming with the limit of the one before,
 * which the device takes for no change. */
static bool is_armed_again(const struct step *s, struct model_srq *srq)
{
	const struct srq_attr_args *in = &s->b->in.srq_attr;
	uint32_t before = srq->armed_for;

	if (!(in->mask & IBV_SRQ_LIMIT))
		return false;
	srq->armed_for = in->attr.srq_limit;
	return mutant_has_quirk(s->mutant, QUIRK_LIMIT_AGAIN) &&
	       in->mask == IBV_SRQ_LIMIT && before &&
	       before == in->attr.srq_limit;
}

void do_modify_srq(struct step *s)
{
	const struct srq_attr_args *in = &s->b->in.srq_attr;
	struct object *o = obj(s->m, s->b->on);
	struct model_srq *srq = &o->srq;
	bool resize = in->mask & IBV_SRQ_MAX_WR;
	struct faults f = {0};
	enum out effect;
	int err;

	if (resize)
		check_resize(s, &f, srq);
	if (in->mask & IBV_SRQ_LIMIT)
		check_limit(s, &f, srq);
	answer_accept(s, ROW_SRQ_QUERY);
	err = choose_outcome(s, &f, &effect);
	if (mutant_has_quirk(s->mutant, QUIRK_NOTHING_REFUSED) && !in->mask)
		err = EINVAL;
	if (err || o->broken) {
		o->broken |= mutant_breaks_object(s->mutant, s->a->row);
		if (mutant_has_quirk(s->mutant, QUIRK_SRQ_ARMS) && resize &&
		    in->mask & IBV_SRQ_LIMIT)
			srq->attr.srq_limit = in->attr.srq_limit;
		if (mutant_has_quirk(s->mutant, QUIRK_LIMIT_DROPPED) && resize)
			srq->attr.srq_limit = 0;
		answer_refuse(s, s->a->row, err ? err : EFAULT);
		return;
	}
	if (mutant_does_nothing(s->mutant, V_modify_srq) ||
	    is_armed_again(s, srq))
		return;
	if (resize) {
		srq->attr.max_wr = (uint32_t)mutant_grant(
			s->mutant, F_srq_attr_max_wr, in->attr.max_wr);
		srq->resized = true;
	}
	if (mutant_has_quirk(s->mutant, QUIRK_RESIZE_LIMIT))
		srq->limit_dead =
			in->mask == IBV_SRQ_MAX_WR ||
			(srq->limit_dead && !(in->mask & IBV_SRQ_LIMIT));
	if (in->mask & IBV_SRQ_LIMIT) {
		srq->attr.srq_limit = in->attr.srq_limit;
		srq->fired = 0;
	}
	srq->needed = srq->attr.srq_limit;
	if (in->mask & IBV_SRQ_LIMIT)
		async_srq_armed(s, s->b->on);
}

/* Defines max_wr after a resize: at least what was asked for, and at least what
 * the accepted limit needs. */
static void define_max_wr(struct step *s, struct model_srq *srq)
{
	uint32_t wr = srq->attr.max_wr, limit = srq->needed;
	uint32_t least = limit > wr ? limit : wr;

	srq->attr.max_wr = (uint32_t)answer_define_at_least(
		s, F_srq_attr_max_wr, least, is_oracle(s) ? least : wr,
		limit > wr ? ROW_SRQ_LIMIT_RESIZED : ROW_SRQ_RESIZED);
}

/* After the limit event some devices still report the limit instead of 0. */
static void define_limit(struct step *s, const struct model_srq *srq)
{
	const uint64_t fired[2] = {0, srq->fired};
	uint64_t seen = answer_seen(s, F_srq_attr_limit, 0);

	if (srq->attr.srq_limit || !srq->fired)
		answer_define(s, F_srq_attr_limit, srq->attr.srq_limit,
			      ROW_SRQ_LIMIT_ARMED);
	else
		answer_define(s, F_srq_attr_limit,
			      choose_value(s, ROW_SRQ_QUERY_FIRED, fired, 2,
					   seen),
			      ROW_SRQ_QUERY_FIRED);
}

void do_query_srq(struct step *s)
{
	struct model_srq *srq = &obj(s->m, s->b->on)->srq;

	answer_accept(s, ROW_SRQ_QUERY);
	if (srq->resized)
		define_max_wr(s, srq);
	else
		answer_define(s, F_srq_attr_max_wr, srq->attr.max_wr,
			      ROW_SRQ_QUERY);
	srq->resized = false;
	answer_define(s, F_srq_attr_max_sge, srq->attr.max_sge, ROW_SRQ_QUERY);
	define_limit(s, srq);
}

uint8_t model_srq_type(const struct model *m, uint16_t srq)
{
	return m->object[srq].srq.type;
}

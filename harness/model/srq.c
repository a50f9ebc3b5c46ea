/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues: sizes, limit, resizing.
 */
#include <errno.h>
#include "model/internal.h"

static void judge_sizes(struct step *s, struct faults *f,
			const struct ibv_srq_attr *in)
{
	static const struct size_rows rows = {ROW_SRQ_ZERO, ROW_SRQ_OVER,
					      ROW_SRQ_LIMIT};
	const uint64_t *limit = s->d->limit;
	bool wr, sge;

	wr = judge_size(s, f, F_srq_max_wr, in->max_wr, limit[LIM_max_srq_wr],
			&rows);
	sge = judge_size(s, f, F_srq_max_sge, in->max_sge,
			 limit[LIM_max_srq_sge], &rows);
	if (wr && sge)
		fault(s, f, ROW_CAP_AT_LIMITS);
	else if (wr || sge)
		fault(s, f, ROW_SRQ_LIMIT);
}

static uint32_t grant(struct step *s, enum field f, uint32_t asked)
{
	return (uint32_t)at_least(s, f, asked,
				  mutant_grant(s->mutant, f, asked),
				  ROW_SRQ_AT_LEAST);
}

/* Of 24 bits, and of no other that lives. */
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

static uint32_t number(struct step *s)
{
	uint64_t mine = s->m->next_srqn[s->device]++;
	uint64_t value = at_least(s, F_srq_num, 0, mine, ROW_XRC_NUMBER);

	meet(s, ROW_XRC_NUMBER);
	if (is_oracle(s) && !may_be_number(s, value)) {
		value = value == mine ? mine + 1 : mine;
		vouch(s, F_srq_num, value, ROW_XRC_NUMBER);
	}
	return (uint32_t)value;
}

static void create(struct step *s, struct faults *f, uint16_t pd, uint8_t type)
{
	const struct srq_args *in = &s->b->in.srq;
	struct object *o;
	enum out effect;
	int err;

	if (!s->d->limit[LIM_max_srq])
		fault(s, f, ROW_OBJ_UNSUPPORTED);
	judge_sizes(s, f, &in->attr);
	judge_number(s, f, OBJ_SRQ, ROW_OBJ_ACCEPT);
	accept_call(s, ROW_OBJ_ACCEPT);
	err = settle(s, f, &effect);
	if (err) {
		refuse(s, s->a->row, err);
		return;
	}
	o = make(s, OBJ_SRQ);
	add_parent(s->m, o, pd);
	o->srq.type = type;
	o->srq.attr.max_wr = grant(s, F_srq_max_wr, in->attr.max_wr);
	o->srq.attr.max_sge = grant(s, F_srq_max_sge, in->attr.max_sge);
	if (in->attr.srq_limit &&
	    settle_hidden(s, ROW_SRQ_ARM_CREATE) == OUT_ARMED)
		o->srq.attr.srq_limit = in->attr.srq_limit;
	srq_armed(s, s->b->result);
	if (type != IBV_SRQT_XRC)
		return;
	add_parent(s->m, o, in->xrcd);
	add_parent(s->m, o, in->cq);
	o->srq.xrcd = in->xrcd;
	o->srq.cq = in->cq;
	o->srq.number = number(s);
}

void do_create_srq(struct step *s)
{
	struct faults f = {0};

	create(s, &f, s->b->on, IBV_SRQT_BASIC);
}

static void judge_xrc_srq(struct step *s, struct faults *f)
{
	uint32_t both = IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;

	if (!device_flag(s->d, IBV_DEVICE_XRC))
		fault(s, f, ROW_OBJ_UNSUPPORTED);
	else if ((s->b->in.srq.comp_mask & both) != both)
		fault(s, f, ROW_SRQ_XRC);
}

void do_create_srq_ex(struct step *s)
{
	const struct srq_args *in = &s->b->in.srq;
	uint32_t type = IBV_SRQT_BASIC;
	struct faults f = {0};

	if (in->comp_mask & IBV_SRQ_INIT_ATTR_TYPE)
		type = in->srq_type;
	if (in->comp_mask & ~0xfu || type > IBV_SRQT_XRC ||
	    !(in->comp_mask & IBV_SRQ_INIT_ATTR_PD))
		fault(s, &f, ROW_SRQ_EX_MASK);
	else if (type == IBV_SRQT_XRC)
		judge_xrc_srq(s, &f);
	create(s, &f, in->pd, (uint8_t)type);
}

static void judge_resize(struct step *s, struct faults *f,
			 const struct model_srq *srq)
{
	const struct srq_attr_args *in = &s->b->in.srq_attr;
	bool claimed = device_flag(s->d, IBV_DEVICE_SRQ_RESIZE);
	uint64_t most =
		mutant_limit(s->mutant, F_srq_attr_max_wr, in->attr.max_wr,
			     s->d->limit[LIM_max_srq_wr]);

	if (in->attr.max_wr == 0 || in->attr.max_wr > most ||
	    in->attr.max_wr < srq->attr.srq_limit)
		fault(s, f, ROW_SRQ_RESIZE_BAD);
	else
		fault(s, f, claimed ? ROW_SRQ_RESIZE : ROW_SRQ_RESIZE_NONE);
}

/* Until a query tells how many entries a resize gave, more than were asked
 * for may be there. */
static void judge_limit(struct step *s, struct faults *f,
			const struct model_srq *srq)
{
	const struct srq_attr_args *in = &s->b->in.srq_attr;
	bool resize = in->mask & IBV_SRQ_MAX_WR;
	uint32_t size = resize ? in->attr.max_wr : srq->attr.max_wr;

	if (in->attr.srq_limit > size)
		fault(s, f,
		      resize || srq->resized ? ROW_SRQ_LIMIT_RESIZED
					     : ROW_SRQ_LIMIT_BAD);
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
		judge_resize(s, &f, srq);
	if (in->mask & IBV_SRQ_LIMIT)
		judge_limit(s, &f, srq);
	accept_call(s, ROW_SRQ_QUERY);
	err = settle(s, &f, &effect);
	if (err || o->broken) {
		o->broken |= mutant_breaks(s->mutant, s->a->row);
		refuse(s, s->a->row, err ? err : EFAULT);
		return;
	}
	if (mutant_leaks(s->mutant, V_modify_srq))
		return;
	if (resize) {
		srq->attr.max_wr = (uint32_t)mutant_grant(
			s->mutant, F_srq_attr_max_wr, in->attr.max_wr);
		srq->resized = true;
	}
	if (in->mask & IBV_SRQ_LIMIT) {
		srq->attr.srq_limit = in->attr.srq_limit;
		srq->fired = 0;
	}
	srq->needed = srq->attr.srq_limit;
	if (in->mask & IBV_SRQ_LIMIT)
		srq_armed(s, s->b->on);
}

/* As many entries as were asked for, and as the limit that was taken needs. */
static void settle_resize(struct step *s, struct model_srq *srq)
{
	uint32_t wr = srq->attr.max_wr, limit = srq->needed;
	uint32_t least = limit > wr ? limit : wr;

	srq->attr.max_wr = (uint32_t)at_least(
		s, F_srq_attr_max_wr, least, is_oracle(s) ? least : wr,
		limit > wr ? ROW_SRQ_LIMIT_RESIZED : ROW_SRQ_RESIZED);
}

/* After the event some devices still show the limit that it was for. */
static void vouch_limit(struct step *s, const struct model_srq *srq)
{
	const uint64_t fired[2] = {0, srq->fired};
	uint64_t seen = seen_value(s, F_srq_attr_limit, 0);

	if (srq->attr.srq_limit || !srq->fired)
		vouch(s, F_srq_attr_limit, srq->attr.srq_limit, ROW_SRQ_QUERY);
	else
		vouch(s, F_srq_attr_limit,
		      settle_value(s, ROW_SRQ_QUERY_FIRED, fired, 2, seen),
		      ROW_SRQ_QUERY_FIRED);
}

void do_query_srq(struct step *s)
{
	struct model_srq *srq = &obj(s->m, s->b->on)->srq;

	accept_call(s, ROW_SRQ_QUERY);
	if (srq->resized)
		settle_resize(s, srq);
	else
		vouch(s, F_srq_attr_max_wr, srq->attr.max_wr, ROW_SRQ_QUERY);
	srq->resized = false;
	vouch(s, F_srq_attr_max_sge, srq->attr.max_sge, ROW_SRQ_QUERY);
	vouch_limit(s, srq);
}

uint8_t model_srq_type(const struct model *m, uint16_t srq)
{
	return m->object[srq].srq.type;
}

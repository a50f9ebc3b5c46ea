// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_advise_mr: decides whether a prefetch is granted. A prefetch changes no
 * byte and no right.
 */
#include "model/internal.h"

#define PAGE 4096u
#define WRITERS                                                                \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                    \
	 IBV_ACCESS_REMOTE_ATOMIC)

/* Returns the region that the elements name, or NO_OBJ. */
static uint16_t find_region(const struct step *s)
{
	const struct advice_args *in = &s->b->in.advice;

	return access_key(s->m, s->b->on, in->lkey, in->mr);
}

static void check_range(struct step *s, struct faults *f,
			const struct model_mr *mr)
{
	const struct advice_args *in = &s->b->in.advice;
	uint64_t pages = (mr->length + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	bool outside = in->offset >= pages || in->length > pages - in->offset;
	bool past =
		in->offset > mr->length || in->length > mr->length - in->offset;

	if (outside && in->flags & IBV_ADVISE_MR_FLAG_FLUSH)
		add_fault(s, f, ROW_ADVISE_RANGE);
	else if (outside || past)
		add_fault(s, f, ROW_ADVISE_LATER);
}

static void check_region(struct step *s, struct faults *f, uint16_t slot)
{
	const struct advice_args *in = &s->b->in.advice;
	const struct model_mr *mr =
		slot == NO_OBJ ? NULL : &obj(s->m, slot)->mr;

	if (!mr || !(mr->access & IBV_ACCESS_ON_DEMAND)) {
		add_fault(s, f, ROW_ADVISE_KEY);
		return;
	}
	if (pd_of(s->m, slot) != base_pd(s->m, s->b->on))
		add_fault(s, f, ROW_ADVISE_PD);
	if (in->advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	    !(mr->access & WRITERS))
		add_fault(s, f, ROW_ADVISE_RIGHT);
	check_range(s, f, mr);
}

void do_advise_mr(struct step *s)
{
	const struct advice_args *in = &s->b->in.advice;
	struct faults f = {0};
	enum out effect;
	int err;

	if (!s->d->can_advise ||
	    !(s->d->limit[LIM_odp_general_caps] & IBV_ODP_SUPPORT))
		add_fault(s, &f, ROW_ADVISE_UNCLAIMED);
	if (in->advice > IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		add_fault(s, &f, ROW_ADVISE_UNKNOWN);
	if (in->flags & ~(uint32_t)IBV_ADVISE_MR_FLAG_FLUSH)
		add_fault(s, &f, ROW_ADVISE_FLAGS);
	if (!in->num_sge)
		add_fault(s, &f, ROW_ADVISE_EMPTY);
	else
		check_region(s, &f, find_region(s));
	add_fault(s, &f, ROW_ADVISE_ACCEPT);
	answer_accept(s, ROW_ADVISE_ACCEPT);
	err = choose_outcome(s, &f, &effect);
	if (err)
		answer_refuse(s, s->a->row, err);
}

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

/* An element of the list. */
struct advised {
	uint64_t offset;
	uint32_t length, lkey;
	uint16_t mr;
	bool is_later; /* not the first one */
};

static void check_range(struct step *s, struct faults *f,
			const struct model_mr *mr, const struct advised *at)
{
	const struct advice_args *in = &s->b->in.advice;
	uint64_t pages = (mr->length + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	bool outside = at->offset >= pages || at->length > pages - at->offset;
	bool past =
		at->offset > mr->length || at->length > mr->length - at->offset;

	if (outside && in->flags & IBV_ADVISE_MR_FLAG_FLUSH)
		add_fault(s, f, ROW_ADVISE_RANGE);
	else if (outside || past)
		add_fault(s, f, ROW_ADVISE_LATER);
}

static void check_element(struct step *s, struct faults *f,
			  const struct advised *at)
{
	uint16_t slot = access_key(s->m, s->b->on, at->lkey, at->mr);
	const struct model_mr *mr =
		slot == NO_OBJ ? NULL : &obj(s->m, slot)->mr;

	if (!mr || !(mr->access & IBV_ACCESS_ON_DEMAND)) {
		add_fault(s, f, ROW_ADVISE_KEY);
		return;
	}
	if (pd_of(s->m, slot) != base_pd(s->m, s->b->on))
		add_fault(s, f, ROW_ADVISE_PD);
	if (s->b->in.advice.advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	    !(mr->access & WRITERS) &&
	    !(at->is_later &&
	      (mutant_has_quirk(s->mutant, QUIRK_ADVISE_RIGHTS) ||
	       (mutant_has_quirk(s->mutant, QUIRK_ADVISE_LATER) &&
		s->b->in.advice.flags & IBV_ADVISE_MR_FLAG_FLUSH &&
		mr->access == IBV_ACCESS_ON_DEMAND) ||
	       (mutant_has_quirk(s->mutant, QUIRK_ADVISE_TWO) &&
		s->b->in.advice.num_sge == 2))))
		add_fault(s, f, ROW_ADVISE_RIGHT);
	check_range(s, f, mr, at);
}

/* Checks the elements that are alike, if there are any, and the odd one. With
 * the seeded fault only the first element is checked. */
static void check_list(struct step *s, struct faults *f)
{
	const struct advice_args *in = &s->b->in.advice;
	const struct advised usual = {in->offset, in->length, in->lkey, in->mr,
				      in->part == 1};
	const struct advised odd = {in->part_offset, in->part_length,
				    in->part_lkey, in->part_mr, in->part > 1};
	uint32_t n = mutant_has_quirk(s->mutant, QUIRK_ADVISE_FIRST)
			     ? 1
			     : in->num_sge;
	bool has_odd = in->part && in->part <= n;

	if (!has_odd || n > 1)
		check_element(s, f, &usual);
	if (has_odd)
		check_element(s, f, &odd);
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
		check_list(s, &f);
	add_fault(s, &f, ROW_ADVISE_ACCEPT);
	answer_accept(s, ROW_ADVISE_ACCEPT);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	if (in->flags & IBV_ADVISE_MR_FLAG_FLUSH)
		region_advised(s->m, in);
	region_touch(s->m, in->mr, in->offset, in->length);
	if (in->part)
		region_touch(s->m, in->part_mr, in->part_offset,
			     in->part_length);
}

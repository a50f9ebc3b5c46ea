/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_cq: moderation of a queue's events. No call reports the count and
 * the period. A model has no clock, so an event comes at once.
 */
#include "model/internal.h"

static bool device_moderates(const struct step *s)
{
	return s->d->limit[LIM_max_cq_count] || s->d->limit[LIM_max_cq_period];
}

static void check_moderation(struct step *s, struct faults *f,
			     const struct ibv_modify_cq_attr *in)
{
	const uint64_t *limit = s->d->limit;
	uint64_t count = in->moderate.cq_count;
	uint64_t period = in->moderate.cq_period;

	if (in->attr_mask != IBV_CQ_ATTR_MODERATE)
		add_fault(s, f, ROW_MODERATE_MASK);
	else if (!device_moderates(s))
		add_fault(s, f, ROW_MODERATE_UNSUPPORTED);
	else if (count > mutant_limit(s->mutant, F_cq_count, count,
				      limit[LIM_max_cq_count]) ||
		 period > mutant_limit(s->mutant, F_cq_period, period,
				       limit[LIM_max_cq_period]))
		add_fault(s, f, ROW_MODERATE_RANGE);
}

void do_modify_cq(struct step *s)
{
	const struct ibv_modify_cq_attr *in = &s->b->in.cq_attr;
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;
	struct faults f = {0};
	enum out effect;
	int err;

	check_moderation(s, &f, in);
	if (!f.n)
		record_row(s, ROW_MODERATE_ACCEPT);
	answer_accept(s, ROW_MODERATE_ACCEPT);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	if (mutant_repeats(s->mutant, V_modify_cq))
		cq_drop_completions(s);
	if (mutant_does_nothing(s->mutant, V_modify_cq))
		cq->armed = DISARMED;
	cq->moderated = in->moderate.cq_count || in->moderate.cq_period;
	/* Nothing says that a count alone is ever reached. */
	if (is_oracle(s) && cq->channel != NO_OBJ &&
	    in->moderate.cq_count > 1 && !in->moderate.cq_period)
		s->m->unseen_events = true;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_resize_cq: which sizes are accepted. Completions in the queue stay.
 * ibv_modify_cq: moderation of a queue's events. No call reports the count and
 * the period. A model has no clock, so an event comes at once.
 */
#include "model/data/seeded.h"
#include "model/events/events.h"
#include "model/unseen/optional_completion.h"

/* Returns how many completions wait. An oracle that cannot know takes the
 * number that explains the device's answer: the most for a refusal, else the
 * least. A queue that was overrun explains any answer. */
static int completions_waiting(struct step *s)
{
	const struct model_cq *cq = &s->m->object[s->b->on].cq;

	if (!is_oracle(s))
		return wr_slot(s->m, s->b->on)->ready;
	cq_note_overrun(s, s->b->on);
	if (cq->overrun)
		return s->seen_error ? INT32_MAX : 0;
	return s->seen_error ? optional_most(s, s->b->on)
			     : optional_least(s->m, s->b->on);
}

static enum row resize_row(struct step *s)
{
	int32_t cqe = s->b->in.cq.cqe;
	uint64_t size = (uint64_t)cqe;
	uint64_t most = s->d->limit[LIM_max_cqe];

	if (cqe < 1 || size > mutant_limit(s->mutant, F_cqe, size, most))
		return ROW_RESIZE_RANGE;
	/* seeded fault: as many as wait do not fit */
	if (mutant_has_quirk(s->mutant, QUIRK_RESIZE_EXACT) && cqe > 1 &&
	    cqe == completions_waiting(s))
		return ROW_RESIZE_HELD;
	if (mutant_has_quirk(s->mutant, QUIRK_RESIZE_FULL) &&
	    cqe == completions_waiting(s))
		return ROW_RESIZE_HELD;
	return cqe < completions_waiting(s) ? ROW_RESIZE_HELD
					    : ROW_RESIZE_OFFERED;
}

static void drop_completions(struct step *s)
{
	struct model_wr *next;
	struct wr_list *list;

	for (unsigned int i = 0;
	     (list = wr_next_list_of_cq(s->m, s->b->on, &i));)
		for (struct model_wr *w = wr_first(s->m, list); w; w = next) {
			next = wr_after(s->m, w);
			if (w->cq == s->b->on && w->stage == WR_DONE)
				wr_remove(s->m, w);
		}
}

/* Reports the size of a queue after a resize. A seeded fault reports the old
 * size if completions wait in a queue that shrank. */
static void report_size(struct step *s, uint64_t asked)
{
	struct model_cq *cq = &obj(s->m, s->b->on)->cq;
	int32_t before = cq->cqe;

	cq->cqe = (int32_t)answer_define_at_least(
		s, F_cqe, asked, mutant_grant(s->mutant, F_cqe, asked),
		ROW_RESIZE_AT_LEAST);
	if (cq->cqe < before && wr_slot(s->m, s->b->on)->ready &&
	    mutant_has_quirk(s->mutant, QUIRK_RESIZE_TOLD))
		answer_define(s, F_cqe, (uint64_t)before, ROW_RESIZE_AT_LEAST);
}

void do_resize_cq(struct step *s)
{
	uint64_t asked = (uint64_t)s->b->in.cq.cqe;
	struct object *o = obj(s->m, s->b->on);
	enum row row = allocator_resize_row(s, o, resize_row(s));
	enum out effect;
	int err = choose_for_row(s, row, &effect);

	if (err) {
		answer_refuse(s, row, err);
		return;
	}
	answer_accept(s, row);
	allocator_resized(s->m, o);
	if (mutant_has_quirk(s->mutant, QUIRK_RESIZE_DISARMS) &&
	    o->cq.armed == ARMED_SOLICITED)
		o->cq.armed = DISARMED;
	if (mutant_has_quirk(s->mutant, QUIRK_RESIZE_FORGETS))
		o->cq.armed = DISARMED;
	if (mutant_has_quirk(s->mutant, QUIRK_LARGER_DISARMS) &&
	    asked > (uint64_t)o->cq.cqe)
		o->cq.armed = DISARMED;
	o->cq.comes_again = mutant_has_quirk(s->mutant, QUIRK_RESIZE_EARLY) &&
			    o->cq.taken / (uint32_t)o->cq.cqe % 2 &&
			    wr_slot(s->m, s->b->on)->ready;
	o->cq.no_context |= mutant_has_quirk(s->mutant, QUIRK_CONTEXT_LOST) &&
			    o->cq.extended && o->cq.told &&
			    asked > (uint64_t)o->cq.cqe;
	o->cq.first_cqe = o->cq.cqe;
	o->cq.last_cqe.state = CQE_UNKNOWN;
	if (mutant_repeats(s->mutant, V_resize_cq))
		drop_completions(s);
	if (s->mutant)
		seeded_lose_wrapped(s, s->b->on);
	report_size(s, asked);
}

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
		if (mutant_has_quirk(s->mutant, QUIRK_MODERATE_DISARMS) &&
		    cq->armed == ARMED_SOLICITED)
			cq->armed = DISARMED;
		return;
	}
	if (mutant_repeats(s->mutant, V_modify_cq))
		drop_completions(s);
	if (mutant_does_nothing(s->mutant, V_modify_cq) ||
	    mutant_has_quirk(s->mutant, QUIRK_MODERATE_FORGETS))
		cq->armed = DISARMED;
	if (mutant_has_quirk(s->mutant, QUIRK_MODERATE_FIRST) &&
	    !cq->first_count)
		cq->first_count = in->moderate.cq_count;
	cq->count = in->moderate.cq_count;
	cq->period = in->moderate.cq_period;
	cq->moderated = in->moderate.cq_count || in->moderate.cq_period;
	/* Nothing says that a count alone is ever reached. */
	if (is_oracle(s) && cq->channel != NO_OBJ &&
	    in->moderate.cq_count > 1 && !in->moderate.cq_period)
		s->m->unseen_events = true;
}

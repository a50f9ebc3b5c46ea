/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what a step has shown: a deviation, or something that no step before
 * it had reached.
 */
#include <time.h>
#include "fuzz/plan/judge_steps.h"

/* What a call that was granted leaves the queue pair in. */
static unsigned int moved(unsigned int state, const struct bound *b,
			  const struct outcome *o)
{
	const struct qp_attr_args *says = &b->in.qp_attr;

	if (b->verb == V_query_qp)
		says = &o->out.qp_attr;
	else if (b->verb != V_modify_qp || !(says->mask & A_STATE))
		return state;
	return (unsigned int)says->attr.qp_state < STATE_NR
		       ? says->attr.qp_state
		       : state;
}

static void reach(const struct step_runner *on, struct plan_progress *t,
		  const struct bound *b)
{
	bool granted = !outcome_error(b->verb, &on->seen);

	t->shows |= reach_row(judge_row(on->judge));
	if (b->verb == V_modify_qp)
		t->shows |= reach_modify(t->kind, t->state, &b->in.qp_attr,
					 granted);
	if (granted)
		t->state = moved(t->state, b, &on->seen);
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void make_call(struct step_runner *on, const struct bound *b)
{
	uint64_t began = on->timed ? now_ns() : 0;

	on->verb = b->verb;
	on->calls++;
	outcome_poison(&on->seen, b->verb);
	on->seen.in_changed = false;
	on->seen.not_made = false;
	if (on->under_way)
		*on->under_way = b->verb;
	on->target->ops->call(on->target, b, &on->seen);
	if (on->under_way)
		*on->under_way = VERB_NR;
	if (on->timed)
		on->device_ns += now_ns() - began;
}

bool step_run(struct step_runner *on, struct plan_progress *t,
	      const struct step *step, int index)
{
	struct bound b;

	if (!forms_bind_step(on->forms, t->kind, step, t->guess, &b))
		return true;
	make_call(on, &b);
	if (!judge_step(on->judge, on->names, index, &b, &on->seen, on->said)) {
		t->shows |= on->said->verdict == VERDICT_DEVIATES;
		return false;
	}
	reach(on, t, &b);
	t->guess = step_state(t->kind, t->guess, step);
	return true;
}

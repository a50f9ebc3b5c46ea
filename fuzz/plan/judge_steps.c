/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides whether a step has shown something: a deviation, or a part of the
 * contract that no step has reached before.
 */
#include <time.h>
#include "fuzz/plan/judge_steps.h"

/* Returns the state in which a granted call leaves the queue pair. */
static unsigned int state_after(unsigned int state, const struct bound *b,
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

static void note_reached(const struct step_runner *runner,
			 struct plan_progress *t, const struct bound *b)
{
	bool granted = !outcome_error(b->verb, &runner->seen);

	t->shows |= reach_row(judge_row(runner->judge));
	if (b->verb == V_modify_qp)
		t->shows |= reach_modify(t->kind, t->state, &b->in.qp_attr,
					 granted);
	if (granted)
		t->state = state_after(t->state, b, &runner->seen);
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void make_call(struct step_runner *runner, const struct bound *b)
{
	uint64_t began = runner->timed ? now_ns() : 0;

	runner->verb = b->verb;
	runner->calls++;
	outcome_poison(&runner->seen, b->verb);
	if (runner->under_way)
		*runner->under_way = b->verb;
	runner->target->ops->call(runner->target, b, &runner->seen);
	if (runner->under_way)
		*runner->under_way = VERB_NR;
	if (runner->timed)
		runner->device_ns += now_ns() - began;
}

bool step_run(struct step_runner *runner, struct plan_progress *t,
	      const struct step *step, int index)
{
	struct bound b;

	if (!forms_bind_step(runner->forms, t->kind, step, t->guess, &b))
		return true;
	make_call(runner, &b);
	if (!judge_step(runner->judge, runner->names, index, &b, &runner->seen,
			runner->said)) {
		t->shows |= runner->said->verdict == VERDICT_DEVIATES;
		return false;
	}
	note_reached(runner, t, &b);
	t->guess = step_state(t->kind, t->guess, step);
	return true;
}

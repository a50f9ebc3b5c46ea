/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Plans for one queue pair, one after the other. Decides which plan comes next;
 * one that reaches something is the one that the next ones are changed from.
 */
#include "fuzz/hunt/worker.h"

enum { NEW_OF = 8 }; /* one in so many begins with nothing */

static unsigned int below(struct worker *w, unsigned int n)
{
	return chance_below(&w->chance, n);
}

static bool is_reset(const struct step *s)
{
	return s->kind == STEP_MODIFY && s->to == IBV_QPS_RESET &&
	       s->mask == A_STATE;
}

static bool pick_plan(struct worker *w, struct plan *plan)
{
	if (!hunter_pick(w, &w->parent))
		return false;
	plan_read(&w->stepper, &w->parent, plan);
	while (plan->n && is_reset(&plan->step[plan->n - 1]))
		plan->n--;
	return plan->kind < QK_NR;
}

static bool next_base(struct worker *w, struct plan *plan)
{
	if (!below(w, NEW_OF) || !pick_plan(w, plan)) {
		plan->kind = (enum qp_kind)below(w, QK_NR);
		plan->n = 0;
	}
	return !w->cannot[plan->kind];
}

static void change_plan(struct worker *w, const struct plan *base,
			struct plan *plan)
{
	struct stepper *s = &w->stepper;
	struct plan tail;
	bool crossed = !below(w, 4 * SPLICE_OF) && pick_plan(w, &tail);

	*plan = *base;
	s->chance = w->chance;
	if (crossed)
		plan_cross(s, plan, &tail);
	do
		plan_change(s, plan);
	while (!chance_below(&s->chance, 4));
	plan->kind = base->kind;
	w->chance = s->chance;
	hunter_tell_chance(w);
}

/* It runs again behind this batch, by itself, though the hunt be over: what a
 * call tries of the contract is counted then. */
static int keep_plan(struct worker *w, const struct plan *plan)
{
	plan_build(&w->stepper, plan);
	return prog_ok(&w->stepper.program)
		       ? hunter_keep(w, &w->stepper.program)
		       : 0;
}

static int deviation(struct worker *w)
{
	const struct rig *rig = &w->rig;
	char key[HUNT_KEY_LEN];

	hunt_key(&rig->said, rig->on.verb,
		 outcome_error(rig->on.verb, &rig->on.seen), key);
	return hunter_found(w, &rig->said, key);
}

/* One plan on the queue pair that there is. *on: it can take another one. */
static int one_plan(struct worker *w, struct plan *base, bool *on)
{
	uint64_t began = hunter_start_time(w), calls = w->rig.on.calls;
	struct plan plan;
	enum rig_says says;
	int ret;

	recorder_tick(w->recorder);
	w->rig.on.timed = w->timed;
	w->rig.on.device_ns = 0;
	change_plan(w, base, &plan);
	w->shared->programs++;
	kcov_begin(&w->kcov);
	says = rig_try(&w->rig, &plan);
	if (hunter_reach_kernel(w) && says == RIG_OLD)
		says = RIG_NEW;
	w->shared->calls += w->rig.on.calls - calls;
	ret = hunter_hears(w);
	w->device_ns = w->rig.on.device_ns;
	hunter_stop_time(w, began);
	*on = says == RIG_OLD || says == RIG_NEW;
	if (ret || says == RIG_OLD || says == RIG_GONE)
		return ret;
	if (says == RIG_BAD)
		return deviation(w);
	*base = plan;
	return keep_plan(w, &plan);
}

/* A creation that deviates is shown by a program of its own. */
static int creation(struct worker *w, enum qp_kind kind)
{
	const struct plan none = {.kind = kind};
	bool fresh;

	plan_build(&w->stepper, &none);
	return hunter_run_program(w, &w->stepper.program, false, &fresh);
}

static int drop(struct worker *w)
{
	char key[HUNT_KEY_LEN];
	int ret;

	if (rig_drop(&w->rig) != RIG_BAD)
		return w->target->broken[0] ? HUNT_AGAIN : 0;
	hunt_key(&w->rig.said, VERB_NR, 0, key);
	ret = hunter_found(w, &w->rig.said, key);
	return ret ? ret : HUNT_AGAIN;
}

int hunter_batch(struct worker *w)
{
	const struct test_case session = {.id = ""};
	bool on = true;
	struct plan base;
	enum rig_says says;
	int ret = 0;

	if (!next_base(w, &base))
		return 0;
	recorder_begin(w->recorder, NO_NUMBER, &session);
	says = rig_make(&w->rig, base.kind);
	w->cannot[base.kind] = says == RIG_GONE;
	for (int i = 0; i < SESSION_PLANS && says == RIG_OLD && on && !ret; i++)
		if (hunter_is_over(w))
			break;
		else
			ret = one_plan(w, &base, &on);
	/* Of a finding the session tells how it came. */
	if (!ret)
		ret = drop(w);
	if (ret)
		return ret;
	w->shared->session.kind = QK_NR;
	return says == RIG_BAD ? creation(w, base.kind) : 0;
}

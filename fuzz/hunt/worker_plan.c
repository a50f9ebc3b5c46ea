/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs plans on one queue pair, one after the other, and decides which plan
 * comes next. A plan that reaches something new is the base of the next ones.
 */
#include "fuzz/hunt/worker.h"

enum { NEW_OF = 8 }; /* one base in so many is empty */

static unsigned int below(struct hunt_worker *w, unsigned int n)
{
	return chance_below(&w->chance, n);
}

static bool is_reset(const struct step *s)
{
	return s->kind == STEP_MODIFY && s->to == IBV_QPS_RESET &&
	       s->mask == A_STATE;
}

static bool pick_plan(struct hunt_worker *w, struct plan *plan)
{
	if (!hunt_worker_pick_kept(w, &w->parent))
		return false;
	plan_read(&w->stepper, &w->parent, plan);
	while (plan->n && is_reset(&plan->step[plan->n - 1]))
		plan->n--;
	return plan->kind < QK_NR;
}

static bool next_base(struct hunt_worker *w, struct plan *plan)
{
	if (!below(w, NEW_OF) || !pick_plan(w, plan)) {
		plan->kind = (enum qp_kind)below(w, QK_NR);
		plan->n = 0;
	}
	return !w->cannot[plan->kind];
}

static void change_plan(struct hunt_worker *w, const struct plan *base,
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
	hunt_worker_save_chance(w);
}

/* A kept plan runs again later, by itself; its coverage is counted then. */
static int keep_plan(struct hunt_worker *w, const struct plan *plan)
{
	plan_build(&w->stepper, plan);
	return prog_ok(&w->stepper.program)
		       ? hunt_worker_keep(w, &w->stepper.program, false)
		       : 0;
}

static int deviation(struct hunt_worker *w)
{
	const struct plan_qp *qp = &w->qp;
	char key[FINDING_KEY_LEN];

	finding_key(&qp->said, qp->runner.verb,
		    outcome_error(qp->runner.verb, &qp->runner.seen), key);
	return hunt_worker_found(w, &qp->said, key);
}

/* Runs one plan. *on says whether another plan can follow on the queue pair. */
static int run_plan(struct hunt_worker *w, struct plan *base, bool *on)
{
	uint64_t began = hunt_worker_start_time(w), calls = w->qp.runner.calls;
	struct plan plan;
	enum plan_qp_result says;
	int ret;

	recorder_tick(w->recorder);
	w->qp.runner.timed = w->timed;
	w->qp.runner.device_ns = 0;
	change_plan(w, base, &plan);
	hunt_worker_count_program(w);
	kcov_begin(&w->kcov);
	says = plan_qp_run(&w->qp, &plan);
	if (hunt_worker_reach_kernel(w) && says == PLAN_QP_OLD)
		says = PLAN_QP_NEW;
	w->shared->calls += w->qp.runner.calls - calls;
	ret = hunt_worker_read_kernel_log(w);
	w->device_ns = w->qp.runner.device_ns;
	hunt_worker_stop_time(w, began);
	*on = says == PLAN_QP_OLD || says == PLAN_QP_NEW;
	if (ret || says == PLAN_QP_OLD || says == PLAN_QP_LOST)
		return ret;
	if (says == PLAN_QP_DEVIATES)
		return deviation(w);
	*base = plan;
	return keep_plan(w, &plan);
}

/* Runs a program that only creates a queue pair, whose creation deviated. */
static int run_creation(struct hunt_worker *w, enum qp_kind kind)
{
	const struct plan none = {.kind = kind};
	bool fresh;

	plan_build(&w->stepper, &none);
	return hunt_worker_run_program(w, &w->stepper.program, false, &fresh);
}

static int destroy(struct hunt_worker *w)
{
	char key[FINDING_KEY_LEN];
	int ret;

	if (plan_qp_destroy(&w->qp) != PLAN_QP_DEVIATES)
		return w->target->broken[0] ? HUNT_REOPEN : 0;
	finding_key(&w->qp.said, VERB_NR, 0, key);
	ret = hunt_worker_found(w, &w->qp.said, key);
	return ret ? ret : HUNT_REOPEN;
}

int hunt_worker_run_plans(struct hunt_worker *w)
{
	const struct test_case session = {.id = ""};
	bool on = true;
	struct plan base;
	enum plan_qp_result says;
	int ret = 0;

	if (!next_base(w, &base))
		return 0;
	recorder_begin(w->recorder, NO_NUMBER, &session);
	says = plan_qp_create(&w->qp, base.kind);
	w->cannot[base.kind] = says == PLAN_QP_LOST;
	for (int i = 0; i < SESSION_PLANS && says == PLAN_QP_OLD && on && !ret;
	     i++)
		if (hunt_worker_is_over(w))
			break;
		else
			ret = run_plan(w, &base, &on);
	/* After a finding the session is needed to reproduce it. */
	if (!ret)
		ret = destroy(w);
	if (ret)
		return ret;
	w->lane->session.kind = QK_NR;
	return says == PLAN_QP_DEVIATES ? run_creation(w, base.kind) : 0;
}

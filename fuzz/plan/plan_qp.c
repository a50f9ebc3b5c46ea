/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how plans follow each other on one queue pair, and when another queue
 * pair is needed. The judge follows all plans: after the modify to RESET a
 * queue pair is not judged as if it were new.
 */
#include "fuzz/plan/plan_qp.h"

static const struct step to_reset = {
	.kind = STEP_MODIFY,
	.mask = A_STATE,
	.to = IBV_QPS_RESET,
};

bool session_program(struct stepper *s, const struct session *from,
		     unsigned int last)
{
	struct plan none = {.kind = from->kind};
	int state = IBV_QPS_RESET;

	plan_build(s, &none);
	for (unsigned int i = from->n - last; i < from->n; i++) {
		const struct plan *plan = &from->plan[i];

		for (int n = 0; n < plan->n; n++) {
			if (s->program.ncalls + 8 > PROG_MAX_CALLS)
				return false;
			step_build(s, &plan->step[n], state);
			state = step_state(from->kind, state, &plan->step[n]);
		}
	}
	return prog_ok(&s->program);
}

void plan_qp_init(struct plan_qp *r, struct target *t, struct judge *j,
		  struct stepper *s, struct session *session)
{
	r->target = t;
	r->judge = j;
	r->stepper = s;
	r->session = session;
	session->kind = QK_NR;
	session->n = 0;
	session->under_way = VERB_NR;
	forms_init(&r->forms, s);
	r->runner = (struct step_runner){.target = t,
					 .judge = j,
					 .forms = &r->forms,
					 .names = &r->names,
					 .said = &r->said,
					 .under_way = &session->under_way};
}

static bool is_finding(const struct plan_qp *r)
{
	return verdict_accuses(r->said.verdict, r->strict);
}

enum plan_qp_result plan_qp_create(struct plan_qp *r, enum qp_kind kind)
{
	const struct plan none = {.kind = kind};
	uint8_t qp;

	plan_build(r->stepper, &none);
	r->names = r->stepper->program;
	qp = r->stepper->gen.qp;
	r->session->n = 0;
	r->session->kind = kind;
	r->state = IBV_QPS_RESET;
	judge_run_begin(&r->run, r->target, r->judge, &r->names, NULL,
			&r->said);
	for (int i = 0; i < r->names.ncalls; i++)
		if (!judge_run_call(&r->run, i, &r->said))
			return is_finding(r) ? PLAN_QP_DEVIATES : PLAN_QP_LOST;
	if (is_finding(r))
		return PLAN_QP_DEVIATES;
	if (!r->run.results.alive[qp] ||
	    !forms_make(&r->forms, kind, &r->run.results))
		return PLAN_QP_LOST;
	return PLAN_QP_OLD;
}

/* Adds a plan to the session, followed by the modify to RESET. */
static const struct plan *add_to_session(struct session *s,
					 const struct plan *plan)
{
	struct plan *added = &s->plan[s->n];

	added->kind = s->kind;
	added->n = plan->n < MAX_STEPS ? plan->n : MAX_STEPS - 1;
	for (int i = 0; i < added->n; i++)
		added->step[i] = plan->step[i];
	added->step[added->n++] = to_reset;
	s->n++;
	return added;
}

enum plan_qp_result plan_qp_run(struct plan_qp *r, const struct plan *plan)
{
	struct session *s = r->session;
	struct plan_progress t = {
		.kind = s->kind, .guess = IBV_QPS_RESET, .state = r->state};
	const struct plan *added = add_to_session(s, plan);

	for (int n = 0; n < added->n; n++) {
		bool can_go_on = step_run(&r->runner, &t, &added->step[n], n);

		if (is_finding(r))
			return PLAN_QP_DEVIATES;
		if (!can_go_on)
			return PLAN_QP_LOST;
	}
	r->state = t.state;
	return t.shows ? PLAN_QP_NEW : PLAN_QP_OLD;
}

enum plan_qp_result plan_qp_destroy(struct plan_qp *r)
{
	int left = judge_run_end(&r->run, &r->said);

	if (!left && !r->target->leak[0])
		return PLAN_QP_OLD;
	judge_leftovers(r->target, left, &r->said);
	r->said.call = -1;
	return PLAN_QP_DEVIATES;
}

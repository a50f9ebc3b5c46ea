/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which steps of a changed plan have to run again. The states of device
 * and judge are saved after the creation of a queue pair of each type, and
 * after each step of one plan, the base. A change of the base continues after
 * the last step that it has in common with the base.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/plan/try_ahead.h"
#include "fuzz/plan/judge_steps.h"

/* Saved states of device and judge: one for each type, one for each step. */
#define PLACES ((unsigned int)QK_NR + MAX_STEPS)

_Static_assert((int)QK_NR + MAX_STEPS <= TARGET_SAVED,
	       "a target keeps as much");

static unsigned int step_place(int n)
{
	return (unsigned int)QK_NR + (unsigned int)n;
}

enum { BATCH = 32 };

enum origin { UNTRIED, CREATED, REFUSED };

struct kept {
	struct judge *judge;
	uint8_t state; /* of the queue pair, as calls have shown it */
	int guess;     /* the table's guess at that state */
};

struct try_ahead {
	struct target *target;
	struct judge *judge;
	struct stepper *s;
	struct forms forms;
	enum origin origin[QK_NR];
	struct kept at[PLACES];
	/* The program that names the objects of each type */
	struct program *made[QK_NR];
	struct plan base; /* states are saved after its first `kept` steps */
	int kept;
	struct plan next;
	struct judgement said;
};

static struct kept *kept_at(struct try_ahead *a, unsigned int n)
{
	if (!a->at[n].judge)
		a->at[n].judge = judge_new(&a->target->info);
	return a->at[n].judge ? &a->at[n] : NULL;
}

static bool save(struct try_ahead *a, unsigned int n, unsigned int state,
		 int guess)
{
	struct kept *at = kept_at(a, n);

	if (!at || !a->target->ops->save(a->target, n) ||
	    !judge_copy(at->judge, a->judge))
		return false;
	at->state = (uint8_t)state;
	at->guess = guess;
	return true;
}

/* Restores the state after so many steps of the base; after none, the state
 * after the creation of a queue pair of the type. */
static struct plan_progress restore(struct try_ahead *a, enum qp_kind kind,
				    int steps)
{
	unsigned int n = steps ? step_place(steps - 1) : kind;
	const struct kept *at = &a->at[n];

	a->target->ops->restore(a->target, n);
	judge_continue(a->judge, at->judge);
	return (struct plan_progress){
		.kind = kind, .guess = at->guess, .state = at->state};
}

/* Creates a queue pair of a type and saves the state. */
static bool create_qp(struct try_ahead *a, enum qp_kind kind)
{
	const struct plan none = {.kind = kind};
	struct judge_run *run = calloc(1, sizeof(*run));
	struct program *p = malloc(sizeof(*p));
	bool made = run && p;

	a->made[kind] = p;
	if (made) {
		plan_build(a->s, &none);
		*p = a->s->program;
		a->target->ops->sweep(a->target);
		judge_run_begin(run, a->target, a->judge, p, NULL, &a->said);
		for (int i = 0; i < p->ncalls && made; i++)
			made = judge_run_call(run, i, &a->said);
		made = made && run->results.alive[a->s->gen.qp] &&
		       forms_make(&a->forms, kind, &run->results) &&
		       save(a, kind, IBV_QPS_RESET, IBV_QPS_RESET);
	}
	free(run);
	return made;
}

static bool has_qp(struct try_ahead *a, enum qp_kind kind)
{
	if (a->origin[kind] == UNTRIED)
		a->origin[kind] = create_qp(a, kind) ? CREATED : REFUSED;
	return a->origin[kind] == CREATED;
}

/* Returns a runner for the steps of a type. */
static struct step_runner runner_of(struct try_ahead *a, enum qp_kind kind)
{
	return (struct step_runner){.target = a->target,
				    .judge = a->judge,
				    .forms = &a->forms,
				    .names = a->made[kind],
				    .said = &a->said};
}

/* Returns how many steps the plan begins with that the base has as well. Only
 * steps after which a state is saved count. */
static int steps_in_common(const struct try_ahead *a, const struct plan *plan)
{
	int n = 0;

	if (plan->kind != a->base.kind)
		return 0;
	while (n < a->kept && n < plan->n &&
	       step_equal(&plan->step[n], &a->base.step[n]))
		n++;
	return n;
}

/* Runs a plan. Returns true if it reached something new or deviated. */
static bool run_plan(struct try_ahead *a, const struct plan *plan)
{
	bool untried = a->origin[plan->kind] == UNTRIED;
	int n = steps_in_common(a, plan);
	struct step_runner on;
	struct plan_progress t;

	reach_count_program();
	if (!has_qp(a, plan->kind))
		return untried;
	on = runner_of(a, plan->kind);
	t = restore(a, plan->kind, n);
	while (n < plan->n && step_run(&on, &t, &plan->step[n], n))
		n++;
	return t.shows;
}

/* Makes a plan the base, and saves the state after each of its steps. */
static void set_base(struct try_ahead *a, const struct plan *plan)
{
	struct step_runner on;
	struct plan_progress t;

	a->kept = steps_in_common(a, plan);
	a->base = *plan;
	if (plan->kind >= QK_NR || a->kept == plan->n || !has_qp(a, plan->kind))
		return;
	on = runner_of(a, plan->kind);
	t = restore(a, plan->kind, a->kept);
	while (a->kept < plan->n &&
	       step_run(&on, &t, &plan->step[a->kept], a->kept) &&
	       save(a, step_place(a->kept), t.state, t.guess))
		a->kept++;
}

static void make_change(struct try_ahead *a, const struct plan *plan,
			const struct plan *tail)
{
	a->next.kind = plan->kind;
	a->next.n = plan->n;
	memcpy(a->next.step, plan->step,
	       (size_t)plan->n * sizeof(plan->step[0]));
	if (tail) {
		plan_cross(a->s, &a->next, tail);
		return;
	}
	do
		plan_change(a->s, &a->next);
	while (!chance_below(&a->s->chance, 4));
}

/* Tries a batch of changes. Returns true if a->next reached something new.
 * Looking for new code takes as long as a try, so the caller looks once for a
 * batch. If the batch has reached new code, its tries run again, one by one. */
static bool try_batch(struct try_ahead *a, const struct plan *plan,
		      const struct plan *tail, bool one_by_one)
{
	for (int i = 0; i < BATCH; i++) {
		if (one_by_one)
			reach_clear_code();
		make_change(a, plan, tail);
		if (run_plan(a, &a->next) ||
		    (one_by_one && reach_is_new_code()))
			return true;
	}
	return false;
}

bool try_ahead_change(struct try_ahead *a, struct plan *plan,
		      const struct plan *tail, unsigned int batches)
{
	bool found = false;

	set_base(a, plan);
	reach_learn_code();
	while (!found && batches--) {
		struct chance before = a->s->chance;

		found = try_batch(a, plan, tail, false);
		if (found || !reach_is_new_code())
			continue;
		a->s->chance = before;
		found = try_batch(a, plan, tail, true);
		reach_learn_code();
	}
	if (found)
		*plan = a->next;
	a->target->ops->sweep(a->target);
	return found;
}

struct try_ahead *try_ahead_new(const struct fuzzed *f, struct stepper *s)
{
	struct try_ahead *a;

	if (!f->target->ops->save)
		return NULL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->target = f->target;
	a->judge = f->judge;
	a->s = s;
	a->base.kind = QK_NR;
	forms_init(&a->forms, s);
	return a;
}

void try_ahead_free(struct try_ahead *a)
{
	if (!a)
		return;
	for (unsigned int i = 0; i < PLACES; i++)
		if (a->at[i].judge)
			judge_free(a->at[i].judge);
	for (int i = 0; i < QK_NR; i++)
		free(a->made[i]);
	free(a);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how the steps of a plan are changed. The state before each step is
 * guessed from the table of transitions, so that steps that a device should
 * grant are as likely as steps that it should refuse.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/plan/steps.h"

static unsigned int below(struct stepper *s, unsigned int n)
{
	return chance_below(&s->chance, n);
}

static int pick_step(struct stepper *s, const struct plan *plan)
{
	return (int)below(s, (unsigned int)plan->n);
}

static void insert(struct plan *plan, int at, const struct step *step)
{
	if (plan->n == MAX_STEPS)
		plan->n--;
	if (at > plan->n)
		at = plan->n;
	memmove(&plan->step[at + 1], &plan->step[at],
		(size_t)(plan->n - at) * sizeof(*step));
	plan->step[at] = *step;
	plan->n++;
}

static void drop(struct plan *plan, int at)
{
	memmove(&plan->step[at], &plan->step[at + 1],
		(size_t)(plan->n - at - 1) * sizeof(plan->step[0]));
	plan->n--;
}

/* Returns a place for a new step, mostly the end. */
static int pick_place(struct stepper *s, const struct plan *plan)
{
	return below(s, 4) ? plan->n : (int)below(s, (unsigned int)plan->n + 1);
}

/* Returns a transition from this state that the table has, with the required
 * attributes and sometimes optional ones. */
static struct step legal_step(struct stepper *s, enum qp_kind kind, int from)
{
	struct step step = {.kind = STEP_MODIFY};
	int to;

	do
		to = (int)below(s, STATE_NR);
	while (!qp_table()->valid[from][to][kind]);
	step.to = (uint8_t)to;
	step.mask = gen_minimal(kind, from, to);
	if (!below(s, 3))
		step.mask |= gen_allowed(kind, from, to) &
			     (uint32_t)chance_bits(&s->chance);
	return step;
}

static void add_legal(struct stepper *s, struct plan *plan)
{
	int at = pick_place(s, plan);
	struct step step = legal_step(s, plan->kind, plan_state(plan, at));

	insert(plan, at, &step);
}

/* Returns one of the bits that are set in `from`, or 0. */
static uint32_t any_bit(struct stepper *s, uint32_t from)
{
	unsigned int left = (unsigned int)__builtin_popcount(from);

	if (!left)
		return 0;
	for (left = below(s, left); left; left--)
		from &= from - 1;
	return from & -from;
}

/* Replaces the plan by transitions to some state with required attributes
 * alone, and a transition from there with one attribute too few or too many. */
static void add_edge(struct stepper *s, struct plan *plan)
{
	int path[STATE_NR], from = IBV_QPS_RESET;
	int goal = (int)below(s, STATE_NR);
	bool error = goal == IBV_QPS_SQE && s->gen.d->can_inject;
	int n = state_path(goal == IBV_QPS_SQE ? IBV_QPS_RTS : goal, path);
	struct step step;

	plan->n = 0;
	for (int i = 0; i < n; i++) {
		step = (struct step){.kind = STEP_MODIFY,
				     .to = (uint8_t)path[i],
				     .mask = gen_minimal(plan->kind, from,
							 path[i])};
		insert(plan, plan->n, &step);
		from = path[i];
	}
	if (error) {
		step = (struct step){.kind = STEP_ERROR};
		insert(plan, plan->n, &step);
		from = step_state(plan->kind, from, &step);
	}
	step = legal_step(s, plan->kind, from);
	if (below(s, 2))
		step.mask &= ~any_bit(s, step.mask & ~(uint32_t)A_STATE);
	else
		step.mask |= any_bit(s, (uint32_t)A_DEFINED & ~step.mask);
	insert(plan, plan->n, &step);
}

/* Drops the end of the plan: late steps are mostly refused. */
static void cut_off(struct stepper *s, struct plan *plan)
{
	plan->n = pick_step(s, plan);
}

static void add_any(struct stepper *s, struct plan *plan)
{
	uint32_t bits = (uint32_t)chance_bits(&s->chance);
	int at = pick_place(s, plan), from = plan_state(plan, at);
	struct step step = {.kind = STEP_MODIFY,
			    .to = (uint8_t)below(s, STATE_NR)};

	switch (below(s, 4)) {
	case 0:
		step.mask = bits & (uint32_t)A_DEFINED;
		break;
	case 1:
		step.mask = bits;
		break;
	case 2:
		step.mask = gen_minimal(plan->kind, from, step.to) | A_STATE;
		break;
	default:
		step.mask = gen_allowed(plan->kind, from, step.to) & bits;
		break;
	}
	insert(plan, at, &step);
}

static void add_other(struct stepper *s, struct plan *plan)
{
	static const uint8_t other[] = {STEP_QUERY, STEP_QUERY, STEP_DRAINED,
					STEP_ERROR};
	struct step step = {.kind = other[below(s, 4)]};

	if (step.kind == STEP_ERROR && !s->gen.d->can_inject)
		step.kind = STEP_QUERY;
	insert(plan, pick_place(s, plan), &step);
}

static void flip_bit(struct stepper *s, struct plan *plan)
{
	struct step *step = &plan->step[pick_step(s, plan)];

	step->mask ^= 1u << below(s, 32);
}

/* Adds or removes one attribute that the step may have. */
static void flip_allowed(struct stepper *s, struct plan *plan)
{
	int at = pick_step(s, plan);
	struct step *step = &plan->step[at];

	step->mask ^= any_bit(s, gen_allowed(plan->kind, plan_state(plan, at),
					     step->to));
}

static void change_target(struct stepper *s, struct plan *plan)
{
	plan->step[pick_step(s, plan)].to = (uint8_t)below(s, STATE_NR);
}

/* Returns the value of a field in a step: the present one, a new one, or
 * another field's if the step is full. */
static struct step_value *value_of(struct stepper *s, struct step *step,
				   enum field f)
{
	for (int i = 0; i < step->nvalues; i++)
		if (step->value[i].field == f)
			return &step->value[i];
	if (step->nvalues < STEP_VALUES)
		return &step->value[step->nvalues++];
	return &step->value[below(s, STEP_VALUES)];
}

/* Changes a field that the step's mask names, mostly to a value worth trying.
 */
static void change_value(struct stepper *s, struct plan *plan)
{
	struct step *step = &plan->step[pick_step(s, plan)];
	const struct gen *g = &s->gen;

	for (int tries = 0; tries < 8; tries++) {
		size_t i = below(s, (unsigned int)g->nfields);
		const struct qp_field *f = &g->fields[i];
		const struct gen_try *t;
		struct step_value *v;
		uint64_t any;

		if (!(step->mask & 1u << f->attr))
			continue;
		v = value_of(s, step, (enum field)g->field_of[i]);
		any = chance_bits(&s->chance) & qp_field_max(f);
		*v = (struct step_value){.field = g->field_of[i],
					 .number = any,
					 .is = {NULL, (int64_t)any}};
		if (!s->ntries[i] || !below(s, 4))
			return;
		t = &s->tries[i][below(s, (unsigned int)s->ntries[i])];
		v->number = t->num;
		v->is = t->is;
		return;
	}
}

static void change_kind(struct stepper *s, struct plan *plan)
{
	plan->kind = (enum qp_kind)below(s, QK_NR);
}

static void remove_one(struct stepper *s, struct plan *plan)
{
	drop(plan, pick_step(s, plan));
}

static void repeat(struct stepper *s, struct plan *plan)
{
	struct step step = plan->step[pick_step(s, plan)];

	insert(plan, pick_place(s, plan), &step);
}

static void swap(struct stepper *s, struct plan *plan)
{
	int a = pick_step(s, plan), b = pick_step(s, plan);
	struct step step = plan->step[a];

	plan->step[a] = plan->step[b];
	plan->step[b] = step;
}

static const struct change {
	void (*make)(struct stepper *s, struct plan *plan);
	uint8_t weight;
	bool of_steps; /* needs a plan that has a step */
} changes[] = {
	{add_legal, 24, false},	  {add_edge, 12, false},
	{add_any, 4, false},	  {add_other, 6, false},
	{change_kind, 4, false},  {cut_off, 8, true},
	{flip_bit, 4, true},	  {flip_allowed, 12, true},
	{change_target, 4, true}, {change_value, 16, true},
	{remove_one, 8, true},	  {repeat, 2, true},
	{swap, 2, true},
};

static const struct change *pick_change(struct stepper *s, bool has_steps)
{
	unsigned int total = 0, at;

	for (size_t i = 0; i < COUNT(changes); i++)
		if (has_steps || !changes[i].of_steps)
			total += changes[i].weight;
	at = below(s, total);
	for (const struct change *c = changes;; c++) {
		if (c->of_steps && !has_steps)
			continue;
		if (at < c->weight)
			return c;
		at -= c->weight;
	}
}

/* --- Interface ------------------------------------------------------------ */

static bool list_tries(struct stepper *s)
{
	const struct gen *g = &s->gen;

	for (size_t i = 0; i < g->nfields; i++) {
		s->tries[i] = calloc(GEN_TRIES, sizeof(*s->tries[i]));
		if (!s->tries[i])
			return false;
		s->ntries[i] = gen_tries(g, &g->fields[i], s->tries[i]);
	}
	return true;
}

bool stepper_init(struct stepper *s, const struct device_info *d)
{
	memset(s, 0, sizeof(*s));
	s->selection.profile = PROFILE_FULL;
	gen_init(&s->gen, d, &s->selection, &s->program);
	return list_tries(s);
}

void stepper_free(struct stepper *s)
{
	for (size_t i = 0; i < s->gen.nfields; i++)
		free(s->tries[i]);
}

void plan_change(struct stepper *s, struct plan *plan)
{
	if (plan->kind >= QK_NR)
		change_kind(s, plan);
	pick_change(s, plan->n > 0)->make(s, plan);
}

void plan_cross(struct stepper *s, struct plan *plan, const struct plan *tail)
{
	int from;

	if (plan->kind >= QK_NR)
		change_kind(s, plan);
	plan->n = (int)below(s, (unsigned int)plan->n + 1);
	from = (int)below(s, (unsigned int)tail->n + 1);
	while (from < tail->n && plan->n < MAX_STEPS)
		plan->step[plan->n++] = tail->step[from++];
}

bool step_equal(const struct step *a, const struct step *b)
{
	if (a->kind != b->kind || a->mask != b->mask || a->to != b->to ||
	    a->nvalues != b->nvalues)
		return false;
	for (int i = 0; i < a->nvalues; i++)
		if (a->value[i].field != b->value[i].field ||
		    a->value[i].number != b->value[i].number)
			return false;
	return true;
}

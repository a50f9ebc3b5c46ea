/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how a program about one queue pair is changed. A step is a call of
 * the program before, perhaps with another mask or value, or a new one. The
 * state that each step finds is guessed from the table, so that steps that a
 * device should grant are as likely as those that it should refuse.
 */
#include <string.h>
#include "fuzz/steps.h"
#include "program/text.h"

enum step_kind { STEP_MODIFY, STEP_QUERY, STEP_DRAINED, STEP_ERROR };

struct step {
	uint8_t kind; /* enum step_kind */
	bool kept;    /* its values are those of call `call` of `from` */
	bool valued;  /* `value` replaces that of its field */
	uint32_t mask;
	uint8_t to;
	int call;
	const struct program *from;
	struct gen_value value;
};

struct plan {
	enum qp_kind kind;
	int n;
	struct step step[MAX_STEPS];
};

static unsigned int below(struct stepper *s, unsigned int n)
{
	return chance_below(&s->chance, n);
}

/* --- Reading ------------------------------------------------------------- */

static const struct setting *setting_of(const struct program *p, int call,
					enum field f)
{
	return find_setting(p, p->call[call].first, p->call[call].nset, f);
}

static uint64_t number_of(const struct program *p, int call, enum field f)
{
	const struct setting *s = setting_of(p, call, f);

	return s && s->value.kind == VAL_NUM ? (uint64_t)s->value.num : 0;
}

static bool read_step(const struct program *p, int call, struct step *step)
{
	*step = (struct step){.kept = true, .from = p, .call = call};
	switch (p->call[call].verb) {
	case V_modify_qp:
		step->kind = STEP_MODIFY;
		step->mask = (uint32_t)number_of(p, call, F_mask);
		step->to = (uint8_t)number_of(p, call, F_qp_state) % STATE_NR;
		return true;
	case V_query_qp:
		step->kind = STEP_QUERY;
		return true;
	case V_wait_drained:
		step->kind = STEP_DRAINED;
		return true;
	case V_inject_send_error:
		step->kind = STEP_ERROR;
		return true;
	default:
		return false;
	}
}

static void read_plan(const struct program *p, struct plan *plan)
{
	struct step step;

	plan->kind = QK_NR;
	plan->n = 0;
	for (int i = 0; i < p->ncalls; i++) {
		if (p->call[i].verb == V_create_qp ||
		    p->call[i].verb == V_create_qp_ex)
			plan->kind =
				qp_kind_of((int)number_of(p, i, F_qp_type));
		else if (plan->n < MAX_STEPS && read_step(p, i, &step))
			plan->step[plan->n++] = step;
	}
}

/* --- Guessing ------------------------------------------------------------ */

static int state_after(enum qp_kind kind, int from, const struct step *step)
{
	int to = step->mask & A_STATE ? step->to : from;

	if (step->kind == STEP_ERROR)
		return kind_stops_in_sqe(kind) ? IBV_QPS_SQE : IBV_QPS_ERR;
	if (step->kind != STEP_MODIFY ||
	    table_judge(qp_table(), kind, from, to,
			uverbs_mask(kind, to, step->mask), NULL, NULL))
		return from;
	return to;
}

static int state_at(const struct plan *plan, int at)
{
	int state = IBV_QPS_RESET;

	for (int i = 0; i < at; i++)
		state = state_after(plan->kind, state, &plan->step[i]);
	return state;
}

/* --- Building ------------------------------------------------------------ */

/* The value that a call had, where that is more than what gen_modify() puts
 * into every program: a number or a limit. */
static void keep_value(struct program *p, const struct setting *s)
{
	const struct value *v = &s->value;
	enum field f = (enum field)s->field;

	if (v->kind == VAL_NUM)
		prog_num(p, f, (uint64_t)v->num);
	else if (v->kind == VAL_GID)
		prog_gid(p, f, &v->gid);
	else if (v->kind == VAL_LIMIT)
		prog_limit(p, f, (enum limit)v->ref, v->num);
}

static void keep_values(struct stepper *s, const struct step *step)
{
	const struct program *from = step->from;
	const struct call *c = &from->call[step->call];

	for (int i = 0; i < c->nset; i++) {
		const struct setting *was = &from->setting[c->first + i];
		int bit = field_attr((enum field)was->field);

		if (bit >= 0 && (1u << bit) != A_STATE &&
		    step->mask & 1u << bit)
			keep_value(s->gen.p, was);
	}
}

static void build_modify(struct stepper *s, const struct step *step, int state)
{
	struct gen_values values = {0};

	if (step->valued)
		values.at[values.n++] = step->value;
	gen_modify(&s->gen, s->gen.qp, step->mask, state, step->to, &values);
	if (step->kept)
		keep_values(s, step);
	if (step->valued)
		gen_set(&s->gen, step->value.field, &step->value.is);
}

static void build_step(struct stepper *s, const struct step *step, int state)
{
	switch (step->kind) {
	case STEP_MODIFY:
		build_modify(s, step, state);
		break;
	case STEP_QUERY:
		gen_query_all(&s->gen, s->gen.qp);
		break;
	case STEP_DRAINED:
		gen_wait_drained(&s->gen, s->gen.qp);
		break;
	default:
		gen_call(&s->gen, V_inject_send_error, s->gen.qp);
		break;
	}
}

static void build(struct stepper *s, const struct plan *plan)
{
	const struct device_info *d = s->gen.d;
	int state = IBV_QPS_RESET;

	gen_init(&s->gen, d, &s->selection, &s->program);
	gen_qp(&s->gen, plan->kind);
	for (int i = 0; i < plan->n; i++) {
		build_step(s, &plan->step[i], state);
		state = state_after(plan->kind, state, &plan->step[i]);
	}
}

/* --- Changing ------------------------------------------------------------ */

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

/* A place for a new step: most often the end, where states get ahead. */
static int place_of(struct stepper *s, const struct plan *plan)
{
	return below(s, 2) ? plan->n : (int)below(s, (unsigned int)plan->n + 1);
}

/* A step from this state that the table has, with some of what it may carry. */
static struct step legal_step(struct stepper *s, enum qp_kind kind, int from)
{
	struct step step = {.kind = STEP_MODIFY};
	int to;

	do
		to = (int)below(s, STATE_NR);
	while (!qp_table()->valid[from][to]);
	step.to = (uint8_t)to;
	step.mask = gen_minimal(kind, from, to);
	if (!below(s, 3))
		step.mask |= gen_allowed(kind, from, to) &
			     (uint32_t)chance_bits(&s->chance);
	return step;
}

static void add_legal(struct stepper *s, struct plan *plan)
{
	int at = place_of(s, plan);
	struct step step = legal_step(s, plan->kind, state_at(plan, at));

	insert(plan, at, &step);
}

/* One bit of a mask, picked from those that are set in `from`. */
static uint32_t any_bit(struct stepper *s, uint32_t from)
{
	unsigned int left = (unsigned int)__builtin_popcount(from);

	if (!left)
		return 0;
	for (left = below(s, left); left; left--)
		from &= from - 1;
	return from & -from;
}

/* On the way up by what is required and no more, then one attribute too few or
 * too many: the edge of a cell of the table. */
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
		from = state_after(plan->kind, from, &step);
	}
	step = legal_step(s, plan->kind, from);
	if (below(s, 2))
		step.mask &= ~any_bit(s, step.mask & ~(uint32_t)A_STATE);
	else
		step.mask |= any_bit(s, (uint32_t)A_DEFINED & ~step.mask);
	insert(plan, plan->n, &step);
}

/* What comes behind is mostly refused by then. */
static void cut_off(struct stepper *s, struct plan *plan)
{
	plan->n = pick_step(s, plan);
}

static void add_any(struct stepper *s, struct plan *plan)
{
	uint32_t bits = (uint32_t)chance_bits(&s->chance);
	int at = place_of(s, plan), from = state_at(plan, at);
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
	insert(plan, place_of(s, plan), &step);
}

static void flip_bit(struct stepper *s, struct plan *plan)
{
	struct step *step = &plan->step[pick_step(s, plan)];

	step->mask ^= 1u << below(s, 32);
}

/* One attribute of the step's own, more or less: the edge of the table. */
static void flip_known(struct stepper *s, struct plan *plan)
{
	int at = pick_step(s, plan);
	struct step *step = &plan->step[at];

	step->mask ^= any_bit(s, gen_allowed(plan->kind, state_at(plan, at),
					     step->to));
}

static void change_target(struct stepper *s, struct plan *plan)
{
	plan->step[pick_step(s, plan)].to = (uint8_t)below(s, STATE_NR);
}

/* A value worth trying in a field of the step's mask. */
static void change_value(struct stepper *s, struct plan *plan)
{
	struct step *step = &plan->step[pick_step(s, plan)];
	struct gen *g = &s->gen;
	struct gen_try list[GEN_TRIES];

	for (int tries = 0; tries < 8; tries++) {
		size_t i = below(s, (unsigned int)g->nfields), n;
		const struct qp_field *f = &g->fields[i];

		if (!(step->mask & 1u << f->attr))
			continue;
		n = gen_tries(g, f, list);
		step->valued = true;
		step->value.field = (enum field)g->field_of[i];
		step->value.is = (struct field_bound){
			NULL,
			(int64_t)(chance_bits(&s->chance) & qp_field_max(f))};
		if (n && below(s, 4))
			step->value.is = list[below(s, (unsigned int)n)].is;
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

	insert(plan, place_of(s, plan), &step);
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
	bool of_steps; /* there has to be one */
} changes[] = {
	{add_legal, 24, false},	  {add_edge, 12, false},
	{add_any, 4, false},	  {add_other, 6, false},
	{change_kind, 4, false},  {cut_off, 8, true},
	{flip_bit, 4, true},	  {flip_known, 12, true},
	{change_target, 4, true}, {change_value, 16, true},
	{remove_one, 8, true},	  {repeat, 2, true},
	{swap, 2, true},
};

static const struct change *pick_change(struct stepper *s, bool has_steps)
{
	unsigned int total = 0, at;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
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

/* --- From outside -------------------------------------------------------- */

void stepper_init(struct stepper *s, const struct device_info *d)
{
	s->selection = (struct selection){.profile = PROFILE_FULL};
	gen_init(&s->gen, d, &s->selection, &s->program);
}

void steps_mutate(struct stepper *s, const struct program *from)
{
	struct plan plan;

	read_plan(from, &plan);
	if (plan.kind >= QK_NR)
		change_kind(s, &plan);
	pick_change(s, plan.n > 0)->make(s, &plan);
	build(s, &plan);
}

void steps_cross(struct stepper *s, const struct program *head,
		 const struct program *tail)
{
	struct plan plan, end;
	int from;

	read_plan(head, &plan);
	read_plan(tail, &end);
	if (plan.kind >= QK_NR)
		change_kind(s, &plan);
	plan.n = (int)below(s, (unsigned int)plan.n + 1);
	from = (int)below(s, (unsigned int)end.n + 1);
	while (from < end.n && plan.n < MAX_STEPS)
		plan.step[plan.n++] = end.step[from++];
	build(s, &plan);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Converts a program about one queue pair to a plan, and a plan to a program. A
 * step stores only the values that differ from those of gen_modify().
 */
#include <string.h>
#include "fuzz/plan/steps.h"
#include "program/text.h"

/* --- Reading ------------------------------------------------------------- */

static uint64_t number_of(const struct program *p, int call, enum field f)
{
	const struct setting *s =
		find_setting(p, p->call[call].first, p->call[call].nset, f);

	return s && s->value.kind == VAL_NUM ? (uint64_t)s->value.num : 0;
}

static bool bound_of(const struct value *v, struct field_bound *is)
{
	is->plus = v->num;
	is->symbol = NULL;
	if (v->kind == VAL_LIMIT)
		is->symbol = limit_name((enum limit)v->ref);
	else if (v->kind == VAL_SYM)
		is->symbol = symbol_name(v->ref);
	return v->kind == VAL_NUM || is->symbol;
}

static uint64_t good_value(const struct gen *g, enum field f)
{
	static const struct field_bound one = {NULL, 1};
	const struct field_bound *good = NULL;

	for (size_t i = 0; i < g->nfields; i++)
		if (g->field_of[i] == f)
			good = &g->fields[i].good;
	if ((f == F_ah_is_global || f == F_alt_is_global) && !g->global)
		good = &one;
	return good ? field_bound(good, g->d) : 0;
}

static void read_value(const struct gen *g, const struct setting *s,
		       struct step *step)
{
	struct step_value *v = &step->value[step->nvalues];
	enum field f = (enum field)s->field;
	int bit = field_attr(f);

	if (bit < 0 || !(step->mask & 1u << bit) || f == F_qp_state ||
	    f == F_cur_qp_state || step->nvalues == STEP_VALUES ||
	    !bound_of(&s->value, &v->is))
		return;
	v->field = (uint16_t)f;
	v->number = field_bound(&v->is, g->d);
	if (v->number <= field_max(f) && v->number != good_value(g, f))
		step->nvalues++;
}

/* Stores a state as a value of the step if it is not the usual one: a number
 * that is no state, or another current state than the guess. */
static void read_state(const struct program *p, int call, enum field f,
		       uint64_t usual, struct step *step)
{
	struct step_value *v = &step->value[step->nvalues];
	uint64_t number = number_of(p, call, f);

	if (!(step->mask & 1u << field_attr(f)) || number == usual)
		return;
	v->field = (uint16_t)f;
	v->number = number;
	v->is = (struct field_bound){NULL, (int64_t)number};
	step->nvalues++;
}

static void read_modify(const struct gen *g, const struct program *p, int call,
			int state, struct step *step)
{
	const struct call *c = &p->call[call];

	step->mask = (uint32_t)number_of(p, call, F_mask);
	step->to = (uint8_t)(number_of(p, call, F_qp_state) % STATE_NR);
	read_state(p, call, F_qp_state, step->to, step);
	read_state(p, call, F_cur_qp_state, (uint64_t)state, step);
	for (int i = 0; i < c->nset; i++)
		read_value(g, &p->setting[c->first + i], step);
}

static bool read_step(const struct gen *g, const struct program *p, int call,
		      int state, struct step *step)
{
	memset(step, 0, sizeof(*step));
	switch (p->call[call].verb) {
	case V_modify_qp:
		step->kind = STEP_MODIFY;
		read_modify(g, p, call, state, step);
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

void plan_read(struct stepper *s, const struct program *p, struct plan *plan)
{
	int state = IBV_QPS_RESET;

	plan->kind = QK_NR;
	plan->n = 0;
	for (int i = 0; i < p->ncalls; i++) {
		struct step *step = &plan->step[plan->n];

		if (p->call[i].verb == V_create_qp ||
		    p->call[i].verb == V_create_qp_ex) {
			plan->kind =
				qp_kind_of((int)number_of(p, i, F_qp_type));
		} else if (plan->n < MAX_STEPS && plan->kind < QK_NR &&
			   read_step(&s->gen, p, i, state, step)) {
			state = step_state(plan->kind, state, step);
			plan->n++;
		}
	}
}

/* --- Guessing ------------------------------------------------------------ */

bool step_sets(const struct step *step, const struct step_value *v)
{
	return step->mask & 1u << field_attr((enum field)v->field);
}

int step_state(enum qp_kind kind, int from, const struct step *step)
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

int plan_state(const struct plan *plan, int at)
{
	int state = IBV_QPS_RESET;

	for (int i = 0; i < at; i++)
		state = step_state(plan->kind, state, &plan->step[i]);
	return state;
}

/* --- Building ------------------------------------------------------------ */

static void build_modify(struct stepper *s, const struct step *step, int state)
{
	struct gen_values values = {.n = 0};

	for (int i = 0; i < step->nvalues; i++)
		if (step_sets(step, &step->value[i]))
			values.at[values.n++] = (struct gen_value){
				(enum field)step->value[i].field,
				step->value[i].is};
	gen_modify(&s->gen, s->gen.qp, step->mask, state, step->to, &values);
	for (int i = 0; i < values.n; i++)
		gen_set(&s->gen, values.at[i].field, &values.at[i].is);
}

void step_build(struct stepper *s, const struct step *step, int state)
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

void plan_build(struct stepper *s, const struct plan *plan)
{
	const struct device_info *d = s->gen.d;
	int state = IBV_QPS_RESET;

	gen_init(&s->gen, d, &s->selection, &s->program);
	gen_qp(&s->gen, plan->kind);
	for (int i = 0; i < plan->n; i++) {
		step_build(s, &plan->step[i], state);
		state = step_state(plan->kind, state, &plan->step[i]);
	}
}

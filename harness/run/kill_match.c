// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which cases a seeded fault can show in: those that call its verb, on its
 * type, with its attribute. First of all those about its row or its step.
 */
#include <stdlib.h>
#include <string.h>
#include "run/kill.h"

static const enum verb modifying = V_modify_qp;

static uint64_t bit_of(enum verb verb)
{
	return UINT64_C(1) << verb;
}

static void add_setting(struct traits *t, const struct setting *s)
{
	if (s->value.kind != VAL_NUM)
		return;
	if (s->field == F_mask)
		t->attrs |= (uint32_t)s->value.num;
	if (s->field == F_qp_type || s->field == F_open_qp_type) {
		enum qp_kind kind = qp_kind_of((int)s->value.num);

		if (kind != QK_NR)
			t->kinds |= 1u << kind;
	}
}

/* "modify/TYPE/FROM-TO/…" */
static void find_step(const char *id, struct traits *t)
{
	char text[CASE_ID_LEN];
	char *type, *from, *to;

	strcpy(text, id);
	type = strchr(text, '/');
	from = type ? strchr(type + 1, '/') : NULL;
	to = from ? strchr(from + 1, '-') : NULL;
	if (!to || strncmp(text, "modify/", 7) != 0)
		return;
	*from++ = 0;
	*to++ = 0;
	to[strcspn(to, "/")] = 0;
	t->kind = (int)qp_kind_by_name(type + 1);
	t->from = state_by_name(from);
	t->to = state_by_name(to);
}

void traits_of_case(const struct test_case *c, struct traits *t)
{
	const struct program *p = c->program;

	*t = (struct traits){.row = c->row, .kind = -1, .from = -1, .to = -1};
	for (int i = 0; i < p->ncalls; i++)
		t->verbs |= bit_of((enum verb)p->call[i].verb);
	for (int i = 0; i < p->nsettings; i++)
		add_setting(t, &p->setting[i]);
	find_step(c->id, t);
}

/* Verbs that a field is an input, or an output, of. */
static uint64_t verbs_with(enum field f, bool input)
{
	enum family fam = field_info(f)->family;
	uint64_t verbs = 0;

	for (int v = 0; v < VERB_NR; v++) {
		const struct verb_info *info = verb_info((enum verb)v);

		if (input ? info->in == fam
			  : info->out == fam || info->out2 == fam)
			verbs |= bit_of((enum verb)v);
	}
	return verbs;
}

static uint64_t verbs_making(enum object_kind kind)
{
	uint64_t verbs = 0;

	for (int v = 0; v < VERB_NR; v++)
		if (verb_info((enum verb)v)->makes == kind)
			verbs |= bit_of((enum verb)v);
	return verbs;
}

static uint32_t attr_of(enum field f)
{
	int bit = field_attr(f);

	if (bit < 0 || attr_report(bit) != REPORT_SET)
		return 0;
	return 1u << bit;
}

static void by_field(const struct mutant *m, struct traits *t)
{
	bool output = m->op >= MUT_DROP && m->op <= MUT_MAP;

	t->verbs = verbs_with(m->field, !output);
	if (output || m->op == MUT_CLOBBER)
		t->attrs = attr_of(m->field);
}

/* What the operand says. */
static void by_operand(const struct mutant *m, struct traits *t)
{
	if (m->row != ROW_NONE) {
		t->row = m->row;
		return;
	}
	if (m->op == MUT_CELL || m->op == MUT_PAIR || m->attr >= 0)
		t->verbs = bit_of(modifying);
	if (m->op == MUT_IGNORE || m->op == MUT_PARTIAL)
		t->attrs = 1u << m->attr;
	if (m->field != FIELD_NR)
		by_field(m, t);
	if (m->verb != VERB_NR)
		t->verbs = bit_of(m->verb);
	if (m->child != OBJ_NONE)
		t->verbs = verbs_making(m->child);
	else if (m->parent != OBJ_NONE)
		t->verbs = verbs_making(m->parent);
}

void traits_of_mutant(const struct mutant *m, struct traits *t)
{
	*t = (struct traits){.verbs = UINT64_MAX, .kinds = UINT32_MAX,
			     .kind = -1, .from = -1, .to = -1};
	by_operand(m, t);
	t->kind = m->kind >= 0 ? m->kind : m->where.kind;
	t->from = m->from >= 0 ? m->from : m->where.from;
	t->to = m->to >= 0 ? m->to : m->where.to;
	if (t->kind >= 0)
		t->kinds = 1u << t->kind;
	if (m->where.verb >= 0)
		t->verbs &= bit_of((enum verb)m->where.verb);
}

bool traits_fit(const struct traits *c, const struct traits *needs)
{
	if (!(c->verbs & needs->verbs) || needs->attrs & ~c->attrs)
		return false;
	return needs->kind < 0 || c->kinds & needs->kinds;
}

bool traits_likely(const struct traits *c, const struct traits *needs)
{
	if (needs->row != ROW_NONE && needs->row != c->row)
		return false;
	if (needs->to < 0)
		return true;
	if (needs->kind >= 0 && needs->kind != c->kind)
		return false;
	return needs->from == c->from && needs->to == c->to;
}

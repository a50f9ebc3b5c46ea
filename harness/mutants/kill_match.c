// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides which cases can show a seeded fault: those that call its verb, on its
 * queue pair type, with its attribute, and in which its row comes up. Likely
 * cases are those about that row or step, with the field in their id, or those
 * that the fault names.
 */
#include <stdlib.h>
#include <string.h>
#include "mutants/kill.h"
#include "mutants/seeded.h"
#include "vendor/vendor.h"

static struct bits only(enum verb verb)
{
	struct bits verbs = {0};

	bits_add(&verbs, verb);
	return verbs;
}

static void add_setting(struct traits *t, const struct setting *s)
{
	enum qp_kind kind;

	t->given[s->field / 64] |= UINT64_C(1) << (s->field % 64);
	if (s->value.kind != VAL_NUM)
		return;
	if (s->field == F_mask)
		t->attrs |= (uint32_t)s->value.num;
	kind = s->field == F_open_qp_type ? qp_kind_of((int)s->value.num)
					  : setting_kind(s);
	if (kind != QK_NR)
		t->kinds |= 1u << kind;
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

/* Returns the last part of a field's name, as in case ids: "flow_label". */
static const char *short_name(enum field f)
{
	const char *text = field_info(f)->text;
	const char *dot = strrchr(text, '.');

	return dot ? dot + 1 : text;
}

/* Returns a bit for each character that the text has. */
static uint64_t characters(const char *text)
{
	uint64_t set = 0;

	for (; *text; text++)
		set |= UINT64_C(1) << (*text & 63);
	return set;
}

/* Returns the characters of each field's short name. Most names have one that
 * an id lacks, and need not be searched for. */
static const uint64_t *characters_of_fields(void)
{
	static uint64_t of[FIELD_NR];

	if (!of[0])
		for (int f = 0; f < FIELD_NR; f++)
			of[f] = characters(short_name((enum field)f));
	return of;
}

static void find_names(const char *id, struct traits *t)
{
	const uint64_t *wanted = characters_of_fields();
	uint64_t there = characters(id);

	for (int f = 0; f < FIELD_NR; f++)
		if (!(wanted[f] & ~there) &&
		    strstr(id, short_name((enum field)f)))
			t->named[f / 64] |= UINT64_C(1) << (f % 64);
	for (int bit = 0; bit < 32; bit++)
		if (attr_name(bit) && strstr(id, attr_name(bit)))
			t->named_attrs |= 1u << bit;
}

void traits_of_case(const struct test_case *c, struct traits *t)
{
	const struct program *p = c->program;

	*t = (struct traits){
		.id = c->id, .row = c->row, .kind = -1, .from = -1, .to = -1};
	for (int i = 0; i < p->ncalls; i++)
		bits_add(&t->verbs, p->call[i].verb);
	for (int i = 0; i < p->nsettings; i++)
		add_setting(t, &p->setting[i]);
	find_step(c->id, t);
	find_names(c->id, t);
}

/* Returns the verbs that have the field as an input or as an output. */
static struct bits verbs_with(enum field f, bool input)
{
	enum family fam = field_info(f)->family;
	struct bits verbs = {0};

	for (int v = 0; v < VERB_NR; v++) {
		const struct verb_info *info = verb_info((enum verb)v);

		if (input ? info->in == fam
			  : info->out == fam || info->out2 == fam)
			bits_add(&verbs, (unsigned int)v);
	}
	return verbs;
}

static struct bits verbs_making(enum object_kind kind)
{
	struct bits verbs = {0};

	for (int v = 0; v < VERB_NR; v++)
		if (verb_info((enum verb)v)->makes == kind)
			bits_add(&verbs, (unsigned int)v);
	return verbs;
}

static uint32_t attr_of(enum field f)
{
	int bit = field_attr(f);

	if (bit < 0 || attr_report(bit) != REPORT_SET)
		return 0;
	return 1u << bit;
}

/* Returns true if the fault is in a limit that the device reports. Every case
 * that reaches the limit can show it. */
static bool is_reported_limit(const struct mutant *m)
{
	enum family fam = field_info(m->field)->family;

	return (fam == FAM_DEVICE || fam == FAM_PORT) && m->op >= MUT_LESS &&
	       m->op <= MUT_UNCHECKED;
}

static void by_field(const struct mutant *m, struct needs *n)
{
	bool output = m->op >= MUT_DROP && m->op <= MUT_MAP;

	n->field = m->field;
	if (is_reported_limit(m))
		return;
	n->verbs = verbs_with(m->field, !output);
	if (bits_none(&n->verbs)) /* no verb returns a field of a request */
		n->verbs = verbs_with(m->field, output);
	if (output || m->op == MUT_CLOBBER)
		n->attrs = attr_of(m->field);
}

/* Sets what the operator and its operands need. */
static void by_operand(const struct mutant *m, struct needs *n)
{
	n->row = m->row;
	n->given = m->op == MUT_FLIP;
	if (m->op == MUT_CELL || m->op == MUT_PAIR || m->attr >= 0)
		n->verbs = only(V_modify_qp);
	if (m->op == MUT_IGNORE || m->op == MUT_PARTIAL) {
		n->attr = m->attr;
		n->attrs = 1u << m->attr;
	}
	if (m->field != FIELD_NR)
		by_field(m, n);
	if (m->verb != VERB_NR)
		n->verbs = only(m->verb);
	if (m->child != OBJ_NONE)
		n->verbs = verbs_making(m->child);
	else if (m->parent != OBJ_NONE)
		n->verbs = verbs_making(m->parent);
}

void needs_of_mutant(const struct mutant *m, struct needs *n)
{
	*n = (struct needs){.kinds = UINT32_MAX, .attr = -1, .field = FIELD_NR};
	for (unsigned int v = 0; v < VERB_NR; v++)
		bits_add(&n->verbs, v);
	by_operand(m, n);
	n->cases = mutant_cases(m);
	n->kind = m->kind >= 0 ? m->kind : m->where.kind;
	n->from = m->from >= 0 ? m->from : m->where.from;
	n->to = m->to >= 0 ? m->to : m->where.to;
	if (n->kind >= 0)
		n->kinds = 1u << n->kind;
	if (m->where.verb < 0)
		return;
	if (bits_has(&n->verbs, (unsigned int)m->where.verb))
		n->verbs = only((enum verb)m->where.verb);
	else
		n->verbs = (struct bits){0};
}

bool case_can_show(const struct traits *c, const struct needs *n)
{
	if (!bits_meet(&c->verbs, &n->verbs) || n->attrs & ~c->attrs)
		return false;
	if (n->row != ROW_NONE && !has_bit(c->covered, n->row))
		return false;
	if (n->given && !has_bit(c->given, n->field))
		return false;
	return n->kind < 0 || c->kinds & n->kinds;
}

static bool step_equal(const struct traits *c, const struct needs *n)
{
	if (n->kind >= 0 && n->kind != c->kind)
		return false;
	return n->from == c->from && n->to == c->to;
}

bool case_likely(const struct traits *c, const struct needs *n)
{
	if (n->cases && strncmp(c->id, n->cases, strlen(n->cases)) != 0)
		return false;
	if (n->row != ROW_NONE && n->row != c->row)
		return false;
	if (n->to >= 0 && !step_equal(c, n))
		return false;
	if (n->attr >= 0 && !(c->named_attrs & 1u << n->attr))
		return false;
	return n->field == FIELD_NR || has_bit(c->named, n->field);
}

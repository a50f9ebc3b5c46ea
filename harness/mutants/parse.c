/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the text of a seeded fault: a museum name, or OPERATOR:OPERANDS.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "mutants/mutant.h"

enum operand {
	OPERAND_NONE,
	OPERAND_ROW,
	OPERAND_ROW_ERRNO,
	OPERAND_ROW_OUT,
	OPERAND_CELL,
	OPERAND_PAIR,
	OPERAND_KIND_BIT,
	OPERAND_FIELD,
	OPERAND_FIELD_FIELD,
	OPERAND_FIELD_NUMBER,
	OPERAND_FIELD_BITS,
	OPERAND_FIELD_VALUES,
	OPERAND_ATTR,
	OPERAND_VERB,
	OPERAND_VERB_ERRNO,
	OPERAND_KIND,
	OPERAND_KINDS,
	OPERAND_PERCENT,
	OPERAND_QUIRK,
	OPERAND_NR
};

static const struct {
	const char *name;
	enum operand operand;
} ops[MUT_NR] = {
#define OP(id, text, operand) [MUT_##id] = {text, OPERAND_##operand},
#include "mutants/operators.def"
};

static const struct museum_row exhibits[] = {
#define MUTANT(name, spec, klass, origin) {name, spec, klass, origin},
#include "mutants/museum.def"
};

const struct museum_row *museum(size_t *n)
{
	*n = COUNT(exhibits);
	return exhibits;
}

/* Cuts the text at a separator. Returns the rest, or NULL without separator. */
static char *cut(char *text, char at)
{
	char *rest = strchr(text, at);

	if (rest)
		*rest++ = 0;
	return rest;
}

static bool parse_row(struct mutant *m, char *text)
{
	m->row = row_by_id(text);
	return m->row != ROW_NONE;
}

static bool parse_errno(struct mutant *m, const char *name)
{
	for (int err = 1; name && err < 200; err++)
		if (!strcmp(errno_name(err), name))
			m->err = err;
	return m->err != 0;
}

static bool parse_row_errno(struct mutant *m, char *text)
{
	char *name = cut(text, '=');

	return parse_errno(m, name) && parse_row(m, text);
}

static bool parse_row_out(struct mutant *m, char *text)
{
	char *name = cut(text, '=');

	if (!name || !parse_row(m, text))
		return false;
	for (int i = 0; i < rule_nouts(m->row); i++)
		if (!strcmp(out_name(rule(m->row)->out[i]), name))
			m->out = rule(m->row)->out[i];
	return m->out != OUT_NONE;
}

/* FROM-TO */
static bool parse_states(struct mutant *m, char *text)
{
	char *to = cut(text, '-');

	m->from = state_by_name(text);
	m->to = to ? state_by_name(to) : -1;
	return m->from >= 0 && m->to >= 0;
}

static bool set_cell(struct cell *cell, uint32_t bit, const char *value)
{
	cell->required &= ~bit;
	cell->optional &= ~bit;
	if (!strcmp(value, "required"))
		cell->required |= bit;
	else if (!strcmp(value, "optional"))
		cell->optional |= bit;
	else if (!strcmp(value, "forbidden"))
		cell->forbidden |= bit;
	else
		return false;
	return true;
}

/* TYPE/FROM-TO/ATTR=VALUE */
static bool parse_cell(struct mutant *m, char *text)
{
	char *states = cut(text, '/');
	char *attr = states ? cut(states, '/') : NULL;
	char *value = attr ? cut(attr, '=') : NULL;
	enum qp_kind kind = qp_kind_by_name(text);

	if (!value || kind == QK_NR || !parse_states(m, states))
		return false;
	m->attr = attr_by_name(attr);
	m->kind = (int)kind;
	m->table = *qp_table();
	return m->attr >= 0 && set_cell(&m->table.cell[m->from][m->to][kind],
					1u << m->attr, value);
}

static bool parse_pair(struct mutant *m, char *text)
{
	int only = m->where.kind;

	if (!parse_states(m, text))
		return false;
	m->table = *qp_table();
	for (int k = 0; k < QK_END; k++) {
		bool *valid = &m->table.valid[m->from][m->to][k];

		if (only < 0 ? k < QK_NR : k == only)
			*valid = !*valid;
	}
	return true;
}

static const char *const families[FAM_NR] = {
#define FAMILY(id, type) [FAM_##id] = #id,
#define FIELD(fam, id, text, member, kind, names)
#include "program/fields.def"
};

const char *mutant_field_name(enum field f, char *buf, size_t len)
{
	const struct field_info *info = field_info(f);

	snprintf(buf, len, "%s.%s", families[info->family], info->text);
	return buf;
}

/* Finds a field by its text, with its family in front if the text is not
 * unique: "timeout", "QP_INIT.cap.max_send_wr". */
static bool find_field(char *text, enum field *f)
{
	for (int fam = 1; fam < FAM_NR; fam++) {
		size_t len = strlen(families[fam]);
		const char *name = text;
		int found;

		if (!strncmp(text, families[fam], len) && text[len] == '.')
			name = text + len + 1;
		found = field_by_text((enum family)fam, name);
		if (found < 0)
			continue;
		*f = (enum field)found;
		return true;
	}
	return false;
}

static bool parse_field(struct mutant *m, char *text)
{
	return find_field(text, &m->field);
}

/* TYPE/FIELD=NAME, the name of a creation bit */
static bool parse_kind_bit(struct mutant *m, char *text)
{
	char *field = cut(text, '/');
	char *name = field ? cut(field, '=') : NULL;
	size_t n;
	const struct create_bit *bits = create_bits(&n);

	m->kind = (int)qp_kind_by_name(text);
	if (!name || m->kind == QK_NR || !parse_field(m, field))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(bits[i].what, field) && !strcmp(bits[i].name, name))
			m->bit = bits[i].bit;
	return m->bit != 0;
}

static bool parse_field_field(struct mutant *m, char *text)
{
	char *other = cut(text, '=');

	return other && parse_field(m, text) && find_field(other, &m->other);
}

static bool parse_field_number(struct mutant *m, char *text)
{
	char *number = cut(text, '=');
	char *end;

	if (!number)
		return false;
	m->number = (int)strtol(number, &end, 10);
	return !*end && parse_field(m, text);
}

static bool parse_field_values(struct mutant *m, char *text)
{
	char *first = cut(text, '=');
	char *second = first ? cut(first, ',') : NULL;
	char *end, *end2;

	if (!second)
		return false;
	m->a = (int)strtol(first, &end, 0);
	m->b = (int)strtol(second, &end2, 0);
	return !*end && !*end2 && parse_field(m, text);
}

static bool parse_field_bits(struct mutant *m, char *text)
{
	return parse_field_values(m, text) && m->a >= 0 && m->a < 64 &&
	       m->b >= 0 && m->b < 64;
}

static bool parse_attr(struct mutant *m, char *text)
{
	m->attr = attr_by_name(text);
	return m->attr >= 0;
}

static bool parse_verb(struct mutant *m, char *text)
{
	int verb = verb_by_name(text);

	m->verb = verb < 0 ? VERB_NR : (enum verb)verb;
	return verb >= 0;
}

static bool parse_verb_errno(struct mutant *m, char *text)
{
	char *name = cut(text, '=');

	return parse_errno(m, name) && parse_verb(m, text);
}

static bool find_kind(const char *text, enum object_kind *kind)
{
	for (int k = 1; k < OBJ_KIND_NR; k++) {
		if (strcmp(object_prefix((enum object_kind)k), text))
			continue;
		*kind = (enum object_kind)k;
		return true;
	}
	return false;
}

static bool parse_kind(struct mutant *m, char *text)
{
	return find_kind(text, &m->parent);
}

static bool parse_kinds(struct mutant *m, char *text)
{
	char *child = cut(text, '/');

	return child && parse_kind(m, text) && find_kind(child, &m->child);
}

static bool parse_percent(struct mutant *m, char *text)
{
	char *end;

	m->number = (int)strtol(text, &end, 10);
	return !*end && m->number > 0 && m->number <= 100;
}

static bool parse_quirk(struct mutant *m, char *text)
{
	static const char *const names[QUIRK_NR] = {
#define QUIRK(id, text, klass, cases, sentence) [QUIRK_##id] = text,
#include "mutants/quirks.def"
	};

	for (int q = 1; q < QUIRK_NR; q++)
		if (!strcmp(names[q], text))
			m->quirk = (enum quirk)q;
	return m->quirk != QUIRK_NONE;
}

static bool (*const parsers[OPERAND_NR])(struct mutant *m, char *text) = {
	[OPERAND_ROW] = parse_row,
	[OPERAND_ROW_ERRNO] = parse_row_errno,
	[OPERAND_ROW_OUT] = parse_row_out,
	[OPERAND_CELL] = parse_cell,
	[OPERAND_PAIR] = parse_pair,
	[OPERAND_KIND_BIT] = parse_kind_bit,
	[OPERAND_FIELD] = parse_field,
	[OPERAND_FIELD_FIELD] = parse_field_field,
	[OPERAND_FIELD_NUMBER] = parse_field_number,
	[OPERAND_FIELD_BITS] = parse_field_bits,
	[OPERAND_FIELD_VALUES] = parse_field_values,
	[OPERAND_ATTR] = parse_attr,
	[OPERAND_VERB] = parse_verb,
	[OPERAND_VERB_ERRNO] = parse_verb_errno,
	[OPERAND_KIND] = parse_kind,
	[OPERAND_KINDS] = parse_kinds,
	[OPERAND_PERCENT] = parse_percent,
	[OPERAND_QUIRK] = parse_quirk,
};

/* A verb, a queue pair type, a state, or FROM-TO. */
static bool parse_where(struct mutant_where *where, char *text)
{
	enum qp_kind kind = qp_kind_by_name(text);
	int verb = verb_by_name(text);
	char *to = cut(text, '-');

	if (verb >= 0) {
		where->verb = verb;
		return true;
	}
	if (kind != QK_NR) {
		where->kind = (int)kind;
		return true;
	}
	where->from = state_by_name(text);
	if (!to)
		return where->from >= 0;
	where->verb = V_modify_qp;
	where->to = state_by_name(to);
	return where->from >= 0 && where->to >= 0;
}

static bool parse_wheres(struct mutant_where *where, char *text)
{
	while (text) {
		char *next = cut(text, '@');

		if (!parse_where(where, text))
			return false;
		text = next;
	}
	return true;
}

static const char *spec_of(const char *name)
{
	for (size_t i = 0; i < COUNT(exhibits); i++)
		if (!strcasecmp(exhibits[i].name, name))
			return exhibits[i].spec;
	return name;
}

static void clear(struct mutant *m, const char *name)
{
	memset(m, 0, sizeof(*m));
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->field = FIELD_NR;
	m->verb = VERB_NR;
	m->attr = -1;
	m->kind = -1;
	m->from = -1;
	m->to = -1;
	m->where = (struct mutant_where){-1, -1, -1, -1};
}

int mutant_parse(const char *name, struct mutant *m, char *err, size_t errlen)
{
	char text[128];
	char *operands, *wheres;

	clear(m, name);
	snprintf(text, sizeof(text), "%s", spec_of(name));
	wheres = cut(text, '@');
	operands = cut(text, ':');
	if (!parse_wheres(&m->where, wheres))
		operands = NULL;
	for (int op = 1; operands && op < MUT_NR; op++) {
		if (strcmp(ops[op].name, text))
			continue;
		m->op = (enum mutant_op)op;
		if (parsers[ops[op].operand](m, operands))
			return 0;
		break;
	}
	snprintf(err, errlen,
		 "unknown seeded fault '%s': see 'ibvet mutants' for the names",
		 name);
	return -EINVAL;
}

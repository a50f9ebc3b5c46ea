/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Converts points to numbers and to text. The text has the names of types,
 * states, fields, verbs and rows, so that another version of ibvet can read the
 * journal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract/opcodes.h"
#include "program/program.h"
#include "coverage/point.h"

uint64_t point_key(const struct point *point)
{
	return (uint64_t)point->what << 60 | (uint64_t)point->kind << 52 |
	       (uint64_t)point->from << 44 | (uint64_t)point->to << 36 |
	       point->id;
}

struct point point_of_key(uint64_t key)
{
	return (struct point){.what = (uint8_t)(key >> 60),
			      .kind = (uint8_t)(key >> 52),
			      .from = (uint8_t)(key >> 44),
			      .to = (uint8_t)(key >> 36),
			      .id = (uint32_t)key};
}

static const char *post_name(uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);

	return op ? op->slug : "recv";
}

void point_print(const struct point *point, char *buf, size_t len)
{
	switch (point->what) {
	case POINT_MASK:
		snprintf(buf, len, "mask %s %s %s 0x%x",
			 qp_kind_slug(point->kind), state_name(point->from),
			 state_name(point->to), point->id);
		return;
	case POINT_FIELD:
		snprintf(buf, len, "field %s %s", qp_kind_slug(point->kind),
			 field_info(point->id)->text);
		return;
	case POINT_VERB:
		snprintf(buf, len, "verb %s", verb_info(point->id)->name);
		return;
	case POINT_POST:
		snprintf(buf, len, "post %s %s %s", qp_kind_slug(point->kind),
			 state_name(point->from), post_name(point->id));
		return;
	default:
		snprintf(buf, len, "row %s", rule(point->id)->id);
	}
}

static bool parse_mask(char *word[5], struct point *point)
{
	int from = state_by_name(word[2]);
	int to = state_by_name(word[3]);

	point->what = POINT_MASK;
	point->kind = (uint8_t)qp_kind_by_name(word[1]);
	point->from = (uint8_t)from;
	point->to = (uint8_t)to;
	point->id = (uint32_t)strtoul(word[4], NULL, 0);
	return point->kind != QK_NR && from >= 0 && to >= 0;
}

static bool parse_field(char *word[5], struct point *point)
{
	int f = field_by_text(FAM_QP_ATTR, word[2]);

	point->what = POINT_FIELD;
	point->kind = (uint8_t)qp_kind_by_name(word[1]);
	point->id = (uint32_t)f;
	return point->kind != QK_NR && f >= 0;
}

static bool parse_verb(char *word[5], struct point *point)
{
	int verb = verb_by_name(word[1]);

	point->what = POINT_VERB;
	point->id = (uint32_t)verb;
	return verb >= 0;
}

static bool parse_row(char *word[5], struct point *point)
{
	point->what = POINT_ROW;
	point->id = row_by_id(word[1]);
	return point->id != ROW_NONE;
}

static bool opcode_named(const char *name, uint32_t *opcode)
{
	size_t n;
	const struct opcode *op = opcodes_all(&n);

	*opcode = POST_RECV;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(op[i].slug, name))
			*opcode = op[i].value;
	return *opcode != POST_RECV || !strcmp(name, "recv");
}

static bool parse_post(char *word[5], struct point *point)
{
	int state = state_by_name(word[2]);

	point->what = POINT_POST;
	point->kind = (uint8_t)qp_kind_by_name(word[1]);
	point->from = (uint8_t)state;
	return point->kind != QK_NR && state >= 0 &&
	       opcode_named(word[3], &point->id);
}

bool point_parse(const char *text, struct point *point)
{
	static const struct {
		const char *name;
		int words;
		bool (*parse)(char *word[5], struct point *point);
	} forms[] = {
		{"mask", 5, parse_mask}, {"field", 3, parse_field},
		{"verb", 2, parse_verb}, {"row", 2, parse_row},
		{"post", 4, parse_post},
	};
	char copy[POINT_TEXT], *word[5], *rest = copy;
	int n = 0;

	memset(point, 0, sizeof(*point));
	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	while (n < 5 && rest)
		word[n++] = strsep(&rest, " ");
	for (size_t i = 0; i < COUNT(forms); i++)
		if (n == forms[i].words && !strcmp(word[0], forms[i].name))
			return forms[i].parse(word, point);
	return false;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses one value of a program's text, as its field allows.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "program/lex.h"

int find_object(const struct program *p, struct word w)
{
	for (int slot = 0; slot < p->nobjects; slot++)
		if (word_is(w, p->object[slot].name))
			return slot;
	return -1;
}

int parse_object(struct lexer *l, struct word w, enum object_kind kind,
		 uint8_t *slot)
{
	int found = find_object(l->p, w);
	char quote[QUOTE_LEN];

	if (found < 0)
		return lex_error(l, w.at, "'%s' is not defined above",
				 word_quote(w, quote));
	if (l->p->object[found].kind != kind)
		return lex_error(
			l, w.at, "'%s' is of kind %s, here stands %s",
			word_quote(w, quote),
			object_kind_name(
				(enum object_kind)l->p->object[found].kind),
			object_kind_name(kind));
	*slot = (uint8_t)found;
	return 0;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

bool parse_digits(struct word w, uint64_t *num)
{
	bool hex = w.len > 2 && w.at[0] == '0' &&
		   (w.at[1] == 'x' || w.at[1] == 'X');
	unsigned int base = hex ? 16 : 10;
	uint64_t sum = 0;

	if (!w.len)
		return false;
	for (size_t i = hex ? 2 : 0; i < w.len; i++) {
		unsigned int digit = (unsigned int)digit_of(w.at[i]);

		if (digit >= base || sum > (UINT64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	*num = sum;
	return true;
}

static int too_wide(struct lexer *l, struct word w, enum field f)
{
	const struct field_info *info = field_info(f);
	uint64_t max = field_max(f);
	char quote[QUOTE_LEN];

	word_quote(w, quote);
	if (info->kind == FK_INT)
		return lex_error(l, w.at,
				 "%s: %s does not fit: -%" PRIu64
				 " to %" PRIu64,
				 info->text, quote, max / 2 + 1, max / 2);
	return lex_error(l, w.at, "%s: %s does not fit: 0 to %" PRIu64,
			 info->text, quote, max);
}

static bool looks_numeric(struct word w)
{
	return w.len && (isdigit((unsigned char)w.at[0]) || w.at[0] == '-');
}

static bool is_number(struct word w)
{
	bool hex = w.len > 2 && w.at[0] == '0' && (w.at[1] | 0x20) == 'x';

	for (size_t i = hex ? 2 : 0; i < w.len; i++)
		if (digit_of(w.at[i]) >= (hex ? 16 : 10))
			return false;
	return w.len > 0;
}

static int parse_number(struct lexer *l, enum field f, struct word w,
			uint64_t *num)
{
	bool minus = w.at[0] == '-';
	struct word digits = word_from(w, minus);
	bool is_int = field_info(f)->kind == FK_INT;
	uint64_t max = is_int ? field_max(f) / 2 : field_max(f);
	char quote[QUOTE_LEN];

	if (!is_number(digits))
		return lex_error(l, w.at, "%s: '%s' is not a number",
				 field_info(f)->text, word_quote(w, quote));
	if (minus)
		max = is_int ? max + 1 : 0;
	if (!parse_digits(digits, num) || *num > max)
		return too_wide(l, w, f);
	if (minus)
		*num = -*num;
	return 0;
}

static int parse_name(struct lexer *l, enum field f, struct word w,
		      uint64_t *num)
{
	enum name_set set = (enum name_set)field_info(f)->names;
	const struct name *name = name_find(set, w.at, w.len);

	if (!name && looks_numeric(w))
		return parse_number(l, f, w, num);
	if (!name)
		return lex_not_a_name(l, w, f);
	*num = name->value;
	return 0;
}

/* Names and numbers; those of FLAGS are joined by |. */
static int parse_names(struct lexer *l, enum field f, struct word w,
		       struct value *v)
{
	bool joins = field_info(f)->kind == FK_FLAGS;
	const char *bar;
	uint64_t num, sum = 0;
	int err;

	do {
		struct word part = w;

		bar = joins ? memchr(w.at, '|', w.len) : NULL;
		if (bar)
			part = word_upto(w, (size_t)(bar - w.at));
		err = parse_name(l, f, part, &num);
		if (err)
			return err;
		sum |= num;
		if (bar)
			w = word_from(w, part.len + 1);
	} while (bar);
	v->kind = VAL_NUM;
	v->num = (int64_t)sum;
	return 0;
}

/* Parses the end of a symbol or an output: nothing, +N or -N. */
static int parse_plus(struct lexer *l, struct word w, int64_t *plus)
{
	char quote[QUOTE_LEN];
	uint64_t num;

	*plus = 0;
	if (!w.len)
		return 0;
	if (!parse_digits(word_from(w, 1), &num) || num > INT64_MAX)
		return lex_error(l, w.at, "'%s' is not +N or -N",
				 word_quote(w, quote));
	*plus = w.at[0] == '-' ? -(int64_t)num : (int64_t)num;
	return 0;
}

static size_t plus_offset(struct word w)
{
	size_t n = 0;

	while (n < w.len && w.at[n] != '+' && w.at[n] != '-')
		n++;
	return n;
}

static int parse_symbol(struct lexer *l, struct word w, struct value *v)
{
	size_t n = plus_offset(w);
	char name[64], quote[QUOTE_LEN];
	int ref;

	if (word_is(w, "$gid") || word_is(w, "$second_gid")) {
		v->kind = VAL_MYGID;
		v->ref = word_is(w, "$gid") ? DEVICE_FIRST : DEVICE_SECOND;
		return 0;
	}
	word_quote(word_upto(w, n), quote);
	if (!word_copy(word_from(word_upto(w, n), 1), name, sizeof(name)))
		return lex_error(l, w.at, "unknown symbol '%s'", quote);
	v->kind = VAL_SYM;
	ref = symbol_by_name(name);
	if (ref < 0) {
		v->kind = VAL_LIMIT;
		ref = limit_by_name(name);
	}
	if (ref < 0)
		return lex_error(l, w.at, "unknown symbol '%s'", quote);
	v->ref = (uint8_t)ref;
	return parse_plus(l, word_from(w, n), &v->num);
}

static int parse_output(struct lexer *l, struct word w, size_t dot,
			struct value *v)
{
	size_t n = plus_offset(w);
	struct word object = word_upto(w, dot), field;
	char text[WRITTEN_TEXT_LEN], quote[QUOTE_LEN];
	int slot = find_object(l->p, object), f = -1;

	if (n < dot || slot < 0)
		return lex_error(l, w.at, "'%s' is not defined above",
				 word_quote(object, quote));
	field = word_from(word_upto(w, n), dot + 1);
	if (word_copy(field, text, sizeof(text)))
		f = written_by_text((enum verb)maker_of(l->p, (uint8_t)slot),
				    text);
	if (f < 0)
		return lex_error(l, field.at, "%s gives no output '%s'",
				 l->p->object[slot].name,
				 word_quote(field, quote));
	v->kind = VAL_OUT;
	v->ref = (uint8_t)slot;
	v->field = (uint16_t)f;
	if (field_info((enum field)f)->kind == FK_GID && n < w.len)
		return lex_error(l, w.at + n, "a GID has no +N");
	return parse_plus(l, word_from(w, n), &v->num);
}

static int parse_gid(struct lexer *l, enum field f, struct word w,
		     struct value *v)
{
	char text[INET6_ADDRSTRLEN], quote[QUOTE_LEN];

	v->kind = VAL_GID;
	if (word_copy(w, text, sizeof(text)) &&
	    inet_pton(AF_INET6, text, v->gid.raw) == 1)
		return 0;
	return lex_error(l, w.at, "%s: '%s' is not a GID", field_info(f)->text,
			 word_quote(w, quote));
}

static int parse_slot(struct lexer *l, enum field f, struct word w,
		      struct value *v)
{
	v->kind = VAL_OBJ;
	v->ref = NO_OBJ;
	if (word_is(w, "none"))
		return 0;
	return parse_object(l, w, (enum object_kind)field_info(f)->names,
			    &v->ref);
}

static int not_plain(struct lexer *l, enum field f, struct word w)
{
	char quote[QUOTE_LEN];

	return lex_error(l, w.at, "%s: '%s' is no plain value",
			 field_info(f)->text, word_quote(w, quote));
}

static int parse_any(struct lexer *l, enum field f, struct word w,
		     struct value *v)
{
	enum field_kind kind = field_info(f)->kind;
	const char *dot = memchr(w.at, '.', w.len);

	if (w.at[0] == '$')
		return l->bound ? not_plain(l, f, w) : parse_symbol(l, w, v);
	if (kind == FK_OBJ)
		return parse_slot(l, f, w, v);
	if (kind == FK_GID && memchr(w.at, ':', w.len))
		return parse_gid(l, f, w, v);
	if (dot && !looks_numeric(w))
		return l->bound ? not_plain(l, f, w)
				: parse_output(l, w, (size_t)(dot - w.at), v);
	if (kind == FK_GID)
		return parse_gid(l, f, w, v);
	return parse_names(l, f, w, v);
}

int parse_value(struct lexer *l, enum field f, struct word w, struct value *v)
{
	char quote[QUOTE_LEN];
	int err;

	memset(v, 0, sizeof(*v));
	err = parse_any(l, f, w, v);
	if (err)
		return err;
	if (!value_allowed(f, v))
		return lex_error(l, w.at, "%s cannot be '%s'",
				 field_info(f)->text, word_quote(w, quote));
	return 0;
}

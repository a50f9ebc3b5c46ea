/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints outcomes as text and reads them back. Outputs of the second family
 * have "init." before their names.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "contract/fnv.h"
#include "program/lex.h"
#include "program/wire.h"

#define SECOND_PREFIX "init."

static const struct note {
	const char *text;
	size_t offset; /* of a bool in struct outcome */
} notes[] = {
	{"in-changed", offsetof(struct outcome, in_changed)},
	{"context-lost", offsetof(struct outcome, context_lost)},
	{"out-written", offsetof(struct outcome, out_written)},
	{"not-made", offsetof(struct outcome, not_made)},
};

/* The byte behind the text parts it from the next one. */
static uint64_t add_text(uint64_t sum, const char *text)
{
	return fnv_add(fnv_add_text(sum, text), '\0');
}

static uint64_t add_verbs(uint64_t sum)
{
	for (int v = 0; v < VERB_NR; v++) {
		const struct verb_info *info = verb_info((enum verb)v);

		sum = add_text(sum, info->name);
		sum = fnv_add(sum, info->makes);
		sum = fnv_add(sum, info->on);
		sum = fnv_add(sum, info->in);
		sum = fnv_add(sum, info->out);
		sum = fnv_add(sum, info->out2);
		sum = fnv_add(sum, info->conv);
	}
	return sum;
}

static uint64_t add_fields(uint64_t sum)
{
	for (int f = 0; f < FIELD_NR; f++) {
		const struct field_info *info = field_info((enum field)f);

		sum = add_text(sum, info->text);
		sum = fnv_add(sum, info->family);
		sum = fnv_add(sum, info->kind);
		sum = fnv_add(sum, info->size);
		sum = fnv_add(sum, (uint64_t)info->names);
	}
	return sum;
}

static uint64_t add_names(uint64_t sum)
{
	for (int set = NS_NONE + 1; set < NS_NR; set++)
		for (const struct name *n = name_first((enum name_set)set); n;
		     n = name_next(n)) {
			sum = add_text(sum, n->text);
			sum = fnv_add(sum, n->value);
		}
	for (int kind = 0; kind < OBJ_KIND_NR; kind++)
		sum = add_text(sum, object_kind_name((enum object_kind)kind));
	for (int lim = 0; lim < LIM_NR; lim++)
		sum = add_text(sum, limit_name((enum limit)lim));
	return sum;
}

uint64_t wire_language(void)
{
	return add_names(add_fields(add_verbs(FNV_BASIS)));
}

void wire_name_slots(struct program *names)
{
	prog_init(names);
	names->nobjects = PROG_MAX_OBJECTS;
	for (unsigned int slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		struct prog_object *o = &names->object[slot];

		o->kind = OBJ_NONE;
		snprintf(o->name, sizeof(o->name), "object%u", slot);
	}
}

static bool is_poison(enum field f, const void *args)
{
	const struct field_info *info = field_info(f);
	const unsigned char *byte = (const unsigned char *)args + info->offset;

	for (unsigned int i = 0; i < info->size; i++)
		if (byte[i] != OUT_POISON)
			return false;
	return true;
}

static void print_family(struct text *t, const struct program *p,
			 const char *prefix, enum family fam, const void *args)
{
	for (unsigned int i = 0; i < family_count(fam); i++) {
		enum field f = (enum field)(family_first(fam) + i);

		if (is_poison(f, args))
			continue;
		text_add(t, " %s%s=", prefix, field_info(f)->text);
		text_field(t, f, args, p);
	}
}

int wire_print(const struct program *p, enum verb verb, const struct outcome *o,
	       char *buf, size_t len)
{
	const struct verb_info *info = verb_info(verb);
	struct text t;

	text_init(&t, buf, len);
	text_errno(&t, o->ret);
	text_add(&t, " ");
	text_errno(&t, o->err);
	for (size_t i = 0; i < COUNT(notes); i++)
		if (*(const bool *)((const char *)o + notes[i].offset))
			text_add(&t, " %s", notes[i].text);
	print_family(&t, p, "", info->out, &o->out);
	print_family(&t, p, SECOND_PREFIX, info->out2, &o->out2);
	return text_end(&t);
}

/* Reads an errno name, or a decimal number that may be negative. */
static int read_errno(struct lexer *l, int *value)
{
	struct word w = lex_word(l);
	bool minus = w.len && w.at[0] == '-';
	char quote[QUOTE_LEN];
	uint64_t digits;

	if (parse_digits(word_from(w, minus), &digits) && digits <= INT32_MAX) {
		*value = minus ? -(int)digits : (int)digits;
		return 0;
	}
	*value = w.len ? errno_by_name(w.at, w.len) : -1;
	if (*value >= 0)
		return 0;
	return lex_error(l, w.at, "'%s' is no errno name or number",
			 word_quote(w, quote));
}

static int read_note(struct lexer *l, struct word w, struct outcome *o)
{
	char quote[QUOTE_LEN];

	for (size_t i = 0; i < COUNT(notes); i++) {
		if (!word_is(w, notes[i].text))
			continue;
		*(bool *)((char *)o + notes[i].offset) = true;
		return 0;
	}
	return lex_error(l, w.at, "'%s' is no note of an outcome",
			 word_quote(w, quote));
}

/* Returns the output field with this name, or -1, and sets *args to the
 * structure of the field. */
static int find_output(const struct verb_info *info, struct word name,
		       struct outcome *o, void **args)
{
	const size_t prefix = strlen(SECOND_PREFIX);
	bool second =
		name.len > prefix && !memcmp(name.at, SECOND_PREFIX, prefix);
	enum family fam = second ? info->out2 : info->out;
	char text[WRITTEN_TEXT_LEN];

	if (!word_copy(second ? word_from(name, prefix) : name, text,
		       sizeof(text)) ||
	    fam == FAM_NONE)
		return -1;
	*args = second ? (void *)&o->out2 : (void *)&o->out;
	return field_by_text(fam, text);
}

static void put(enum field f, const struct value *v, void *args)
{
	if (field_info(f)->kind == FK_GID)
		memcpy((char *)args + field_info(f)->offset, &v->gid,
		       sizeof(v->gid));
	else if (field_info(f)->kind == FK_OBJ)
		field_set(f, args, v->ref);
	else
		field_set(f, args, (uint64_t)v->num);
}

static int read_output(struct lexer *l, const struct verb_info *info,
		       struct word w, size_t equals, struct outcome *o)
{
	struct word name = word_upto(w, equals);
	char quote[QUOTE_LEN];
	struct value v;
	void *args;
	int f = find_output(info, name, o, &args), err;

	if (f < 0)
		return lex_error(l, w.at, "%s gives no '%s'", info->name,
				 word_quote(name, quote));
	if (equals + 1 == w.len)
		return lex_error(l, w.at, "'%s' lacks its value",
				 word_quote(name, quote));
	err = parse_value(l, (enum field)f, word_from(w, equals + 1), &v);
	if (!err)
		put((enum field)f, &v, args);
	return err;
}

static int read_words(struct lexer *l, const struct verb_info *info,
		      struct outcome *o)
{
	int err = read_errno(l, &o->ret);

	if (!err)
		err = read_errno(l, &o->err);
	for (struct word w = lex_word(l); w.len && !err; w = lex_word(l)) {
		const char *equals = memchr(w.at, '=', w.len);

		err = equals ? read_output(l, info, w, (size_t)(equals - w.at),
					   o)
			     : read_note(l, w, o);
	}
	return err;
}

int wire_read(struct program *p, enum verb verb, const char *text,
	      struct outcome *o, char *err, size_t errlen)
{
	struct lexer l = {
		.p = p,
		.file = "outcome",
		.next = text,
		.end = text + strlen(text),
		.bound = true,
		.err = err,
		.errlen = errlen,
	};

	if (!lex_line(&l))
		return lex_error(&l, text, "no outcome");
	return read_words(&l, verb_info(verb), o);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The language of programs as parts of ibvet(7): verbs with their fields,
 * names, objects and symbols.
 */
#include <stdio.h>
#include <string.h>
#include "cli/man.h"
#include "program/text.h"

static const char *const results[] = {
	[CONV_INT] = "returns 0 or an errno value",
	[CONV_PTR] = "returns the object, or NULL and errno",
	[CONV_MINUS1] = "returns 0, or \\-1 and errno",
	[CONV_OWN] = "a step of ibvet",
};

static const char *const values[] = {
	[FK_UINT] = "N",      [FK_INT] = "N",	[FK_ENUM] = "NAME",
	[FK_FLAGS] = "NAMES", [FK_GID] = "GID",
};

static void print_value(const struct field_info *f)
{
	const char *value = f->kind == FK_OBJ
				    ? object_prefix((enum object_kind)f->names)
				    : values[f->kind];

	printf("=\\fI%s\\fR", value);
}

/* Prints a sentence with the fields of a verb that it reads or writes. */
static void print_fields(enum verb verb, const char *label,
			 bool (*has)(enum verb verb, enum field f))
{
	const char *separator = label;
	char text[WRITTEN_TEXT_LEN];

	for (int f = 0; f < FIELD_NR; f++) {
		if (!has(verb, (enum field)f))
			continue;
		if (has == verb_writes)
			written_text(verb, (enum field)f, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%s",
				 field_info((enum field)f)->text);
		fputs(separator, stdout);
		man_text(text, strlen(text));
		print_value(field_info((enum field)f));
		separator = ", ";
	}
	if (separator != label)
		puts(".");
}

static void print_verb(enum verb verb)
{
	const struct verb_info *info = verb_info(verb);

	printf(".TP\n");
	if (info->makes != OBJ_NONE)
		printf("\\fI%s\\fR = ", object_prefix(info->makes));
	printf("\\fB%s\\fR", info->name);
	if (info->on != OBJ_NONE)
		printf(info->on == OBJ_CTX ? " [\\fI%s\\fR]" : " \\fI%s\\fR",
		       object_prefix(info->on));
	printf("  (%s)\n", results[info->conv]);
	print_fields(verb, "Takes ", verb_reads);
	print_fields(verb, "Gives ", verb_writes);
}

void man_verbs(void)
{
	for (int v = 0; v < VERB_NR; v++)
		print_verb((enum verb)v);
}

/* Returns true if a field before this one has the same text and names. */
static bool is_repeated(int field)
{
	const struct field_info *f = field_info((enum field)field);

	for (int before = 0; before < field; before++) {
		const struct field_info *b = field_info((enum field)before);

		if (!strcmp(b->text, f->text) && b->names == f->names &&
		    (b->kind == FK_ENUM || b->kind == FK_FLAGS))
			return true;
	}
	return false;
}

/* Prints the fields that take names of a set. Returns false if there is none.
 */
static bool print_takers(enum name_set set)
{
	const char *separator = ".TP\n";

	for (int f = 0; f < FIELD_NR; f++) {
		const struct field_info *info = field_info((enum field)f);

		if ((info->kind != FK_ENUM && info->kind != FK_FLAGS) ||
		    info->names != (int)set || is_repeated(f))
			continue;
		printf("%s\\fB", separator);
		man_text(info->text, strlen(info->text));
		printf("\\fR");
		separator = ", ";
	}
	return *separator == ',';
}

void man_names(void)
{
	for (int set = NS_NONE + 1; set < NS_NR; set++) {
		const char *separator = "\n";

		if (!print_takers((enum name_set)set))
			continue;
		for (const struct name *n = name_first((enum name_set)set); n;
		     n = name_next(n)) {
			printf("%s%s", separator, n->text);
			separator = ", ";
		}
		putchar('\n');
	}
}

void man_objects(void)
{
	for (int kind = OBJ_NONE + 1; kind < OBJ_KIND_NR; kind++)
		printf("%s\\fI%s\\fR", kind > OBJ_NONE + 1 ? ",\n" : "",
		       object_prefix((enum object_kind)kind));
	puts(".");
}

static void print_symbol(const char *name, bool last)
{
	printf("\\fB$%s\\fR%s\n", name, last ? "." : ",");
}

void man_symbols(void)
{
	for (unsigned int s = 0; s < SYM_NR; s++)
		print_symbol(symbol_name(s), s == SYM_NR - 1);
}

void man_limits(void)
{
	for (int lim = 0; lim < LIM_NR; lim++)
		print_symbol(limit_name((enum limit)lim), lim == LIM_NR - 1);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints the differences of two sheets, a line for each.
 */
#include <stdio.h>
#include <string.h>
#include "sweep/sheet/sheet.h"
#include "run/plural.h"

/* Prints "0-7, 9", or "none". */
static void print_runs(FILE *file, const json_t *runs)
{
	if (!json_array_size(json_object_get(runs, "from_to")))
		fputs("none", file);
	sheet_print_runs(runs, file);
}

static void print_names(FILE *file, const json_t *names)
{
	const json_t *name;
	size_t i;

	json_array_foreach((json_t *)names, i, name)
	{
		fprintf(file, "%s%s", i ? "|" : "", json_string_value(name));
	}
}

static void print_count(FILE *file, const json_t *o, const char *key,
			const char *noun)
{
	long long n = json_integer_value(json_object_get(o, key));

	fprintf(file, "%lld %s%s", n, noun, plural((unsigned long long)n));
}

/* Prints "8 masks", and more about a set that is no table. */
static void print_shape(FILE *file, const json_t *shape)
{
	print_count(file, shape, "masks", "mask");
	if (json_array_size(json_object_get(shape, "required"))) {
		fputs(" with ", file);
		print_names(file, json_object_get(shape, "required"));
	}
}

static void print_deaths(FILE *file, const json_t *deaths)
{
	const json_t *death;
	size_t i;

	if (!json_array_size(deaths))
		fputs("all calls return", file);
	json_array_foreach((json_t *)deaths, i, death)
	{
		fprintf(file, "%s%s %s", i ? ", " : "",
			sheet_word(death, "verdict"),
			sheet_word(death, "call"));
	}
}

static void print_errno(FILE *file, const json_t *e)
{
	if (json_is_object(e)) {
		fprintf(file, "%s for ", sheet_word(e, "errno"));
		print_count(file, e, "calls", "call");
		fprintf(file, ", first %s", sheet_word(e, "first"));
	} else {
		fputs("never so", file);
	}
}

static void print_crept(FILE *file, const json_t *crept)
{
	print_count(file, crept, "calls", "refusal");
	fputs(" changed something", file);
}

static void print_unsteady(FILE *file, const json_t *calls)
{
	fprintf(file, "%zu call%s answered in two ways", json_array_size(calls),
		plural(json_array_size(calls)));
}

static void print_undefined(FILE *file, const json_t *masks)
{
	fprintf(file, "%zu mask%s with undefined bits", json_array_size(masks),
		plural(json_array_size(masks)));
}

static void print_word(FILE *file, const json_t *word)
{
	fputs(json_is_string(word) ? json_string_value(word) : "-", file);
}

static const struct {
	const char *what;
	void (*print)(FILE *file, const json_t *side);
} forms[] = {
	{"attribute", print_word},
	{"status", print_word},
	{"masks", print_shape},
	{"values", print_runs},
	{"errno", print_errno},
	{"deaths", print_deaths},
	{"crept", print_crept},
	{"unsteady", print_unsteady},
	{"undefined-bits", print_undefined},
};

static void print_sides(FILE *file, const json_t *change)
{
	const char *what = sheet_word(change, "what");

	for (size_t i = 0; i < COUNT(forms); i++) {
		if (strcmp(what, forms[i].what) != 0)
			continue;
		forms[i].print(file, json_object_get(change, "was"));
		fputs(", then ", file);
		forms[i].print(file, json_object_get(change, "is"));
	}
}

static void print_change(FILE *file, const json_t *change)
{
	const char *attribute = sheet_word(change, "attribute");
	const json_t *with_state = json_object_get(change, "with_state");

	fprintf(file, "%s%s: ", sheet_word(change, "cell"),
		json_is_false(with_state) ? " without STATE" : "");
	if (!strcmp(sheet_word(change, "what"), "cell"))
		fprintf(file, "only in the %s sheet",
			json_is_null(json_object_get(change, "is")) ? "first"
								    : "second");
	else
		fprintf(file, "%s%s", attribute, *attribute ? " " : "");
	print_sides(file, change);
	fputc('\n', file);
}

static void print_value(FILE *file, const json_t *value)
{
	if (json_is_string(value))
		fputs(json_string_value(value), file);
	else
		json_dumpf(value, file, JSON_ENCODE_ANY | JSON_COMPACT);
}

void sheet_diff_print(const json_t *diff, FILE *file)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(diff, "environment"), i, one)
	{
		fprintf(file, "%s: ", sheet_word(one, "what"));
		print_value(file, json_object_get(one, "was"));
		fputs(" -> ", file);
		print_value(file, json_object_get(one, "is"));
		fputc('\n', file);
	}
	json_array_foreach(json_object_get(diff, "changes"), i, one)
	{
		print_change(file, one);
	}
	json_array_foreach(json_object_get(diff, "not_compared"), i, one)
	{
		fprintf(file, "%s: ", sheet_word(one, "cell"));
		print_count(file, one, "was", "call");
		fprintf(file, " tried, then %lld: not compared\n",
			(long long)json_integer_value(
				json_object_get(one, "is")));
	}
}

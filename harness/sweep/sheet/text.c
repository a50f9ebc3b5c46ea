// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints a sheet: the measured table of each pair that accepts anything, and
 * what differs from the contract.
 */
#include <stdio.h>
#include <string.h>
#include "sweep/sheet/layers.h"
#include "sweep/sheet/sheet.h"
#include "run/plural.h"

#define RUNS_TOLD 8

const char *sheet_word(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static long long number_of(const json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

static const char *ending(const json_t *o, const char *key)
{
	return plural((unsigned long long)number_of(o, key));
}

static void print_names(FILE *file, const char *before, const json_t *names)
{
	const json_t *name;
	size_t i;

	if (!json_array_size(names))
		return;
	json_array_foreach((json_t *)names, i, name)
	{
		fprintf(file, "%s%s", i ? ", " : before,
			json_string_value(name));
	}
}

static void print_shape(FILE *file, const char *who, const json_t *shape)
{
	fprintf(file, "    %s", who);
	if (!number_of(shape, "masks")) {
		fprintf(file, "takes no mask\n");
		return;
	}
	if (!json_is_true(json_object_get(shape, "table")))
		fprintf(file, "%lld mask%s, which no table tells;",
			number_of(shape, "masks"), ending(shape, "masks"));
	print_names(file, " requires ", json_object_get(shape, "required"));
	print_names(file, "; takes ", json_object_get(shape, "optional"));
	fputc('\n', file);
}

/* Skips a pair that accepts nothing and has to accept nothing. */
static void print_shapes(FILE *file, const json_t *shapes)
{
	const json_t *device = json_object_get(shapes, "device");
	const json_t *contract = json_object_get(shapes, "contract");

	if (!number_of(device, "masks") && !number_of(contract, "masks"))
		return;
	print_shape(file, "device:  ", device);
	if (!json_equal(device, contract))
		print_shape(file, "contract:", contract);
}

static void print_beside(FILE *file, const json_t *beside)
{
	print_names(file, "; may lack ", json_object_get(beside, "lacks"));
	print_names(file, "; may have ", json_object_get(beside, "adds"));
	print_names(file, "; needs ", json_object_get(beside, "needs"));
	print_names(file, "; not with ", json_object_get(beside, "excludes"));
}

static void print_formula(FILE *file, const json_t *difference)
{
	const json_t *formula = json_object_get(difference, "formula"), *cube;
	bool is_whole = json_is_true(json_object_get(difference, "complete"));
	size_t i;

	if (!is_whole) {
		print_names(file, "      no short formula; the first is ",
			    json_object_get(difference, "first"));
		fputc('\n', file);
		return;
	}
	json_array_foreach((json_t *)formula, i, cube)
	{
		const json_t *beside = json_object_get(cube, "beside_contract");

		fprintf(file, "      %s %s", i ? "or" : "  ",
			beside ? "as the contract" : sheet_word(cube, "text"));
		print_beside(file, beside);
		fputc('\n', file);
	}
}

static const char *strength(const json_t *difference)
{
	return json_is_true(json_object_get(difference, "deviates"))
		       ? "DEVIATES"
		       : "permitted";
}

/* Prints how many calls were made again on new queue pairs with the same
 * result. */
static void print_again(FILE *file, const json_t *difference, long long all)
{
	long long again = number_of(difference, "again");

	if (again == all)
		fprintf(file, "; each again on a new queue pair\n");
	else if (again)
		fprintf(file, "; %lld of them again on new queue pairs\n",
			again);
	else
		fprintf(file, "; none made again\n");
}

static void print_differences(FILE *file, const json_t *found)
{
	const json_t *difference;
	size_t i;

	json_array_foreach(json_object_get(found, "differences"), i, difference)
	{
		fprintf(file, "    %s: %s %lld mask%s%s", strength(difference),
			sheet_word(difference, "device"),
			number_of(difference, "masks"),
			ending(difference, "masks"),
			json_is_true(json_object_get(difference, "minimal"))
				? ", in the fewest terms"
				: "");
		print_again(file, difference, number_of(difference, "masks"));
		print_formula(file, difference);
	}
}

static void print_changes(FILE *file, const json_t *found)
{
	const json_t *change;
	size_t i;

	json_array_foreach(json_object_get(found, "changes"), i, change)
	{
		fprintf(file, "    %s is %s%s, by contract %s\n",
			sheet_word(change, "attribute"),
			sheet_word(change, "device"),
			json_is_true(json_object_get(change, "with_state"))
				? ""
				: " without STATE",
			sheet_word(change, "contract"));
	}
}

static void print_value(FILE *file, const json_t *value)
{
	if (json_is_string(value))
		fputs(json_string_value(value), file);
	else
		fprintf(file, "%lld", (long long)json_integer_value(value));
}

void sheet_print_runs(const json_t *runs, FILE *file)
{
	const json_t *from_to = json_object_get(runs, "from_to"), *run;
	size_t i;

	json_array_foreach((json_t *)from_to, i, run)
	{
		const json_t *first = json_array_get(run, 0);
		const json_t *last = json_array_get(run, 1);

		if (i == RUNS_TOLD) {
			fputs(", ...", file);
			return;
		}
		fputs(i ? ", " : "", file);
		print_value(file, first);
		if (json_equal(first, last))
			continue;
		fputc('-', file);
		print_value(file, last);
	}
}

/* Does not end the line. */
static void print_runs(FILE *file, const char *what, const json_t *runs)
{
	fprintf(file, "    %s%lld value%s%s", what, number_of(runs, "values"),
		ending(runs, "values"), number_of(runs, "runs") ? ": " : "");
	sheet_print_runs(runs, file);
}

static void print_values(FILE *file, const json_t *found)
{
	const json_t *difference;
	size_t i;

	print_runs(file, "takes ", json_object_get(found, "device"));
	fputc('\n', file);
	json_array_foreach(json_object_get(found, "differences"), i, difference)
	{
		const json_t *values = json_object_get(difference, "values");
		char what[64];

		snprintf(what, sizeof(what), "%s: %s ", strength(difference),
			 sheet_word(difference, "device"));
		print_runs(file, what, values);
		print_again(file, difference, number_of(values, "values"));
	}
}

static void print_undefined(FILE *file, const json_t *found)
{
	const json_t *difference =
		json_array_get(json_object_get(found, "differences"), 0);

	if (!difference)
		return;
	fprintf(file, "    DEVIATES: accepts %lld mask%s",
		number_of(difference, "masks"), ending(difference, "masks"));
	print_again(file, difference, number_of(difference, "masks"));
	print_names(file, "      ", json_object_get(found, "accepted"));
	fputc('\n', file);
}

static void print_creep(FILE *file, const json_t *creep)
{
	long long calls = number_of(creep, "calls");

	if (calls > 1)
		fprintf(file, "      one of %lld calls from %s: %s, and %s\n",
			calls, sheet_word(creep, "call"),
			sheet_word(creep, "changed"),
			"not when each was made alone");
	else
		fprintf(file, "      %s: %s\n", sheet_word(creep, "call"),
			sheet_word(creep, "changed"));
}

static void print_unsteady(FILE *file, const json_t *unsteady)
{
	const json_t *one;
	size_t i;

	if (json_array_size(unsteady))
		fprintf(file,
			"    UNSTEADY: %zu call%s, answered in two ways\n",
			json_array_size(unsteady),
			plural(json_array_size(unsteady)));
	json_array_foreach((json_t *)unsteady, i, one)
	{
		if (i == 4)
			break;
		fprintf(file, "      %s: %s, then %s\n",
			sheet_word(one, "call"), sheet_word(one, "first"),
			sheet_word(one, "again"));
	}
}

static void print_unsafe(FILE *file, const json_t *cell)
{
	const json_t *crept = json_object_get(cell, "crept"), *one;
	size_t i;

	if (number_of(crept, "calls"))
		fprintf(file, "    REFUSED, AND CHANGED: %lld call%s\n",
			number_of(crept, "calls"), ending(crept, "calls"));
	json_array_foreach(json_object_get(crept, "found"), i, one)
	{
		if (i == 4)
			break;
		print_creep(file, one);
	}
	print_unsteady(file, json_object_get(cell, "unsteady"));
	json_array_foreach(json_object_get(cell, "deaths"), i, one)
	{
		fprintf(file, "    %s: %s (%lld call%s): %s\n",
			sheet_word(one, "verdict"), sheet_word(one, "call"),
			number_of(one, "calls"), ending(one, "calls"),
			sheet_word(one, "how"));
	}
}

static void print_errnos(FILE *file, const json_t *cell)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(cell, "errnos"), i, e)
	{
		fprintf(file, "    %s for %lld call%s, first %s\n",
			sheet_word(e, "errno"), number_of(e, "calls"),
			ending(e, "calls"), sheet_word(e, "first"));
	}
}

/* What an answer may depend on: a member of the cell, which then has a call and
 * its two answers. */
static const struct dependence {
	const char *member, *what;
	struct {
		const char *member, *when;
	} answer[2];
} dependences[] = {
	{"destination",
	 "the destination",
	 {{"to_group", "with a group's address"},
	  {"to_peer", "with the peer's"}}},
	{"history",
	 "the past",
	 {{"kept", "after others"}, {"anew", "on a new queue pair"}}},
};

static const json_t *found_out(const json_t *cell, const struct dependence *d)
{
	const json_t *is = json_object_get(cell, d->member);

	return json_object_get(is, "matters_for") ? is : NULL;
}

static bool depends(const json_t *cell)
{
	bool any = false;

	for (size_t i = 0; i < COUNT(dependences); i++)
		any |= found_out(cell, &dependences[i]) != NULL;
	return any;
}

static void print_dependences(FILE *file, const json_t *cell)
{
	for (size_t i = 0; i < COUNT(dependences); i++) {
		const struct dependence *d = &dependences[i];
		const json_t *is = found_out(cell, d);

		if (is)
			fprintf(file, "    %s matters: %s %s: %s, %s: %s\n",
				d->what, sheet_word(is, "matters_for"),
				d->answer[0].when,
				sheet_word(is, d->answer[0].member),
				d->answer[1].when,
				sheet_word(is, d->answer[1].member));
	}
}

/* Tells how often a group's address stood for the peer's. */
static void print_checked(FILE *file, const json_t *sum)
{
	if (number_of(sum, "checked"))
		fprintf(file,
			"  %lld of these calls were to a group's address, %lld "
			"of them also to the peer's, with the same answer\n",
			number_of(sum, "to_group"), number_of(sum, "checked"));
}

/* Tells how often a queue pair kept what an accepted call had set. */
static void print_kept(FILE *file, const json_t *sum)
{
	if (number_of(sum, "kept"))
		fprintf(file,
			"  %lld accepted calls left behind what RESET does not "
			"clear; %lld of the calls after them were also made on "
			"a new queue pair, with the same answer\n",
			number_of(sum, "kept"), number_of(sum, "anew"));
}

static bool is_told(const json_t *cell)
{
	const json_t *found = json_object_get(cell, "found");
	const json_t *moves = json_object_get(found, "with_state");

	return json_object_get(cell, "field") || !found || depends(cell) ||
	       json_array_size(json_object_get(found, "differences")) ||
	       json_array_size(json_object_get(cell, "deaths")) ||
	       json_array_size(json_object_get(cell, "unsteady")) ||
	       number_of(json_object_get(cell, "crept"), "calls") ||
	       number_of(json_object_get(moves, "device"), "masks");
}

static void print_cell(FILE *file, const json_t *cell)
{
	const json_t *found = json_object_get(cell, "found");
	const json_t *part = json_object_get(cell, "part");
	const char *status = sheet_word(cell, "status");

	if (!strcmp(status, "unsupported") || !is_told(cell))
		return;
	fprintf(file, "  %s", sheet_word(cell, "id"));
	if (json_is_array(part))
		fprintf(file, ", its calls %lld to %lld",
			(long long)json_integer_value(json_array_get(part, 0)),
			(long long)json_integer_value(json_array_get(part, 1)));
	if (strcmp(status, "complete") != 0)
		fprintf(file, "  %s, %lld of %lld calls%s%s", status,
			number_of(cell, "tried"), number_of(cell, "calls"),
			json_object_get(cell, "why") ? ": " : "",
			sheet_word(cell, "why"));
	fputc('\n', file);
	if (json_object_get(cell, "field")) {
		print_values(file, found);
	} else if (json_object_get(found, "accepted")) {
		print_undefined(file, found);
	} else if (found) {
		print_shapes(file, json_object_get(found, "with_state"));
		sheet_print_layers(found, file);
		print_changes(file, found);
		print_differences(file, found);
	}
	print_errnos(file, cell);
	print_dependences(file, cell);
	print_unsafe(file, cell);
}

static bool same_word(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(sheet_word(a, key), sheet_word(b, key));
}

/* Prints states that a queue pair of the device cannot reach, with the missing
 * claim. Cells are ordered by type and state. */
static void print_unsupported(FILE *file, const json_t *cells)
{
	const json_t *cell, *first = NULL;
	size_t i;

	json_array_foreach((json_t *)cells, i, cell)
	{
		if (strcmp(sheet_word(cell, "status"), "unsupported") != 0 ||
		    (first && same_word(first, cell, "type") &&
		     same_word(first, cell, "from")))
			continue;
		first = cell;
		fprintf(file, "  %s in %s is unsupported: %s\n",
			sheet_word(cell, "type"), sheet_word(cell, "from"),
			sheet_word(cell, "why"));
	}
}

void sheet_print(const json_t *sheet, FILE *file)
{
	const json_t *sum = json_object_get(sheet, "summary"), *cell;
	const json_t *cells = json_object_get(sheet, "cells");
	size_t i;

	fputc('\n', file);
	json_array_foreach((json_t *)cells, i, cell)
	{
		print_cell(file, cell);
	}
	print_unsupported(file, cells);
	fprintf(file,
		"\n  %lld of %lld calls in %.1f s: %lld cells complete, %lld "
		"partial, %lld given up, %lld unsupported\n"
		"  %lld deviate, %lld differ as is permitted, %lld crashed, "
		"hung or were changed by a refusal, %lld answer one call in "
		"two "
		"ways\n",
		number_of(sum, "tried"), number_of(sum, "calls"),
		json_real_value(json_object_get(sum, "seconds")),
		number_of(sum, "complete"), number_of(sum, "partial"),
		number_of(sum, "given_up"), number_of(sum, "unsupported"),
		number_of(sum, "deviates"), number_of(sum, "contested"),
		number_of(sum, "unsafe"), number_of(sum, "unsteady"));
	print_checked(file, sum);
	print_kept(file, sum);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints an answer. Cases of a device that break the same rule since the same
 * night are one line, with the first of them below.
 */
#include <string.h>
#include "journal/journal.h"
#include "reports/history/group.h"
#include "reports/history/history.h"
#include "run/plural.h"

#define TOLD 3 /* cases of a rule */

static long long number(const json_t *row, const char *key)
{
	return (long long)json_integer_value(json_object_get(row, key));
}

static void print_group(const json_t *group, FILE *file)
{
	const json_t *row = json_array_get(group, 0);
	unsigned long long n = json_array_size(group);

	fprintf(file, "  %s %s: %s%s%s since %s, %llu case%s%s%s%s%s\n",
		event_word(row, "host"), event_word(row, "device"),
		event_word(row, "rule"), *event_word(row, "rule") ? " " : "",
		event_word(row, "verdict"), event_word(row, "since"), n,
		plural(n),
		json_is_true(json_object_get(row, "flaky"))
			? " (flaky in the last nights)"
			: "",
		*event_word(row, "ran") ? " (last ran on " : "",
		event_word(row, "ran"), *event_word(row, "ran") ? ")" : "");
}

static void print_case(const json_t *row, FILE *file)
{
	fprintf(file, "      %s%s%s\n", event_word(row, "id"),
		*event_word(row, "observed") ? ": " : "",
		event_word(row, "observed"));
}

static void print_cases(const json_t *rows, bool verbose, FILE *file)
{
	json_t *groups = history_groups(rows);
	const json_t *group;
	size_t i;

	json_array_foreach(groups, i, group)
	{
		size_t n = json_array_size(group);

		print_group(group, file);
		for (size_t j = 0; j < n && (verbose || j < TOLD); j++)
			print_case(json_array_get(group, j), file);
	}
	json_decref(groups);
}

static void print_absent(const json_t *absent, FILE *file)
{
	size_t n = json_array_size(absent), i;
	const json_t *one;

	if (!n)
		return;
	fprintf(file, "\n  No run of %zu device%s that ran before:\n", n,
		plural(n));
	json_array_foreach((json_t *)absent, i, one)
	{
		fprintf(file, "      %s %s: last on %s\n",
			event_word(one, "host"), event_word(one, "device"),
			event_word(one, "last"));
	}
}

static void print_slower(const json_t *rows, FILE *file)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		fprintf(file, "  %s %s %s: %lld ms, median %lld ms\n",
			event_word(row, "host"), event_word(row, "device"),
			event_word(row, "id"), number(row, "is_us") / 1000,
			number(row, "was_us") / 1000);
	}
}

static void print_nights(const json_t *rows, FILE *file)
{
	const json_t *row;
	size_t i;

	fprintf(file, "  %-16s %8s %10s %8s %8s\n", "night", "devices", "cases",
		"failing", "not run");
	json_array_foreach((json_t *)rows, i, row)
	{
		fprintf(file, "  %-16s %8lld %10lld %8lld %8lld\n",
			event_word(row, "night"), number(row, "devices"),
			number(row, "cases"), number(row, "failing"),
			number(row, "not_run"));
	}
}

static void print_changed(const json_t *changed, FILE *file)
{
	const json_t *one;
	size_t i;

	if (!json_array_size(changed))
		fprintf(file, "      the environment did not change\n");
	json_array_foreach((json_t *)changed, i, one)
	{
		fprintf(file, "      %s: %s, then %s\n",
			event_word(one, "what"), event_word(one, "was"),
			event_word(one, "is"));
	}
}

static void print_separating(const json_t *separates, FILE *file)
{
	const json_t *one, *value;
	size_t i, j;

	json_array_foreach((json_t *)separates, i, one)
	{
		fprintf(file, "\n  %s tells failing runs from passing ones:\n",
			event_word(one, "what"));
		json_array_foreach(json_object_get(one, "values"), j, value)
		{
			long long fails = number(value, "fails");

			fprintf(file, "      %s: %s in %lld run%s\n",
				event_word(value, "value"),
				fails ? "fails" : "passes",
				fails ? fails : number(value, "passes"),
				plural((unsigned long long)(fails ? fails
								  : number(value,
									   "pas"
									   "se"
									   "s"))));
		}
	}
	if (!json_array_size(separates))
		fprintf(file, "\n  No single part of the environment tells "
			      "failing runs from passing ones.\n");
}

static void print_bisect(const json_t *answer, FILE *file)
{
	const json_t *rows = json_object_get(answer, "rows"), *row;
	size_t i;

	if (!json_is_true(json_object_get(answer, "fails"))) {
		fprintf(file, "%s: fails in no run.\n",
			event_word(answer, "rule"));
		return;
	}
	fprintf(file, "%s began to fail:\n\n", event_word(answer, "rule"));
	json_array_foreach((json_t *)rows, i, row)
	{
		fprintf(file, "  %s %s: passed on %s, failed on %s\n",
			event_word(row, "host"), event_word(row, "device"),
			event_word(row, "passed"), event_word(row, "failed"));
		print_changed(json_object_get(row, "changed"), file);
	}
	if (!json_array_size(rows))
		fprintf(file, "  before the first night of each device where "
			      "it fails\n");
	print_separating(json_object_get(answer, "separates"), file);
}

static void print_title(const json_t *answer, enum history_question q,
			FILE *file)
{
	unsigned long long n = json_array_size(json_object_get(answer, "rows"));

	fprintf(file, "%s: %s", event_word(answer, "night"), history_rows(q));
	if (q == HISTORY_NIGHTS)
		fprintf(file, "\n\n");
	else if (n)
		fprintf(file, ": %llu case%s\n\n", n, plural(n));
	else
		fprintf(file, ": none\n");
}

void history_print(const json_t *answer, bool verbose, FILE *file)
{
	const json_t *rows = json_object_get(answer, "rows");
	const char *question = event_word(answer, "question");
	int q = 0;

	while (q < HISTORY_NR &&
	       strcmp(history_word((enum history_question)q), question) != 0)
		q++;
	if (q == HISTORY_NR) {
		print_bisect(answer, file);
		return;
	}
	print_title(answer, (enum history_question)q, file);
	if (q == HISTORY_NIGHTS)
		print_nights(rows, file);
	else if (q == HISTORY_SLOWER)
		print_slower(rows, file);
	else
		print_cases(rows, verbose, file);
	print_absent(json_object_get(answer, "absent"), file);
}

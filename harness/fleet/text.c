/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The text that a night tells: what fails anew, what is fixed, which flaky
 * cases failed again, and which devices have no whole result. What failed
 * before is not told.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fleet/outcome.h"
#include "journal/journal.h"
#include "reports/history/history.h"
#include "run/plural.h"

int outcome_failure(int ret, const char *err)
{
	fprintf(stderr, "ibvet fleet: %s\n", *err ? err : strerror(-ret));
	return ret == -EINVAL || ret == -ENOENT || ret == -EEXIST ||
			       ret == -ENOTDIR
		       ? RUN_USAGE
		       : RUN_BROKEN;
}

/* Returns the rows with "flaky" as wanted. */
static json_t *rows_that_are(const json_t *rows, bool flaky)
{
	json_t *some = json_array(), *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (json_is_true(json_object_get(row, "flaky")) == flaky)
			json_array_append(some, row);
	}
	return some;
}

static void print_rows(const json_t *result, const char *question, json_t *rows,
		       FILE *file)
{
	json_t *answer =
		json_pack("{s:s,s:s,s:s,s:O}", "history", HISTORY_SCHEMA,
			  "question", question, "night",
			  event_word(result, "night"), "rows", rows);

	fputc('\n', file);
	history_print(answer, false, file);
	json_decref(answer);
}

static void print_changed(const json_t *result, FILE *file)
{
	const json_t *device, *one;
	size_t i, j;

	json_array_foreach(json_object_get(result, "changed"), i, device)
	{
		fprintf(file, "  what changed on %s %s:\n",
			event_word(device, "host"),
			event_word(device, "device"));
		json_array_foreach(json_object_get(device, "changed"), j, one)
		{
			fprintf(file, "      %s: %s, then %s\n",
				event_word(one, "what"), event_word(one, "was"),
				event_word(one, "is"));
		}
	}
}

/* Returns how many devices have no whole result, and prints each. */
static unsigned long print_missing(const json_t *result, FILE *file)
{
	const json_t *row;
	unsigned long n = 0;
	size_t i;

	json_array_foreach(json_object_get(result, "devices"), i, row)
	{
		const char *error = event_text(row, "error");
		const long long shards = event_number(row, "shards", 0);

		if (json_is_true(json_object_get(row, "whole")))
			continue;
		if (!n++ && file)
			fprintf(file, "\nno whole result:\n\n");
		if (file)
			fprintf(file, "  %s: %lld of %lld shard%s ended%s%s\n",
				event_word(row, "label"),
				(long long)event_number(row, "done", 0), shards,
				plural((unsigned long long)shards),
				error ? ": " : "", error ? error : "");
	}
	return n;
}

/* The first line names device, rule, and since when. */
static void print_first(const json_t *result, const json_t *new,
			const json_t *flaky, FILE *file)
{
	const json_t *row = json_array_get(new, 0);
	const size_t more = json_array_size(new);
	const unsigned long missing = print_missing(result, NULL);

	if (row) {
		fprintf(file, "%s %s: %s%s%s since %s", event_word(row, "host"),
			event_word(row, "device"), event_word(row, "rule"),
			*event_word(row, "rule") ? " " : "",
			event_word(row, "verdict"), event_word(row, "since"));
		fprintf(file, ", %zu case%s in all\n", more, plural(more));
		return;
	}
	if (outcome_print_first(result, file))
		return;
	fprintf(file, "%s, night %s: nothing new fails",
		event_word(result, "lab"), event_word(result, "night"));
	if (json_array_size(flaky))
		fprintf(file, ", but %zu flaky case%s again",
			json_array_size(flaky),
			json_array_size(flaky) == 1 ? " fails" : "s fail");
	if (missing)
		fprintf(file, ", %lu device%s without a whole result", missing,
			plural(missing));
	fputc('\n', file);
}

/* A night without cases has none. */
static bool has_page(const struct night *n)
{
	char path[RUN_PATH_LEN + 16];

	snprintf(path, sizeof(path), "%s/" NIGHT_PAGE, n->dir);
	return !access(path, F_OK);
}

int outcome_text(const struct night *n, const json_t *result, FILE *file,
		 bool *is_bad, bool *is_news, char *err, size_t errlen)
{
	json_t *new = rows_that_are(json_object_get(result, "new"), false);
	json_t *flaky = rows_that_are(json_object_get(result, "new"), true);
	json_t *fixed = json_object_get(result, "fixed");
	const size_t devices =
		json_array_size(json_object_get(result, "devices"));
	unsigned long missing;
	bool is_found;

	if (!new || !flaky) {
		snprintf(err, errlen, "no memory for the text");
		return -ENOMEM;
	}
	print_first(result, new, flaky, file);
	if (json_array_size(new))
		print_rows(result, "new", new, file);
	print_changed(result, file);
	if (json_array_size(flaky))
		print_rows(result, "flaky", flaky, file);
	if (json_array_size(fixed))
		print_rows(result, "fixed", fixed, file);
	is_found = outcome_print_found(result, file);
	missing = print_missing(result, file);
	fprintf(file,
		"\n%zu of %zu device%s have a whole result; runs and "
		"pages are in %s%s\n",
		devices - missing, devices, plural(devices), n->dir,
		has_page(n) ? ", and all nights in its " NIGHT_PAGE : "");
	*is_bad = json_array_size(new) > 0 || is_found;
	*is_news = *is_bad || missing || json_array_size(flaky) ||
		   json_array_size(fixed);
	json_decref(new);
	json_decref(flaky);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What later nights need of this one, in the file earlier.json of the lab: for
 * each device and profile the run that has the times of its cases, or the last
 * sheet and the one before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fleet/outcome.h"
#include "fleet/plan.h"
#include "journal/journal.h"
#include "sweep/sheet/sheet.h"

/* Notes how long the cases took, against the times that each of them took. */
static json_t *of_cases(const json_t *row)
{
	const double cases =
		json_number_value(json_object_get(row, "cases_seconds"));
	const double seconds =
		json_number_value(json_object_get(row, "seconds"));

	return cases > 0 ? json_pack("{s:O,s:f}", "run",
				     json_object_get(row, "run"), "pace",
				     seconds / cases)
			 : NULL;
}

/* A night can be collected again: then the sheet before stays. */
static json_t *of_sweep(const json_t *row, const json_t *was)
{
	const json_t *run = json_object_get(row, "run");
	json_t *before = json_object_get(was, "run");

	if (json_equal(before, run))
		before = json_object_get(was, "before");
	return json_pack("{s:O,s:O,s:O*}", "run", run, "seconds",
			 json_object_get(row, "seconds"), "before", before);
}

static void note(json_t *all, const json_t *row)
{
	const char *label = event_text(row, "label");
	const char *profile = event_text(row, "profile");
	const enum lab_kind kind = lab_kind_by_name(profile);
	json_t *device = json_object_get(all, label), *entry;

	if (!json_is_true(json_object_get(row, "whole")) || kind == LAB_FUZZ)
		return;
	entry = kind == LAB_SWEEP
			? of_sweep(row, json_object_get(device, profile))
			: of_cases(row);
	if (!entry)
		return;
	if (!device) {
		device = json_object();
		json_object_set_new(all, label, device);
	}
	json_object_set_new(device, profile, entry);
}

int outcome_write_earlier(const struct night *n, const json_t *rows, char *err,
			  size_t errlen)
{
	json_t *all = night_kept(n, PLAN_EARLIER);
	const json_t *row;
	size_t i;
	int ret;

	json_array_foreach(rows, i, row)
	{
		note(all, row);
	}
	ret = night_keep(n, PLAN_EARLIER, all, 0, err, errlen);
	json_decref(all);
	return ret;
}

/* --- Sheets ------------------------------------------------------------------
 */

/* Returns the lines that `ibvet diff` prints. */
static json_t *lines_of(const json_t *diff)
{
	json_t *lines = json_array();
	char *text = NULL, *rest;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		return lines;
	sheet_diff_print(diff, file);
	if (!fclose(file))
		for (char *line = strtok_r(text, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			json_array_append_new(lines, json_string(line));
	free(text);
	return lines;
}

/* Returns what changed, or NULL. */
static json_t *compare(const json_t *row, const char *before, const char *run)
{
	char err[FLEET_ERROR];
	json_t *was = sheet_load(before, err, sizeof(err));
	json_t *is = sheet_load(run, err, sizeof(err));
	json_t *diff = was && is ? sheet_diff(was, is) : NULL;
	json_t *changed = NULL;

	if (json_is_true(json_object_get(diff, "changed")))
		changed = json_pack("{s:O,s:s,s:s,s:o}", "label",
				    json_object_get(row, "label"), "before",
				    before, "run", run, "changes",
				    lines_of(diff));
	json_decref(diff);
	json_decref(was);
	json_decref(is);
	return changed;
}

json_t *outcome_sheets(const struct night *n, const json_t *rows)
{
	json_t *all = night_kept(n, PLAN_EARLIER), *sheets = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *profile = event_text(row, "profile");
		const json_t *entry = json_object_get(
			json_object_get(all, event_text(row, "label")),
			profile);
		const char *before = event_text(entry, "before");
		json_t *changed;

		if (lab_kind_by_name(profile) != LAB_SWEEP || !before ||
		    !json_is_true(json_object_get(row, "whole")))
			continue;
		changed = compare(row, before, event_text(row, "run"));
		if (changed)
			json_array_append_new(sheets, changed);
	}
	json_decref(all);
	return sheets;
}

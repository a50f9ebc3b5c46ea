/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The part of a night's text about sweeps and hunts: sheets that changed, new
 * findings, and known findings on further devices.
 */
#include "fleet/outcome.h"
#include "journal/journal.h"
#include "run/plural.h"

#define LINES 12 /* told of a sheet */

static json_t *findings(const json_t *result, const char *which)
{
	return json_object_get(json_object_get(result, "findings"), which);
}

static void print_sheet(const json_t *sheet, FILE *file)
{
	const json_t *lines = json_object_get(sheet, "changes"), *line;
	size_t i;

	fprintf(file, "\n  %s: another sheet than %s\n",
		event_word(sheet, "label"), event_word(sheet, "before"));
	json_array_foreach(lines, i, line)
	{
		if (i == LINES) {
			fprintf(file,
				"      … %zu more; ibvet diff lists all\n",
				json_array_size(lines) - i);
			break;
		}
		fprintf(file, "      %s\n", json_string_value(line));
	}
}

static void print_devices(const json_t *row, FILE *file)
{
	const json_t *label;
	size_t i;

	json_array_foreach(json_object_get(row, "also"), i, label)
	{
		fprintf(file, "%s%s", i ? ", " : "", json_string_value(label));
	}
}

static void print_new(const json_t *row, FILE *file)
{
	fprintf(file, "\n  %s: %s %s\n", event_word(row, "label"),
		event_word(row, "key"), event_word(row, "verdict"));
	if (*event_word(row, "observed"))
		fprintf(file, "      %s\n", event_word(row, "observed"));
	fprintf(file, "      case %s of %s\n", event_word(row, "id"),
		event_word(row, "run"));
	if (!json_array_size(json_object_get(row, "also")))
		return;
	fprintf(file, "      also on ");
	print_devices(row, file);
	fputc('\n', file);
}

static void print_known(const json_t *row, FILE *file)
{
	fprintf(file, "  %s: now also on ", event_word(row, "key"));
	print_devices(row, file);
	fprintf(file, "; on %s since %s\n", event_word(row, "label"),
		event_word(row, "since"));
}

static void print_all(const json_t *rows, const char *head,
		      void (*print)(const json_t *row, FILE *file), FILE *file)
{
	const json_t *row;
	size_t i;

	if (json_array_size(rows))
		fprintf(file, "\n%s: %zu\n", head, json_array_size(rows));
	json_array_foreach(rows, i, row)
	{
		print(row, file);
	}
}

bool outcome_print_found(const json_t *result, FILE *file)
{
	const json_t *sheets = json_object_get(result, "sheets");
	const json_t *new = findings(result, "new");

	print_all(sheets, "sheets that changed", print_sheet, file);
	print_all(new, "found by fuzzing, and by no night before", print_new,
		  file);
	print_all(findings(result, "known"), "known findings of more devices",
		  print_known, file);
	return json_array_size(sheets) || json_array_size(new);
}

bool outcome_print_first(const json_t *result, FILE *file)
{
	const json_t *sheets = json_object_get(result, "sheets");
	const json_t *new = findings(result, "new");
	const json_t *sheet = json_array_get(sheets, 0);
	const json_t *row = json_array_get(new, 0);

	if (sheet)
		fprintf(file,
			"%s: another sheet since %s, %zu sheet%s in all\n",
			event_word(sheet, "label"), event_word(result, "night"),
			json_array_size(sheets),
			plural(json_array_size(sheets)));
	else if (row)
		fprintf(file, "%s: %s %s since %s, %zu finding%s in all\n",
			event_word(row, "label"), event_word(row, "key"),
			event_word(row, "verdict"), event_word(row, "since"),
			json_array_size(new), plural(json_array_size(new)));
	return sheet || row;
}

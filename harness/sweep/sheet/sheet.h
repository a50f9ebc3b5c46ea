/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The data sheet of a device, as a sweep has measured it: required and optional
 * attributes for each type and pair of states, and accepted values for each
 * field. A JSON file (reports/sheet.schema.json), also as text and as a page.
 */
#ifndef IBVET_SWEEP_SHEET_H
#define IBVET_SWEEP_SHEET_H

#include <jansson.h>
#include "sweep/lanes.h"
#include "sweep/analysis/analysis.h"

#define SHEET_NAME	   "sheet.json"
#define SHEET_PAGE	   "sheet.html"
#define SHEET_VERSION	   "1.4"
#define SHEET_DIFF_VERSION "1.0"

/* Makes the sheet of a sweep. Returns NULL with one line in err on failure. */
json_t *sheet_make(const struct sweep *s, char *err, size_t errlen);

/* Returns true if the sheet has deviations, calls that did not return, or
 * refusals that changed something; with `strict` also for contested
 * differences. */
bool sheet_fails(const json_t *sheet, bool strict);
void sheet_print(const json_t *sheet, FILE *file);
/* Writes the page. Returns 0 or -1. */
int sheet_write_page(const json_t *sheet, const char *path);
/* Prints the first few runs of values: "0-7, 9". */
void sheet_print_runs(const json_t *runs, FILE *file);
/* Returns a member that is text, or "". */
const char *sheet_word(const json_t *o, const char *key);
/* Returns "required", "optional" or "refused". */
const char *sheet_attribute_use(const json_t *shape, const char *attribute);

/* Returns true if the path is a sheet, or a folder with one. */
bool sheet_is(const char *path);
/* Reads a sheet from a file or a sweep's folder. Returns NULL with one line in
 * err on failure. */
json_t *sheet_load(const char *path, char *err, size_t errlen);
/* sheet_diff() returns the differences of two sheets, by
 * reports/sheet-diff.schema.json, which the caller releases. sheet_diff_print()
 * prints them, a line for each. */
json_t *sheet_diff(const json_t *before, const json_t *after);
void sheet_diff_print(const json_t *diff, FILE *file);

/* Makes the JSON of one cell (sheet/cell.c). */
json_t *sheet_of_cell(const struct sweep_map *m, uint32_t i, struct analyst *a,
		      char *err, size_t errlen);

#endif

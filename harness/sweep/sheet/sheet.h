/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The data sheet of a device, which a sweep has measured: for each type and
 * pair of states what is required and what is optional, for each field which
 * values are taken. A JSON file (reports/sheet.schema.json), and its text.
 */
#ifndef IBVET_SWEEP_SHEET_H
#define IBVET_SWEEP_SHEET_H

#include <jansson.h>
#include "sweep/lanes.h"
#include "sweep/shape.h"

#define SHEET_NAME	   "sheet.json"
#define SHEET_PAGE	   "sheet.html"
#define SHEET_VERSION	   "1.2"
#define SHEET_DIFF_VERSION "1.0"

/* What a sweep was asked for, and what it came to. NULL: err says why. */
json_t *sheet_make(const struct sweep *s, char *err, size_t errlen);

/* How its text ends, and the exit status of a sweep: deviations, masks that
 * crashed, hung or crept in; with `strict` contested ones too. */
bool sheet_fails(const json_t *sheet, bool strict);
void sheet_print(const json_t *sheet, FILE *file);
/* As a page of one file: 0 or -1. */
int sheet_write_page(const json_t *sheet, const char *path);
/* Runs of values, "0-7, 9", the first few. */
void sheet_print_runs(const json_t *runs, FILE *file);
/* A member that is text, or "". */
const char *sheet_word(const json_t *o, const char *key);
/* "required", "optional" or "refused" in a shape. */
const char *sheet_standing(const json_t *shape, const char *attribute);

/* Is there a sheet under that name, of a file or in a folder? */
bool sheet_is(const char *path);
/* Reads the sheet of a file or of a sweep's folder. NULL: err says why. */
json_t *sheet_load(const char *path, char *err, size_t errlen);
/* What two sheets differ in, by reports/sheet-diff.schema.json, to be released;
 * and that as text, a line for each change. */
json_t *sheet_diff(const json_t *before, const json_t *after);
void sheet_diff_print(const json_t *diff, FILE *file);

/* Of one cell (sheet/cell.c). */
json_t *sheet_of_cell(const struct sweep_map *m, uint32_t i, struct analyst *a,
		      char *err, size_t errlen);

#endif

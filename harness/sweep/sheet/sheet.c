// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes the sheet of a sweep: environment, summary and cells.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "run/environment.h"
#include "sweep/sheet/sheet.h"

static json_t *environment(const struct device_info *info)
{
	json_t *all = environment_of_host();
	json_t *device = environment_of_device(info);

	json_object_update(all, device);
	json_decref(device);
	return all;
}

static unsigned int with_status(const json_t *cells, const char *status)
{
	const json_t *cell;
	unsigned int n = 0;
	size_t i;

	json_array_foreach((json_t *)cells, i, cell)
	{
		const char *is =
			json_string_value(json_object_get(cell, "status"));

		n += is && !strcmp(is, status);
	}
	return n;
}

static bool has_difference(const json_t *cell, bool deviates)
{
	const json_t *found = json_object_get(cell, "found"), *difference;
	size_t i;

	json_array_foreach(json_object_get(found, "differences"), i, difference)
	{
		if (json_is_true(json_object_get(difference, "deviates")) ==
		    deviates)
			return true;
	}
	return false;
}

/* Counts calls with two different results. One of the two deviates, or none. */
static bool is_unsteady(const json_t *cell, bool deviates)
{
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(cell, "unsteady"), i, call)
	{
		if (json_is_true(json_object_get(call, "deviates")) == deviates)
			return true;
	}
	return false;
}

static bool is_unsafe(const json_t *cell)
{
	const json_t *crept = json_object_get(cell, "crept");

	return json_array_size(json_object_get(cell, "deaths")) ||
	       json_integer_value(json_object_get(crept, "calls"));
}

static uint64_t count_of(const json_t *json, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(json, key));
}

static json_t *summary(const json_t *cells, const struct sweep_map *m)
{
	unsigned int deviate = 0, contested = 0, unsafe = 0, unsteady = 0;
	uint64_t calls = 0, tried = 0, to_group = 0, checked = 0;
	uint64_t both, kept = 0, anew = 0;
	const json_t *cell;
	size_t i;

	json_array_foreach((json_t *)cells, i, cell)
	{
		deviate += has_difference(cell, true);
		contested +=
			has_difference(cell, false) || is_unsteady(cell, false);
		unsteady += is_unsteady(cell, true);
		unsafe += is_unsafe(cell);
		calls += count_of(cell, "calls");
		tried += count_of(cell, "tried");
		both = count_of(json_object_get(cell, "destination"),
				"checked");
		checked += both;
		to_group += both ? count_of(cell, "tried") : 0;
		kept += count_of(json_object_get(cell, "restored"), "kept");
		anew += count_of(json_object_get(cell, "history"), "checked");
	}
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:I, s:I, "
			 "s:I, s:I, s:I, s:I, s:f}",
			 "complete", with_status(cells, "complete"), "partial",
			 with_status(cells, "partial"), "given_up",
			 with_status(cells, "given-up"), "unsupported",
			 with_status(cells, "unsupported"), "deviates", deviate,
			 "contested", contested, "unsafe", unsafe, "unsteady",
			 unsteady, "calls", (json_int_t)calls, "tried",
			 (json_int_t)tried, "to_group", (json_int_t)to_group,
			 "checked", (json_int_t)checked, "kept",
			 (json_int_t)kept, "anew", (json_int_t)anew, "seconds",
			 (double)m->head->run_us / 1e6);
}

static json_t *cells_of(const struct sweep_map *m, struct analyst *a, char *err,
			size_t errlen)
{
	json_t *cells = json_array();

	for (uint32_t i = 0; i < m->head->ncells; i++) {
		json_t *cell = sheet_of_cell(m, i, a, err, errlen);

		if (!cell) {
			json_decref(cells);
			return NULL;
		}
		json_array_append_new(cells, cell);
	}
	return cells;
}

json_t *sheet_make(const struct sweep *s, char *err, size_t errlen)
{
	const struct sweep_map *m = &s->map;
	struct analyst *a = analyst_new(&m->head->info);
	json_t *cells;

	if (!a) {
		snprintf(err, errlen, "no memory");
		return NULL;
	}
	cells = cells_of(m, a, err, errlen);
	analyst_free(a);
	if (!cells)
		return NULL;
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "sheet", "ibvet sweep",
			 "schema_version", SHEET_VERSION, "environment",
			 environment(&m->head->info), "summary",
			 summary(cells, m), "cells", cells);
}

bool sheet_fails(const json_t *sheet, bool strict)
{
	const json_t *sum = json_object_get(sheet, "summary");

	return json_integer_value(json_object_get(sum, "deviates")) ||
	       json_integer_value(json_object_get(sum, "unsafe")) ||
	       json_integer_value(json_object_get(sum, "unsteady")) ||
	       json_integer_value(json_object_get(sum, "given_up")) ||
	       (strict &&
		json_integer_value(json_object_get(sum, "contested")));
}

/* Finds the file of a sheet from the name of the file or its folder. */
static const char *file_of(const char *path, char *buf, size_t len)
{
	struct stat st;

	snprintf(buf, len, "%s", path);
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		snprintf(buf, len, "%.1000s/%s", path, SHEET_NAME);
	return buf;
}

bool sheet_is(const char *path)
{
	char inside[1100], err[1200];
	json_t *sheet = NULL;

	if (!access(file_of(path, inside, sizeof(inside)), R_OK))
		sheet = sheet_load(path, err, sizeof(err));
	json_decref(sheet);
	return sheet;
}

json_t *sheet_load(const char *path, char *err, size_t errlen)
{
	char inside[1100];
	json_error_t error;
	json_t *sheet;

	file_of(path, inside, sizeof(inside));
	sheet = json_load_file(inside, 0, &error);
	if (!sheet) {
		snprintf(err, errlen, "%.900s: %s", inside, error.text);
		return NULL;
	}
	if (json_is_string(json_object_get(sheet, "sheet")) &&
	    json_is_array(json_object_get(sheet, "cells")))
		return sheet;
	snprintf(err, errlen, "%.900s: is no sheet of a sweep", inside);
	json_decref(sheet);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes the layers of a pair, for sheet/cell.c and sheet/text.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include "run/plural.h"
#include "sweep/analysis/layers.h"
#include "sweep/sheet/layers.h"
#include "sweep/sheet/sets.h"
#include "sweep/sheet/sheet.h"

#define TERMS_TOLD 4

static json_t *of_set(const struct difference *d)
{
	json_t *formula = json_array();
	char text[600];

	for (size_t i = 0; d->count && d->cover.whole && i < d->cover.n; i++) {
		sheet_cube_text(&d->cover.cube[i], text, sizeof(text));
		json_array_append_new(formula, json_string(text));
	}
	return json_pack("{s:i, s:o, s:b}", "masks", (int)d->count, "formula",
			 formula, "complete", !d->count || d->cover.whole);
}

static json_t *of_layers(const struct layers *l)
{
	json_t *json = json_pack("{s:o, s:o}", "library", of_set(&l->library),
				 "library_only", of_set(&l->kept));

	if (l->has_table) {
		json_object_set_new(json, "driver_refuses",
				    of_set(&l->refused));
		json_object_set_new(json, "driver_takes", of_set(&l->taken));
	}
	return json;
}

json_t *sheet_layers(const struct sweep_map *m, uint32_t cell,
		     const uint64_t *accepted)
{
	struct layers *l = calloc(1, sizeof(*l));
	json_t *json = NULL;

	if (l && !analyse_layers(m, cell, accepted, l))
		json = of_layers(l);
	free(l);
	return json;
}

static long long masks_of(const json_t *set)
{
	return (long long)json_integer_value(json_object_get(set, "masks"));
}

static void print_set(FILE *file, const json_t *set)
{
	const json_t *formula = json_object_get(set, "formula"), *term;
	size_t n = json_array_size(formula), i;

	fprintf(file, "%lld mask%s", masks_of(set),
		plural((unsigned long long)masks_of(set)));
	json_array_foreach((json_t *)formula, i, term)
	{
		if (i == TERMS_TOLD)
			break;
		fprintf(file, "%s%s", i ? " or " : ": ",
			json_string_value(term));
	}
	if (n > TERMS_TOLD)
		fprintf(file, " or %zu other terms", n - TERMS_TOLD);
}

static void print_library(FILE *file, const json_t *layers)
{
	const json_t *all = json_object_get(layers, "library");
	const json_t *only = json_object_get(layers, "library_only");

	fputs("    library:  ", file);
	if (!masks_of(all))
		fputs("sends every mask", file);
	else
		fputs("refuses ", file);
	if (masks_of(all))
		print_set(file, all);
	if (masks_of(only)) {
		fputs("; the kernel takes ", file);
		print_set(file, only);
	}
	fputc('\n', file);
}

static void print_driver(FILE *file, const json_t *layers)
{
	const json_t *refuses = json_object_get(layers, "driver_refuses");
	const json_t *takes = json_object_get(layers, "driver_takes");

	if (!refuses)
		return;
	if (!masks_of(refuses) && !masks_of(takes))
		fputs("    driver:   has the core's table\n", file);
	if (masks_of(refuses)) {
		fputs("    driver:   refuses of the core's table ", file);
		print_set(file, refuses);
		fputc('\n', file);
	}
	if (masks_of(takes)) {
		fputs("    driver:   takes beside the core's table ", file);
		print_set(file, takes);
		fputc('\n', file);
	}
}

void sheet_print_layers(const json_t *found, FILE *file)
{
	const json_t *layers = json_object_get(found, "layers");

	if (!layers)
		return;
	print_library(file, layers);
	print_driver(file, layers);
}

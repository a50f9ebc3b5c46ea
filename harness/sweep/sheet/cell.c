// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes one pair of a type as JSON: what device and contract require and
 * permit, and each difference in the shortest form.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "journal/utf8_json.h"
#include "sweep/analysis/analyst.h"
#include "sweep/sheet/calls.h"
#include "sweep/sheet/layers.h"
#include "sweep/sheet/sets.h"

#define UNDEFINED_TOLD 64 /* listed masks with undefined bits */

static json_t *of_shapes(const struct analysis *a, enum mask_part part)
{
	return json_pack("{s:o, s:o}", "device", sheet_shape(&a->device[part]),
			 "contract", sheet_shape(&a->contract[part]));
}

static const char *standing(const struct shape *s, uint32_t attr)
{
	if (s->required & attr)
		return "required";
	return s->optional & attr ? "optional" : "refused";
}

/* Compares attribute by attribute, if both sets are tables and neither is
 * empty. */
static void add_changes(json_t *changes, const struct analysis *a,
			enum mask_part part)
{
	const struct shape *d = &a->device[part], *c = &a->contract[part];

	if (!d->whole || !c->whole || !d->count || !c->count)
		return;
	for (int b = 0; b < 32; b++) {
		uint32_t attr = (uint32_t)A_DEFINED & 1u << b;
		const char *is = standing(d, attr), *has = standing(c, attr);

		if (!attr || is == has)
			continue;
		json_array_append_new(
			changes,
			json_pack("{s:s, s:s, s:s, s:b}", "attribute",
				  attr_name(b), "contract", has, "device", is,
				  "with_state", part == PART_MOVES));
	}
}

static const char *const difference_name[DIFFERENCE_NR] = {
	[ACCEPTS_REFUSED] = "accepts",
	[REFUSES_ACCEPTED] = "refuses",
	[ACCEPTS_CONTESTED] = "accepts",
	[REFUSES_CONTESTED] = "refuses",
};

/* Lists how a cube differs from the contract's table. */
static json_t *beside(const struct cube *cube, const struct shape *c)
{
	uint32_t with = mask_unpack(cube->with);
	uint32_t without = mask_unpack(cube->without);
	uint32_t takes = c->required | c->optional;

	return json_pack("{s:o, s:o, s:o, s:o}", "lacks",
			 sheet_names(c->required & ~with), "adds",
			 sheet_names((uint32_t)A_DEFINED & ~takes & ~without),
			 "needs", sheet_names(with & ~c->required), "excludes",
			 sheet_names(without & takes));
}

static json_t *of_cube(const struct cube *cube, const struct analysis *a,
		       bool accepts)
{
	bool stays = mask_unpack(cube->without) & A_STATE;
	const struct shape *c = &a->contract[stays ? PART_STAYS : PART_MOVES];
	json_t *json;
	char text[600];

	sheet_cube_text(cube, text, sizeof(text));
	json = json_pack("{s:s, s:o, s:o}", "text", text, "with",
			 sheet_names(mask_unpack(cube->with)), "without",
			 sheet_names(mask_unpack(cube->without)));
	if (accepts && c->count)
		json_object_set_new(json, "beside_contract", beside(cube, c));
	return json;
}

/* Counts calls of a difference that had the same result again. */
static json_int_t made_again(const struct map_cell *cell,
			     enum difference_kind kind)
{
	json_int_t n = 0;

	for (uint32_t i = 0; i < cell->nrepeats; i++)
		n += cell->repeat[i].kind == kind && cell->repeat[i].same &&
		     !cell->repeat[i].doubted;
	return n;
}

static json_t *of_difference(const struct map_cell *cell,
			     const struct analysis *a,
			     enum difference_kind kind)
{
	const struct difference *d = &a->difference[kind];
	json_t *formula = json_array();
	bool accepts = difference_accepts(kind);

	for (size_t i = 0; d->cover.whole && i < d->cover.n; i++)
		json_array_append_new(formula,
				      of_cube(&d->cover.cube[i], a, accepts));
	return json_pack("{s:s, s:b, s:i, s:I, s:o, s:o, s:b, s:b}", "device",
			 difference_name[kind], "deviates",
			 difference_deviates(kind), "masks", (int)d->count,
			 "again", made_again(cell, kind), "first",
			 sheet_names(d->first), "formula", formula, "complete",
			 d->cover.whole, "minimal", d->cover.minimal);
}

static json_t *of_masks(const struct map_cell *cell, const uint64_t *accepted,
			struct analyst *a, char *err, size_t errlen)
{
	struct analysis *out = calloc(1, sizeof(*out));
	json_t *json = NULL, *changes = json_array(), *diffs = json_array();
	bool moves = cell->cell.from != cell->cell.to;

	if (!out)
		snprintf(err, errlen, "no memory");
	else if (!analyse_masks(a, cell, accepted, out, err, errlen)) {
		add_changes(changes, out, PART_MOVES);
		if (!moves)
			add_changes(changes, out, PART_STAYS);
		for (int d = 0; d < DIFFERENCE_NR; d++)
			if (out->difference[d].count)
				json_array_append_new(
					diffs,
					of_difference(cell, out,
						      (enum difference_kind)d));
		json = json_pack("{s:o, s:o, s:O, s:O}", "with_state",
				 of_shapes(out, PART_MOVES), "without_state",
				 of_shapes(out, PART_STAYS), "changes", changes,
				 "differences", diffs);
	}
	json_decref(changes);
	json_decref(diffs);
	free(out);
	return json;
}

/* The contract permits no mask with an undefined bit. */
static json_t *of_undefined(const struct map_cell *cell,
			    const uint64_t *accepted,
			    const struct device_info *d)
{
	json_t *masks = json_array();
	uint32_t n = 0;
	char text[400];

	for (uint32_t i = 0; i < cell->done; i++) {
		if (!bit_test(accepted, i))
			continue;
		call_text(&cell->cell, d, i, true, text, sizeof(text));
		if (n++ < UNDEFINED_TOLD)
			json_array_append_new(masks, json_string(text));
	}
	if (!n)
		return json_pack("{s:[], s:o}", "differences", "accepted",
				 masks);
	return json_pack("{s:[{s:s, s:b, s:i, s:I}], s:o}", "differences",
			 "device", "accepts", "deviates", true, "masks", (int)n,
			 "again", made_again(cell, ACCEPTS_REFUSED), "accepted",
			 masks);
}

/* A GID is written as text. */
static json_t *of_value(enum field f, field_value value)
{
	char text[DOMAIN_TEXT_LEN];

	if (!domain_of_gids(f))
		return json_integer((json_int_t)value);
	return json_string(domain_text(f, value, text, sizeof(text)));
}

static json_t *of_runs(enum field f, const struct value_runs *r)
{
	json_t *runs = json_array();

	for (uint32_t i = 0; i < r->n && i < VALUE_RUNS; i++)
		json_array_append_new(
			runs, json_pack("[o, o]", of_value(f, r->run[i].first),
					of_value(f, r->run[i].last)));
	return json_pack("{s:i, s:i, s:o}", "values", (int)r->count, "runs",
			 (int)r->n, "from_to", runs);
}

static json_t *of_value_difference(const struct map_cell *cell,
				   const struct value_analysis *a,
				   enum difference_kind kind)
{
	return json_pack(
		"{s:s, s:b, s:I, s:o}", "device", difference_name[kind],
		"deviates", difference_deviates(kind), "again",
		made_again(cell, kind), "values",
		of_runs(cell_field(&cell->cell), &a->difference[kind]));
}

static json_t *of_values(const struct map_cell *cell, const uint64_t *accepted,
			 struct analyst *a, char *err, size_t errlen)
{
	struct value_analysis *out = calloc(1, sizeof(*out));
	json_t *json = NULL, *diffs = json_array();
	enum field f = cell_field(&cell->cell);

	if (!out)
		snprintf(err, errlen, "no memory");
	else if (!analyse_values(a, cell, accepted, out, err, errlen)) {
		for (int d = 0; d < DIFFERENCE_NR; d++)
			if (out->difference[d].count)
				json_array_append_new(
					diffs,
					of_value_difference(
						cell, out,
						(enum difference_kind)d));
		json = json_pack("{s:o, s:o, s:O}", "device",
				 of_runs(f, &out->device), "contract",
				 of_runs(f, &out->contract), "differences",
				 diffs);
	}
	json_decref(diffs);
	free(out);
	return json;
}

static const char *status_of(const struct map_cell *cell)
{
	if (cell->status == STATUS_UNSUPPORTED)
		return "unsupported";
	if (cell->status == STATUS_GIVEN_UP)
		return "given-up";
	return cell->done >= cell->cell.end ? "complete" : "partial";
}

static void add_cell(json_t *json, const struct sweep_cell *c)
{
	json_object_set_new(json, "type",
			    json_string(qp_kind_name((enum qp_kind)c->kind)));
	json_object_set_new(json, "from", json_string(state_name(c->from)));
	json_object_set_new(json, "to", json_string(state_name(c->to)));
	if (c->sort == CELL_LIES)
		json_object_set_new(json, "claimed",
				    json_string(state_name(c->claimed)));
	if (c->sort == CELL_VALUES)
		json_object_set_new(
			json, "field",
			json_string(field_info(cell_field(c))->text));
}

/* Accepted calls are counted by the way that brought the queue pair back. */
static void add_counts(json_t *json, const struct map_cell *cell)
{
	const struct sweep_cell *c = &cell->cell;

	json_object_set_new(json, "calls", json_integer(c->end - c->begin));
	json_object_set_new(json, "tried", json_integer(cell->done - c->begin));
	json_object_set_new(
		json, "restored",
		json_pack("{s:I, s:I, s:I, s:I}", "unmoved",
			  (json_int_t)cell->back[WAY_UNMOVED], "by_reset",
			  (json_int_t)cell->back[WAY_RESET], "kept",
			  (json_int_t)cell->back[WAY_KEPT], "replaced",
			  (json_int_t)cell->back[WAY_REPLACED]));
}

static json_t *find(const struct map_cell *cell, const uint64_t *accepted,
		    struct analyst *a, char *err, size_t errlen)
{
	if (cell->cell.sort == CELL_VALUES)
		return of_values(cell, accepted, a, err, errlen);
	if (cell->cell.sort == CELL_UNDEFINED)
		return of_undefined(cell, accepted, &a->model->info);
	return of_masks(cell, accepted, a, err, errlen);
}

json_t *sheet_of_cell(const struct sweep_map *m, uint32_t i, struct analyst *a,
		      char *err, size_t errlen)
{
	const struct map_cell *cell = &m->cell[i];
	json_t *json = json_object(), *found = NULL;
	const uint64_t *accepted;
	char id[80];

	cell_name(&cell->cell, id, sizeof(id));
	json_object_set_new(json, "id", json_string(id));
	add_cell(json, &cell->cell);
	json_object_set_new(json, "status", json_string(status_of(cell)));
	if (cell->why[0])
		json_object_set_new(json, "why", utf8_json(cell->why));
	if (cell->status == STATUS_UNSUPPORTED)
		return json;
	add_counts(json, cell);
	sheet_add_calls(json, cell, &m->head->info);
	if (!cell_is_whole(&cell->cell)) {
		/* What the device requires is known with the other parts. */
		json_object_set_new(json, "part",
				    json_pack("[i,i]", (int)cell->cell.begin,
					      (int)cell->cell.end));
		return json;
	}
	sheet_add_destination(json, m, i);
	sheet_add_history(json, m, i);
	if (!cell->done)
		return json;
	accepted = analyst_answers(a, cell, map_accepted(m, i));
	found = find(cell, accepted, a, err, errlen);
	if (found) {
		if (cell->layered)
			json_object_set_new(found, "layers",
					    sheet_layers(m, i, accepted));
		json_object_set_new(json, "found", found);
		return json;
	}
	json_decref(json);
	return NULL;
}

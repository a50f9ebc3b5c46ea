// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Compares two sheets, as JSON (reports/sheet-diff.schema.json): cells that
 * only one sheet has, attributes that one device requires, accepts or refuses
 * and the other does not, and calls that did not return. Calls that only one
 * sweep tried are not compared.
 */
#include <string.h>
#include "run/environment.h"
#include "sweep/sheet/sheet.h"

struct comparison {
	json_t *changes, *not_compared;
};

static const json_t *cell_by_id(const json_t *sheet, const char *id)
{
	const json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(sheet, "cells"), i, cell)
	{
		if (!strcmp(sheet_word(cell, "id"), id))
			return cell;
	}
	return NULL;
}

static bool has_name(const json_t *names, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)names, i, one)
	{
		if (json_is_string(one) &&
		    !strcmp(json_string_value(one), name))
			return true;
	}
	return false;
}

const char *sheet_attribute_use(const json_t *shape, const char *attr)
{
	if (has_name(json_object_get(shape, "required"), attr))
		return "required";
	return has_name(json_object_get(shape, "optional"), attr) ? "optional"
								  : "refused";
}

/* A value that one sheet lacks is null. Takes over neither value. */
static json_t *add(struct comparison *c, const char *id, const char *what,
		   const json_t *was, const json_t *is)
{
	json_t *change = json_pack("{s:s, s:s, s:O?, s:O?}", "cell", id, "what",
				   what, "was", was, "is", is);

	json_array_append_new(c->changes, change);
	return change;
}

static json_t *add_words(struct comparison *c, const char *id, const char *what,
			 const char *was, const char *is)
{
	json_t *old = json_string(was), *new = json_string(is);
	json_t *change = add(c, id, what, old, new);

	json_decref(old);
	json_decref(new);
	return change;
}

static bool is_table(const json_t *shape)
{
	return json_is_true(json_object_get(shape, "table")) &&
	       json_integer_value(json_object_get(shape, "masks"));
}

static void diff_attributes(struct comparison *c, const char *id,
			    bool with_state, const json_t *before,
			    const json_t *after)
{
	for (int b = 0; b < 32; b++) {
		const char *was, *is;
		json_t *change;

		if (!attr_name(b))
			continue;
		was = sheet_attribute_use(before, attr_name(b));
		is = sheet_attribute_use(after, attr_name(b));
		if (!strcmp(was, is))
			continue;
		change = add_words(c, id, "attribute", was, is);
		json_object_set_new(change, "attribute",
				    json_string(attr_name(b)));
		json_object_set_new(change, "with_state",
				    json_boolean(with_state));
	}
}

static const json_t *device_of(const json_t *cell, const char *part)
{
	const json_t *found = json_object_get(cell, "found");

	return json_object_get(json_object_get(found, part), "device");
}

/* Two tables are compared attribute by attribute, other sets as a whole. */
static void diff_shapes(struct comparison *c, const json_t *before,
			const json_t *after, const char *part)
{
	const char *id = sheet_word(before, "id");
	bool with_state = !strcmp(part, "with_state");
	const json_t *was = device_of(before, part);
	const json_t *is = device_of(after, part);
	json_t *change;

	if (!was || !is || json_equal(was, is))
		return;
	if (is_table(was) && is_table(is)) {
		diff_attributes(c, id, with_state, was, is);
		return;
	}
	change = add(c, id, "masks", was, is);
	json_object_set_new(change, "with_state", json_boolean(with_state));
}

static void diff_member(struct comparison *c, const json_t *before,
			const json_t *after, const char *what, const char *key)
{
	const json_t *was = json_object_get(before, key);
	const json_t *is = json_object_get(after, key);

	if (was && is && !json_equal(was, is))
		add(c, sheet_word(before, "id"), what, was, is);
}

/* The number of refusals does not matter. */
static void diff_errnos(struct comparison *c, const json_t *before,
			const json_t *after, const char *side)
{
	const json_t *others = json_object_get(after, "errnos"), *e, *o;
	const char *id = sheet_word(before, "id");
	size_t i, k;

	json_array_foreach(json_object_get(before, "errnos"), i, e)
	{
		const char *name = sheet_word(e, "errno");
		bool there = false;

		json_array_foreach((json_t *)others, k, o)
		{
			there = there || !strcmp(sheet_word(o, "errno"), name);
		}
		if (!there && !strcmp(side, "was"))
			add(c, id, "errno", e, NULL);
		else if (!there)
			add(c, id, "errno", NULL, e);
	}
}

/* A sweep that was cut off has tried all calls before some place. */
static bool comparable(struct comparison *c, const json_t *before,
		       const json_t *after)
{
	const json_t *was = json_object_get(before, "tried");
	const json_t *is = json_object_get(after, "tried");
	const char *id = sheet_word(before, "id");

	if (!was || !is || json_equal(was, is))
		return true;
	if (!strcmp(sheet_word(before, "status"), "given-up") ||
	    !strcmp(sheet_word(after, "status"), "given-up"))
		return true;
	json_array_append_new(c->not_compared,
			      json_pack("{s:s, s:O, s:O}", "cell", id, "was",
					was, "is", is));
	return false;
}

static void diff_found(struct comparison *c, const json_t *before,
		       const json_t *after)
{
	diff_member(c, before, after, "deaths", "deaths");
	diff_member(c, before, after, "crept", "crept");
	diff_member(c, before, after, "unsteady", "unsteady");
	diff_errnos(c, before, after, "was");
	diff_errnos(c, after, before, "is");
	if (json_object_get(before, "field")) {
		const json_t *was = json_object_get(before, "found");
		const json_t *is = json_object_get(after, "found");
		json_t *old =
			json_pack("{s:s, s:O?}", "id", sheet_word(before, "id"),
				  "device", json_object_get(was, "device"));

		diff_member(c, old, is, "values", "device");
		json_decref(old);
		return;
	}
	diff_shapes(c, before, after, "with_state");
	diff_shapes(c, before, after, "without_state");
}

static void diff_undefined(struct comparison *c, const json_t *before,
			   const json_t *after)
{
	const json_t *was =
		json_object_get(json_object_get(before, "found"), "accepted");
	const json_t *is =
		json_object_get(json_object_get(after, "found"), "accepted");

	if (was && is && !json_equal(was, is))
		add(c, sheet_word(before, "id"), "undefined-bits", was, is);
}

static void diff_cell(struct comparison *c, const json_t *before,
		      const json_t *after)
{
	const char *was = sheet_word(before, "status");
	const char *is = sheet_word(after, "status");

	if (!comparable(c, before, after))
		return;
	if (strcmp(was, is) != 0) {
		add_words(c, sheet_word(before, "id"), "status", was, is);
		return;
	}
	diff_found(c, before, after);
	diff_undefined(c, before, after);
}

static void only_in(struct comparison *c, const json_t *one,
		    const json_t *other, bool is_first)
{
	const json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(one, "cells"), i, cell)
	{
		const char *id = sheet_word(cell, "id");
		const json_t *status = json_object_get(cell, "status");

		if (!cell_by_id(other, id))
			add(c, id, "cell", is_first ? status : NULL,
			    is_first ? NULL : status);
	}
}

json_t *sheet_diff(const json_t *before, const json_t *after)
{
	struct comparison c = {json_array(), json_array()};
	const json_t *cell;
	size_t i;

	only_in(&c, before, after, true);
	only_in(&c, after, before, false);
	json_array_foreach(json_object_get(before, "cells"), i, cell)
	{
		const json_t *there = cell_by_id(after, sheet_word(cell, "id"));

		if (there)
			diff_cell(&c, cell, there);
	}
	return json_pack(
		"{s:s, s:s, s:b, s:o, s:o, s:o}", "diff", "ibvet sweep",
		"schema_version", SHEET_DIFF_VERSION, "changed",
		json_array_size(c.changes) != 0, "environment",
		environment_differences(json_object_get(before, "environment"),
					json_object_get(after, "environment")),
		"changes", c.changes, "not_compared", c.not_compared);
}

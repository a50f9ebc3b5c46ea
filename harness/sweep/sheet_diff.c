// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Two sheets side by side: cells that only one has, what one requires, takes or
 * refuses otherwise, and calls that one did not survive.
 */
#include <stdio.h>
#include <string.h>
#include "sweep/sheet.h"

struct comparison {
	FILE *file;
	unsigned int lines;
};

static const char *id_of(const json_t *cell)
{
	const char *id = json_string_value(json_object_get(cell, "id"));

	return id ? id : "?";
}

static const char *status_of(const json_t *cell)
{
	const char *status = json_string_value(json_object_get(cell, "status"));

	return status ? status : "?";
}

static const json_t *cell_by_id(const json_t *sheet, const char *id)
{
	const json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(sheet, "cells"), i, cell)
	{
		if (!strcmp(id_of(cell), id))
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

const char *sheet_standing(const json_t *shape, const char *attr)
{
	if (has_name(json_object_get(shape, "required"), attr))
		return "required";
	return has_name(json_object_get(shape, "optional"), attr) ? "optional"
								  : "refused";
}

static const json_t *device_of(const json_t *cell, const char *part)
{
	const json_t *found = json_object_get(cell, "found");

	return json_object_get(json_object_get(found, part), "device");
}

static bool is_table(const json_t *shape)
{
	return json_is_true(json_object_get(shape, "table")) &&
	       json_integer_value(json_object_get(shape, "masks"));
}

/* Two tables differ by attributes, other sets by how many masks they are. */
static void diff_shapes(struct comparison *c, const char *id, const char *part,
			const json_t *before, const json_t *after)
{
	const char *where = !strcmp(part, "with_state") ? "" : " without STATE";

	if (!before || !after || json_equal(before, after))
		return;
	if (!is_table(before) || !is_table(after)) {
		c->lines++;
		fprintf(c->file, "%s%s: %lld masks, then %lld\n", id, where,
			(long long)json_integer_value(
				json_object_get(before, "masks")),
			(long long)json_integer_value(
				json_object_get(after, "masks")));
		return;
	}
	for (int b = 0; b < 32; b++) {
		const char *was, *is;

		if (!attr_name(b))
			continue;
		was = sheet_standing(before, attr_name(b));
		is = sheet_standing(after, attr_name(b));
		if (!strcmp(was, is))
			continue;
		c->lines++;
		fprintf(c->file, "%s%s: %s %s, then %s\n", id, where,
			attr_name(b), was, is);
	}
}

static void diff_member(struct comparison *c, const char *id, const char *what,
			const json_t *before, const json_t *after)
{
	if (json_equal(before, after))
		return;
	c->lines++;
	fprintf(c->file, "%s: %s\n", id, what);
}

static void diff_values(struct comparison *c, const char *id,
			const json_t *before, const json_t *after)
{
	const json_t *was =
		json_object_get(json_object_get(before, "found"), "device");
	const json_t *is =
		json_object_get(json_object_get(after, "found"), "device");

	if (was && is)
		diff_member(c, id, "other values are taken", was, is);
}

/* What was not tried to its end tells nothing but that. */
static void diff_cell(struct comparison *c, const json_t *before,
		      const json_t *after)
{
	const char *id = id_of(before);

	if (strcmp(status_of(before), status_of(after)) != 0) {
		c->lines++;
		fprintf(c->file, "%s: %s, then %s\n", id, status_of(before),
			status_of(after));
		return;
	}
	diff_member(c, id, "other calls crash, hang or are lost",
		    json_object_get(before, "deaths"),
		    json_object_get(after, "deaths"));
	diff_member(c, id, "other refusals change something",
		    json_object_get(before, "crept"),
		    json_object_get(after, "crept"));
	if (json_object_get(before, "field")) {
		diff_values(c, id, before, after);
		return;
	}
	diff_shapes(c, id, "with_state", device_of(before, "with_state"),
		    device_of(after, "with_state"));
	diff_shapes(c, id, "without_state", device_of(before, "without_state"),
		    device_of(after, "without_state"));
}

static void only_in(struct comparison *c, const json_t *one,
		    const json_t *other, const char *which)
{
	const json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(one, "cells"), i, cell)
	{
		if (cell_by_id(other, id_of(cell)))
			continue;
		c->lines++;
		fprintf(c->file, "%s: only in the %s sheet\n", id_of(cell),
			which);
	}
}

unsigned int sheet_diff(const json_t *before, const json_t *after, FILE *file)
{
	struct comparison c = {.file = file};
	const json_t *cell;
	size_t i;

	only_in(&c, before, after, "first");
	only_in(&c, after, before, "second");
	json_array_foreach(json_object_get(before, "cells"), i, cell)
	{
		const json_t *there = cell_by_id(after, id_of(cell));

		if (there)
			diff_cell(&c, cell, there);
	}
	return c.lines;
}

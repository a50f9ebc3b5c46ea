// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes sets of masks: attributes, the shape of a set, and cubes.
 */
#include <stdio.h>
#include "sweep/sheet/sets.h"

json_t *sheet_names(uint32_t mask)
{
	json_t *names = json_array();
	char bit[16];

	for (int b = 0; b < 32; b++) {
		if (!(mask & 1u << b))
			continue;
		snprintf(bit, sizeof(bit), "bit%d", b);
		json_array_append_new(
			names, json_string(attr_name(b) ? attr_name(b) : bit));
	}
	return names;
}

json_t *sheet_shape(const struct shape *s)
{
	json_t *json =
		json_pack("{s:i, s:o, s:o, s:b}", "masks", (int)s->count,
			  "required", sheet_names(s->required), "optional",
			  sheet_names(s->optional), "table", s->whole);
	char digest[20];

	/* Two different sets can have the same bounds. */
	if (!s->whole) {
		snprintf(digest, sizeof(digest), "%016llx",
			 (unsigned long long)s->digest);
		json_object_set_new(json, "digest", json_string(digest));
	}
	return json;
}

/* Appends attributes to a text, separated by commas: "AV, QKEY". */
static size_t add_names(char *buf, size_t len, size_t at, uint32_t mask,
			const char *first, const char *next)
{
	for (int b = 0; b < 32; b++) {
		if (!(mask & 1u << b))
			continue;
		at += (size_t)snprintf(buf + at, len - at, "%s%s", first,
				       attr_name(b));
		first = next;
	}
	return at;
}

void sheet_cube_text(const struct cube *cube, char *buf, size_t len)
{
	uint32_t with = mask_unpack(cube->with);
	uint32_t without = mask_unpack(cube->without);
	uint32_t open = (uint32_t)A_DEFINED & ~(with | without);
	size_t at = add_names(buf, len, 0, with, "", " & ");
	const char *also = at ? " & " : "";

	if (!(with | without)) {
		snprintf(buf, len, "any mask");
	} else if (__builtin_popcount(without) <= MASKS_BITS / 2) {
		if (at && without)
			at += (size_t)snprintf(buf + at, len - at, " & ");
		add_names(buf, len, at, without, "!", " & !");
	} else {
		at += (size_t)snprintf(buf + at, len - at, "%snothing%s", also,
				       with ? " else" : "");
		add_names(buf, len, at, open, " but ", ", ");
	}
}

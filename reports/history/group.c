/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "reports/history/group.h"

/* The members that rows of a group share */
static const char *const shared[] = {"host",  "device", "rule", "verdict",
				     "since", "flaky",	"ran"};

/* Returns the shared members as one text, or NULL without memory. */
static char *key_of(const json_t *row)
{
	json_t *list = json_array();
	char *key;

	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++) {
		json_t *value = json_object_get(row, shared[i]);

		json_array_append_new(list,
				      value ? json_incref(value) : json_null());
	}
	key = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	return key;
}

json_t *history_groups(const json_t *rows)
{
	json_t *groups = json_array(), *places = json_object(), *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		char *key = key_of(row);
		json_t *group = key ? json_object_get(places, key) : NULL;

		if (!group && key) {
			group = json_array();
			json_array_append_new(groups, group);
			json_object_set(places, key, group);
		}
		if (group)
			json_array_append(group, row);
		free(key);
	}
	json_decref(places);
	return groups;
}

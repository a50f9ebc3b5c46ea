/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes JSON strings of texts from outside: names, log lines, versions.
 */
#include <stdlib.h>
#include <string.h>
#include "journal/utf8_json.h"

json_t *utf8_json(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value || !text)
		return value;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c >= 0x7f)
			*c = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

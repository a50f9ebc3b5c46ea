/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a journal, a line at a time: what is no whole JSON object is counted
 * and passed over, whether a crash cut it short or something overwrote it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/journal.h"

static json_t *parse(const char *line, ssize_t len)
{
	json_t *event = json_loadb(line, (size_t)len, 0, NULL);

	if (json_is_object(event))
		return event;
	json_decref(event);
	return NULL;
}

/* A whole line, as journal_add() writes it, of none of these kinds? */
static bool passed_over(const char *const *kinds, const char *line, ssize_t len)
{
	static const char head[] = "{\"event\":\"";
	const char *kind = line + strlen(head);

	if (!kinds || strncmp(line, head, strlen(head)) != 0 || len < 2 ||
	    line[len - 1] != '\n' || line[len - 2] != '}')
		return false;
	for (; *kinds; kinds++) {
		size_t n = strlen(*kinds);

		if (!strncmp(kind, *kinds, n) && kind[n] == '"')
			return false;
	}
	return true;
}

int journal_each(const char *dir, bool (*fn)(const json_t *event, void *arg),
		 void *arg, uint64_t *torn, char *err, size_t errlen)
{
	return journal_each_of(NULL, dir, fn, arg, torn, err, errlen);
}

int journal_each_of(const char *const *kinds, const char *dir,
		    bool (*fn)(const json_t *event, void *arg), void *arg,
		    uint64_t *torn, char *err, size_t errlen)
{
	char path[RUN_PATH_LEN + 32];
	char *line = NULL;
	size_t room = 0;
	bool go_on = true;
	int ret = 0;
	ssize_t len;
	FILE *file;

	snprintf(path, sizeof(path), "%s/" JOURNAL_NAME, dir);
	file = fopen(path, "re");
	if (!file) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return ret;
	}
	while (go_on && (len = getline(&line, &room, file)) > 0) {
		json_t *event;

		if (passed_over(kinds, line, len))
			continue;
		event = parse(line, len);
		if (event)
			go_on = fn(event, arg);
		else if (torn)
			++*torn;
		json_decref(event);
	}
	if (ferror(file)) {
		ret = -EIO;
		snprintf(err, errlen, "%s: cannot be read to its end", path);
	}
	free(line);
	fclose(file);
	return ret;
}

const char *event_text(const json_t *event, const char *key)
{
	return json_string_value(json_object_get(event, key));
}

const char *event_kind(const json_t *event)
{
	const char *kind = event_text(event, "event");

	return kind ? kind : "";
}

int64_t event_number(const json_t *event, const char *key, int64_t otherwise)
{
	const json_t *value = json_object_get(event, key);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

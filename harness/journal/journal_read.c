/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a journal line by line, with only one line in memory. Counts and skips
 * lines that are no whole JSON object, because a crash cut them short or
 * something overwrote them. A line that begins with a blank was removed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "journal/journal.h"

#define READ_AT_ONCE (256 * 1024)

/* Returns true for a whole line, as journal_add() writes it, of another kind.
 */
static bool is_of_other_kind(const char *const *kinds, const char *line,
			     ssize_t len)
{
	static const char head[] = "{\"event\":\"";
	const char *kind = line + strlen(head);

	if (!kinds || len < (ssize_t)sizeof(head) ||
	    memcmp(line, head, sizeof(head) - 1) != 0 ||
	    line[len - 1] != '\n' || line[len - 2] != '}')
		return false;
	for (; *kinds; kinds++) {
		size_t n = strlen(*kinds);

		if (kind[0] == (*kinds)[0] && !strncmp(kind, *kinds, n) &&
		    kind[n] == '"')
			return false;
	}
	return true;
}

static int fail(const char *path, int error, char *err, size_t errlen)
{
	snprintf(err, errlen, "%s: %s", path, strerror(error));
	return -error;
}

struct scan {
	const char *const *kinds; /* NULL: all */
	bool (*fn)(const struct line *line, void *arg);
	void *arg;
	uint64_t torn;
};

static void scan_lines(struct scan *s, FILE *file, off_t at)
{
	char *text = NULL;
	size_t room = 0;
	bool go_on = true;
	struct line line;
	ssize_t len;

	while (go_on && (len = getline(&text, &room, file)) > 0) {
		line.at = at;
		line.end = at += len;
		if (text[0] == ' ' || is_of_other_kind(s->kinds, text, len))
			continue;
		if (!line_take(&line, text, (size_t)len)) {
			s->torn++;
			continue;
		}
		go_on = s->fn(&line, s->arg);
		line_drop(&line);
	}
	free(text);
}

static int scan_from(struct scan *s, const char *dir, off_t from, char *err,
		     size_t errlen)
{
	char path[RUN_PATH_LEN + 32];
	char *buffer; /* glibc allocates none of the size that it is given */
	int ret = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/" JOURNAL_NAME, dir);
	file = fopen(path, "re");
	if (!file)
		return fail(path, errno, err, errlen);
	buffer = malloc(READ_AT_ONCE);
	if (buffer)
		setvbuf(file, buffer, _IOFBF, READ_AT_ONCE);
	if (from && fseeko(file, from, SEEK_SET))
		ret = fail(path, errno, err, errlen);
	errno = 0;
	if (!ret)
		scan_lines(s, file, from);
	if (ferror(file))
		ret = fail(path, errno ? errno : EIO, err, errlen);
	fclose(file);
	free(buffer);
	return ret;
}

int journal_scan(const char *const *kinds, const char *dir, off_t from,
		 bool (*fn)(const struct line *line, void *arg), void *arg,
		 uint64_t *torn, char *err, size_t errlen)
{
	struct scan s = {.kinds = kinds, .fn = fn, .arg = arg};
	int ret = scan_from(&s, dir, from, err, errlen);

	if (torn)
		*torn += s.torn;
	return ret;
}

const char *event_text(const json_t *event, const char *key)
{
	return json_string_value(json_object_get(event, key));
}

const char *event_word(const json_t *event, const char *key)
{
	const char *text = event_text(event, key);

	return text ? text : "";
}

int64_t event_number(const json_t *event, const char *key, int64_t otherwise)
{
	const json_t *value = json_object_get(event, key);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

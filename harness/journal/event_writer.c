/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes JSON as jansson does: without spaces, and with only the necessary
 * escapes. jansson writes the texts that hold control characters or bytes that
 * are not ASCII.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "journal/utf8_json.h"
#include "journal/event_writer.h"

#define NUMBER_LEN 20 /* "-9223372036854775808" */

static void put(struct writer *w, const char *text, size_t len)
{
	if (journal_put(w->journal, text, len))
		w->failed = true;
}

static void put_key(struct writer *w, const char *key)
{
	put(w, ",\"", 2);
	put(w, key, strlen(key));
	put(w, "\":", 2);
}

/* How a character is written: as itself, or as a backslash and the character
 * given here. 0: the text is left to jansson. */
#define ITSELF 1
static const char written_as[256] = {
	[' '] = ITSELF,		['!'] = ITSELF, ['"'] = '"',
	['#' ... '['] = ITSELF, ['\\'] = '\\',	[']' ... '~'] = ITSELF,
	['\n'] = 'n',		['\t'] = 't',
};

/* Returns false for a text that is left to jansson. */
static bool put_ascii(struct writer *w, const char *text)
{
	char *to = journal_room(w->journal, 2 * strlen(text) + 2), *at = to;

	if (!to)
		return false;
	*at++ = '"';
	for (; *text; text++) {
		char as = written_as[(unsigned char)*text];

		if (!as)
			return false;
		if (as != ITSELF)
			*at++ = '\\';
		*at++ = as == ITSELF ? *text : as;
	}
	*at++ = '"';
	w->journal->len += (size_t)(at - to);
	return true;
}

static void put_any(struct writer *w, const char *text)
{
	json_t *value = utf8_json(text);
	char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	if (dump)
		put(w, dump, strlen(dump));
	else
		w->failed = true;
	free(dump);
	json_decref(value);
}

static void put_text(struct writer *w, const char *text)
{
	if (!text || !put_ascii(w, text))
		put_any(w, text);
}

void writer_open(struct writer *w, struct journal *j, const char *kind)
{
	*w = (struct writer){.journal = j, .began = j->len};
	put(w, "{\"event\":", 9);
	put_text(w, kind);
}

void writer_text(struct writer *w, const char *key, const char *text)
{
	put_key(w, key);
	put_text(w, text);
}

void writer_number(struct writer *w, const char *key, int64_t number)
{
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[NUMBER_LEN], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	if (number < 0)
		*--at = '-';
	put_key(w, key);
	put(w, at, (size_t)(digits + sizeof(digits) - at));
}

void writer_true(struct writer *w, const char *key)
{
	put_key(w, key);
	put(w, "true", 4);
}

void writer_list(struct writer *w, const char *key)
{
	put_key(w, key);
	put(w, "[", 1);
	w->in_list = false;
}

void writer_item(struct writer *w, const char *text)
{
	if (w->in_list)
		put(w, ",", 1);
	w->in_list = true;
	put_text(w, text);
}

void writer_list_end(struct writer *w)
{
	put(w, "]", 1);
}

int writer_close(struct writer *w)
{
	put(w, "}\n", 2);
	if (!w->failed)
		return 0;
	w->journal->len = w->began;
	return -ENOMEM;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the words of a C text: names, keywords and numbers, outside of strings
 * and comments.
 */
#include <ctype.h>
#include <string.h>
#include "program/repro/repro.h"

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the end of the string, character or comment that begins here, NULL
 * if none does. */
static const char *past_text(const char *at)
{
	const char *end;
	char quote = *at;

	if (!strncmp(at, "/*", 2)) {
		end = strstr(at, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (quote != '"' && quote != '\'')
		return NULL;
	for (at++; *at && *at != quote; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

bool next_word(struct range text, struct word *word)
{
	const char *at = word->at ? word->at + word->length : text.from;
	const char *past;

	while (at < text.to && !is_letter(*at)) {
		past = past_text(at);
		at = past ? past : at + 1;
	}
	if (at >= text.to)
		return false;
	word->at = at;
	for (word->length = 0; is_letter(at[word->length]);)
		word->length++;
	word->member = at > text.from &&
		       (at[-1] == '.' || (at[-1] == '>' && at[-2] == '-'));
	return true;
}

int compare_words(const struct word *a, const struct word *b)
{
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return memcmp(a->at, b->at, a->length);
}

bool same_word(const struct word *a, const struct word *b)
{
	return !compare_words(a, b);
}

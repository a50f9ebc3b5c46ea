/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A line of the journal, taken apart where it stands. Nearly all lines of a
 * long run are flat objects of texts and whole numbers, as journal_add() writes
 * them: these are read without building anything. Whatever else a line may be
 * is left to jansson, so that both ways say the same of every line.
 */
#ifndef IBVET_LINE_H
#define IBVET_LINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#define LINE_MEMBERS 24

struct line_member {
	char *key;
	char *text; /* NULL: a number, or true, or false */
	int64_t number;
	enum { LINE_TEXT, LINE_NUMBER, LINE_TRUE, LINE_FALSE } kind;
	size_t key_len, len; /* as they stand in the line */
	bool escaped;	     /* it has backslashes there */
};

struct line {
	off_t at,
		end; /* its place in the file, and where the next one begins */
	unsigned int n;
	uint64_t keys;	  /* line_key() of each member's: most are not there */
	const char *kind; /* the text "event", or "" */
	struct line_member member[LINE_MEMBERS];
	json_t *whole; /* what jansson made of it; NULL: the members hold all */
};

/* Takes text[0..len) apart, which it changes; false: it is no JSON object.
 * line_drop() ends it. */
bool line_take(struct line *l, char *text, size_t len);
void line_drop(struct line *l);

static inline uint64_t line_key(const char *key, size_t len)
{
	unsigned char first = len ? (unsigned char)key[0] : 0;

	return UINT64_C(1) << ((first + 7 * len) & 63);
}

static inline bool line_may_have(const struct line *l, const char *key)
{
	return l->whole || (l->keys & line_key(key, strlen(key)));
}

/* Members, or what stands in for one that is not there. */
const char *line_find_text(const struct line *l, const char *key, size_t len);
int64_t line_find_number(const struct line *l, const char *key, size_t len,
			 int64_t otherwise);
bool line_find_true(const struct line *l, const char *key, size_t len);

static inline const char *line_text(const struct line *l, const char *key)
{
	return line_may_have(l, key) ? line_find_text(l, key, strlen(key))
				     : NULL;
}

static inline int64_t line_number(const struct line *l, const char *key,
				  int64_t otherwise)
{
	return line_may_have(l, key)
		       ? line_find_number(l, key, strlen(key), otherwise)
		       : otherwise;
}

static inline bool line_true(const struct line *l, const char *key)
{
	return line_may_have(l, key) && line_find_true(l, key, strlen(key));
}

static inline const char *line_kind(const struct line *l)
{
	return l->kind;
}

/* One that holds others; NULL: there is none. */
const json_t *line_list(const struct line *l, const char *key);
/* All of it, for who keeps it; NULL: no memory. */
json_t *line_json(const struct line *l);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads one line of the journal. Nearly all lines of a long run are flat
 * objects of texts and whole numbers: these are parsed in place, without
 * allocating. jansson parses all other lines, and a unit test compares the two.
 *
 * This parser exists for speed: on flat lines it takes a twelfth of jansson's
 * time. With jansson alone, the reports of ten million cases would take longer
 * than the 60 s that tests/nightly allows (docs/performance.md, "Reports").
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
	char *text; /* NULL unless kind is LINE_TEXT */
	int64_t number;
	enum { LINE_TEXT, LINE_NUMBER, LINE_TRUE, LINE_FALSE } kind;
	size_t key_len, len; /* before unescaping */
	bool escaped;	     /* the text had backslashes */
};

struct line {
	off_t at, end; /* from here to there in the file */
	unsigned int n;
	uint64_t keys;	  /* line_key() of all members, to find quickly that a
			   * member is missing */
	const char *kind; /* the text "event", or "" */
	struct line_member member[LINE_MEMBERS];
	json_t *whole; /* parsed by jansson; NULL: the members hold all */
};

/* Parses text[0..len), and changes it. Returns false if the text is no JSON
 * object. After use, call line_drop(). */
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

/* Return the member, or NULL, `otherwise` or false if it is missing or of
 * another type. */
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

/* Returns a member that is a list or object, or NULL. */
const json_t *line_list(const struct line *l, const char *key);
/* Returns a copy of the line that the caller owns, or NULL without memory. */
json_t *line_json(const struct line *l);

#endif

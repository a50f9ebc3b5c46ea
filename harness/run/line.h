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
	struct line_member member[LINE_MEMBERS];
	json_t *whole; /* what jansson made of it; NULL: the members hold all */
};

/* Takes text[0..len) apart, which it changes; false: it is no JSON object.
 * line_drop() ends it. */
bool line_take(struct line *l, char *text, size_t len);
void line_drop(struct line *l);

/* Members, or what stands in for one that is not there. */
const char *line_kind(const struct line *l);
const char *line_text(const struct line *l, const char *key); /* or NULL */
int64_t line_number(const struct line *l, const char *key, int64_t otherwise);
bool line_true(const struct line *l, const char *key);
/* One that holds others; NULL: there is none. */
const json_t *line_list(const struct line *l, const char *key);
/* All of it, for who keeps it; NULL: no memory. */
json_t *line_json(const struct line *l);

#endif

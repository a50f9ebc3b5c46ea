/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Words of a program's text and where they stand.
 */
#ifndef IBVET_PROGRAM_LEX_H
#define IBVET_PROGRAM_LEX_H

#include "program/text.h"

struct word {
	const char *at;
	size_t len;
};

struct lexer {
	struct program *p;
	const char *file;
	const char *next, *end;	 /* of the whole text */
	const char *line;	 /* start of the line at hand */
	const char *word, *stop; /* what is left of it, comment excluded */
	uint32_t number;
	char *err;
	size_t errlen;
};

/* Goes to the next line; false at the end of the text. */
bool lex_line(struct lexer *l);
/* The next word of the line; len is 0 at its end, where `at` still points. */
struct word lex_word(struct lexer *l);
struct word lex_peek(const struct lexer *l);

bool word_is(struct word w, const char *text);
/* The part of a word from an offset on, or up to a length. */
struct word word_from(struct word w, size_t offset);
struct word word_upto(struct word w, size_t len);
/* Copies a word where it fits; false where it does not. */
bool word_copy(struct word w, char *buf, size_t len);
/* How messages quote it: never long, never a control character. */
#define QUOTE_LEN 48
char *word_quote(struct word w, char buf[QUOTE_LEN]);
bool word_is_name(struct word w); /* letters, digits, _; no digit first */

/* Writes "file:line:column: what" and returns -EINVAL. */
int lex_error(struct lexer *l, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "'what' is not one of A, B, C" */
int lex_not_a_name(struct lexer *l, struct word w, enum field f);

/* value.c */
int parse_value(struct lexer *l, enum field f, struct word w, struct value *v);
/* A slot by name and kind, -EINVAL. */
int parse_object(struct lexer *l, struct word w, enum object_kind kind,
		 uint8_t *slot);
int find_object(const struct program *p, struct word w); /* -1 */
/* A decimal or 0x number, without sign; false where it is none or too big. */
bool parse_digits(struct word w, uint64_t *num);

#endif

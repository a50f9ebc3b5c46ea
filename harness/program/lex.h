/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The words of a program's text and their places.
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
	const char *line;	 /* start of the current line */
	const char *word, *stop; /* the rest of the line, without a comment */
	uint32_t number;
	bool bound; /* the calls are bound: their values are plain */
	char *err;
	size_t errlen;
};

/* Goes to the next line. Returns false at the end of the text. */
bool lex_line(struct lexer *l);
/* Returns the next word of the line. At the end of the line its length is 0,
 * and `at` points there. */
struct word lex_word(struct lexer *l);
struct word lex_peek(const struct lexer *l);

bool word_is(struct word w, const char *text);
/* Return the part of a word from an offset on, or up to a length. */
struct word word_from(struct word w, size_t offset);
struct word word_upto(struct word w, size_t len);
/* Copies a word. Returns false if it does not fit. */
bool word_copy(struct word w, char *buf, size_t len);
/* Quotes a word for messages: never long, without control characters. */
#define QUOTE_LEN 48
char *word_quote(struct word w, char buf[QUOTE_LEN]);
bool word_is_name(struct word w); /* letters, digits, _; no digit first */

/* Writes "file:line:column: what" and returns -EINVAL. */
int lex_error(struct lexer *l, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "'what' is not one of A, B, C" */
int lex_not_a_name(struct lexer *l, struct word w, enum field f);

/* parse_value.c */
int parse_value(struct lexer *l, enum field f, struct word w, struct value *v);
/* Finds a slot by name and kind, or returns -EINVAL. */
int parse_object(struct lexer *l, struct word w, enum object_kind kind,
		 uint8_t *slot);
int find_object(const struct program *p, struct word w); /* -1 */
/* Reads a decimal or 0x number without sign. Returns false if the word is no
 * number, or too big. */
bool parse_digits(struct word w, uint64_t *num);

#endif

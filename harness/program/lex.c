/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lines and words of a program's text: words end at white space, a comment
 * runs from # to the end of its line. Errors say file, line and column, the
 * column counted in bytes from 1.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "program/lex.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool lex_line(struct lexer *l)
{
	const char *newline, *comment;
	size_t len;

	if (l->next >= l->end)
		return false;
	len = (size_t)(l->end - l->next);
	newline = memchr(l->next, '\n', len);
	l->line = l->next;
	l->word = l->next;
	l->stop = newline ? newline : l->end;
	l->next = newline ? newline + 1 : l->end;
	l->number++;
	comment = memchr(l->line, '#', (size_t)(l->stop - l->line));
	if (comment)
		l->stop = comment;
	return true;
}

struct word lex_peek(const struct lexer *l)
{
	struct word w = {l->word, 0};

	while (w.at < l->stop && is_blank(*w.at))
		w.at++;
	while (w.at + w.len < l->stop && !is_blank(w.at[w.len]))
		w.len++;
	return w;
}

struct word lex_word(struct lexer *l)
{
	struct word w = lex_peek(l);

	l->word = w.at + w.len;
	return w;
}

bool word_is(struct word w, const char *text)
{
	return strlen(text) == w.len && !memcmp(w.at, text, w.len);
}

struct word word_from(struct word w, size_t offset)
{
	return (struct word){w.at + offset, w.len - offset};
}

struct word word_upto(struct word w, size_t len)
{
	return (struct word){w.at, len};
}

bool word_copy(struct word w, char *buf, size_t len)
{
	if (w.len >= len || memchr(w.at, '\0', w.len))
		return false;
	memcpy(buf, w.at, w.len);
	buf[w.len] = '\0';
	return true;
}

char *word_quote(struct word w, char buf[QUOTE_LEN])
{
	size_t n = w.len < QUOTE_LEN - 4 ? w.len : QUOTE_LEN - 4;

	for (size_t i = 0; i < n; i++)
		buf[i] = isprint((unsigned char)w.at[i]) ? w.at[i] : '?';
	strcpy(buf + n, n < w.len ? "..." : "");
	return buf;
}

bool word_is_name(struct word w)
{
	if (!w.len || isdigit((unsigned char)w.at[0]))
		return false;
	for (size_t i = 0; i < w.len; i++)
		if (!isalnum((unsigned char)w.at[i]) && w.at[i] != '_')
			return false;
	return true;
}

int lex_error(struct lexer *l, const char *at, const char *fmt, ...)
{
	char what[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	snprintf(l->err, l->errlen, "%s:%u:%u: %s", l->file, l->number,
		 (unsigned int)(at - l->line) + 1, what);
	return -EINVAL;
}

int lex_not_a_name(struct lexer *l, struct word w, enum field f)
{
	const struct field_info *info = field_info(f);
	enum name_set set = (enum name_set)info->names;
	char list[800], quote[QUOTE_LEN];
	const struct name *n;
	struct text t;

	word_quote(w, quote);
	if (!name_first(set))
		return lex_error(l, w.at, "%s: '%s' is not a number",
				 info->text, quote);
	text_init(&t, list, sizeof(list));
	for (n = name_first(set); n; n = name_next(n))
		text_add(&t, "%s, ", n->text);
	return lex_error(l, w.at, "%s: unknown name '%s'; it takes %sa number",
			 info->text, quote, list);
}

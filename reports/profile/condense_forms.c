/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which patterns a profile may have for an id. Each part of the id
 * after the first can be open: '*' replaces the number at its end, the text
 * after its last hyphen, or the whole part. A pattern that ends early matches
 * all ids below it.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "cases/generate/case.h"
#include "reports/profile/condense_forms.h"

#define MOST_PARTS 12

/* How much of a part '*' replaces: nothing, its number, its last word, all */
enum openness { WHOLE, NUMBER, LAST_WORD, ANY, OPENNESSES };

struct forms {
	const char *part[MOST_PARTS];
	size_t len[MOST_PARTS];
	int n;
	char text[CASE_ID_LEN + 8];
	void (*fn)(const char *pattern, void *arg);
	void *arg;
};

static void split(struct forms *f, const char *id)
{
	for (const char *at = id; f->n < MOST_PARTS;) {
		size_t len =
			f->n + 1 < MOST_PARTS ? strcspn(at, "/") : strlen(at);

		f->part[f->n] = at;
		f->len[f->n++] = len;
		if (!at[len])
			return;
		at += len + 1;
	}
}

/* Returns how many characters stay before the '*' of a part, or -1 if the part
 * cannot be open in this way. */
static int kept(const struct forms *f, int part, enum openness open)
{
	const char *text = f->part[part];
	size_t len = f->len[part], n = len;

	switch (open) {
	case WHOLE:
		return (int)len;
	case NUMBER:
		while (n && isdigit((unsigned char)text[n - 1]))
			n--;
		return n && n < len ? (int)n : -1;
	case LAST_WORD:
		while (n && text[n - 1] != '-')
			n--;
		return n > 1 && n < len ? (int)n : -1;
	default:
		return 0;
	}
}

/* Generates the patterns of all parts from `part` on. The parts before are in
 * text[0..at); `has_open` is true if a part before has a '*'. */
static void put(struct forms *f, int part, size_t at, bool has_open)
{
	for (enum openness open = WHOLE; open < OPENNESSES; open++) {
		int len = kept(f, part, open);
		size_t end = at + (size_t)(len < 0 ? 0 : len);
		bool now = has_open || open != WHOLE;

		if (len < 0 || (part == 0 && open != WHOLE))
			continue;
		memcpy(f->text + at, f->part[part], (size_t)len);
		if (open != WHOLE)
			f->text[end++] = '*';
		if (part + 1 == f->n) {
			f->text[end] = '\0';
			f->fn(f->text, f->arg);
			continue;
		}
		strcpy(f->text + end, now ? "/*" : "");
		/* Skip two '*' in a row: a single '*' matches slashes too. */
		if (open != ANY)
			f->fn(f->text, f->arg);
		f->text[end] = '/';
		put(f, part + 1, end + 1, now);
	}
}

void forms_each(const char *id, void (*fn)(const char *pattern, void *arg),
		void *arg)
{
	struct forms f = {.fn = fn, .arg = arg};

	if (strlen(id) >= CASE_ID_LEN)
		return;
	if (strpbrk(id, "*?[")) {
		fn(id, arg); /* parts of this id are globs themselves */
		return;
	}
	split(&f, id);
	put(&f, 0, 0, false);
}

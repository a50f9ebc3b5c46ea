/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which lines are parsed in place: those without lists, inner objects,
 * fractions, \u escapes and bytes that are not ASCII. The text is changed only
 * after the whole line was found to be such.
 */
#include <endian.h>
#include <string.h>
#include "journal/journal.h"
#include "journal/line.h"

struct cursor {
	char *at, *end;
};

static bool skip(struct cursor *c, char what)
{
	if (c->at == c->end || *c->at != what)
		return false;
	c->at++;
	return true;
}

static bool skip_word(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0)
		return false;
	c->at += len;
	return true;
}

/* Characters that a JSON text holds without an escape */
static const bool is_plain[256] = {
	[0x20 ... 0x21] = true,
	[0x23 ... 0x5b] = true,
	[0x5d ... 0x7f] = true,
};

#define AT_ONCE 16

typedef signed char bytes __attribute__((vector_size(AT_ONCE)));

/* Returns how many of the next AT_ONCE bytes are plain, up to the first that is
 * not. */
static size_t count_plain(const char *text)
{
	uint64_t odd[2];
	bytes all;

	memcpy(&all, text, sizeof(all));
	all = (all < 0x20) | (all == '"') | (all == '\\');
	memcpy(odd, &all, sizeof(odd));
	if (odd[0])
		return (size_t)__builtin_ctzll(le64toh(odd[0])) / 8;
	if (odd[1])
		return (size_t)__builtin_ctzll(le64toh(odd[1])) / 8 + 8;
	return AT_ONCE;
}

static void skip_plain(struct cursor *c)
{
	while (c->end - c->at >= AT_ONCE) {
		size_t n = count_plain(c->at);

		c->at += n;
		if (n < AT_ONCE)
			return;
	}
	while (c->at < c->end && is_plain[(unsigned char)*c->at])
		c->at++;
}

/* Takes a text in quotes. *text then points behind the opening quote. */
static bool take_text(struct cursor *c, char **text, size_t *len, bool *escaped)
{
	char *begin = c->at + 1;

	if (!skip(c, '"'))
		return false;
	*escaped = false;
	for (;; c->at++) {
		skip_plain(c);
		if (c->at == c->end || *c->at == '"')
			break;
		if (*c->at != '\\' || ++c->at == c->end || !*c->at ||
		    !strchr("\"\\/bfnrt", *c->at))
			return false;
		*escaped = true;
	}
	*text = begin;
	*len = (size_t)(c->at - begin);
	return skip(c, '"');
}

/* Up to 18 digits, which any int64_t holds */
static bool take_number(struct cursor *c, int64_t *number)
{
	bool minus = skip(c, '-');
	char *begin = c->at;

	*number = 0;
	while (c->at < c->end && c->at - begin < 19 && *c->at >= '0' &&
	       *c->at <= '9') {
		if (c->at - begin < 18)
			*number = 10 * *number + (*c->at - '0');
		c->at++;
	}
	if (c->at == begin || c->at - begin > 18 ||
	    (*begin == '0' && c->at - begin > 1))
		return false;
	if (minus)
		*number = -*number;
	return true;
}

static bool take_value(struct cursor *c, struct line_member *m)
{
	if (c->at == c->end)
		return false;
	switch (*c->at) {
	case '"':
		m->kind = LINE_TEXT;
		return take_text(c, &m->text, &m->len, &m->escaped);
	case 't':
		m->kind = LINE_TRUE;
		return skip_word(c, "true");
	case 'f':
		m->kind = LINE_FALSE;
		return skip_word(c, "false");
	default:
		m->kind = LINE_NUMBER;
		return take_number(c, &m->number);
	}
}

static bool take_member(struct cursor *c, struct line_member *m)
{
	bool escaped;

	m->text = NULL;
	return take_text(c, &m->key, &m->key_len, &escaped) && !escaped &&
	       skip(c, ':') && take_value(c, m);
}

static bool take_all(struct line *l, struct cursor *c)
{
	if (!skip(c, '{'))
		return false;
	do {
		if (l->n == LINE_MEMBERS || !take_member(c, &l->member[l->n]))
			return false;
		l->keys |=
			line_key(l->member[l->n].key, l->member[l->n].key_len);
		l->n++;
	} while (skip(c, ','));
	if (!skip(c, '}'))
		return false;
	skip(c, '\n');
	return c->at == c->end;
}

static char unescaped(char c)
{
	static const char letters[] = "bfnrt", means[] = "\b\f\n\r\t";
	const char *at = strchr(letters, c);

	return at ? means[at - letters] : c;
}

static void unescape(char *text, size_t len)
{
	char *to = text, *end = text + len;

	while (text < end) {
		if (*text == '\\')
			*to++ = unescaped(*++text);
		else
			*to++ = *text;
		text++;
	}
	*to = '\0';
}

/* Writes a NUL over the closing quote of each key and text. */
static void end_texts(struct line *l)
{
	for (unsigned int i = 0; i < l->n; i++) {
		struct line_member *m = &l->member[i];

		m->key[m->key_len] = '\0';
		if (m->kind != LINE_TEXT)
			continue;
		if (m->escaped)
			unescape(m->text, m->len);
		else
			m->text[m->len] = '\0';
	}
}

static bool take_either_way(struct line *l, char *text, size_t len)
{
	struct cursor c = {text, text + len};

	l->n = 0;
	l->keys = 0;
	l->whole = NULL;
	if (take_all(l, &c)) {
		end_texts(l);
		return true;
	}
	l->whole = json_loadb(text, len, 0, NULL);
	return json_is_object(l->whole);
}

bool line_take(struct line *l, char *text, size_t len)
{
	const char *kind;

	if (!take_either_way(l, text, len)) {
		line_drop(l);
		return false;
	}
	kind = line_text(l, "event");
	l->kind = kind ? kind : "";
	return true;
}

void line_drop(struct line *l)
{
	json_decref(l->whole);
	l->whole = NULL;
}

/* If two members have the same name, the last one counts, as with jansson. */
static const struct line_member *find(const struct line *l, const char *key,
				      size_t len)
{
	for (unsigned int i = l->n; i-- > 0;)
		if (l->member[i].key_len == len &&
		    !memcmp(l->member[i].key, key, len))
			return &l->member[i];
	return NULL;
}

const char *line_find_text(const struct line *l, const char *key, size_t len)
{
	const struct line_member *m;

	if (l->whole)
		return event_text(l->whole, key);
	m = find(l, key, len);
	return m ? m->text : NULL;
}

int64_t line_find_number(const struct line *l, const char *key, size_t len,
			 int64_t otherwise)
{
	const struct line_member *m;

	if (l->whole)
		return event_number(l->whole, key, otherwise);
	m = find(l, key, len);
	return m && m->kind == LINE_NUMBER ? m->number : otherwise;
}

bool line_find_true(const struct line *l, const char *key, size_t len)
{
	const struct line_member *m;

	if (l->whole)
		return json_is_true(json_object_get(l->whole, key));
	m = find(l, key, len);
	return m && m->kind == LINE_TRUE;
}

const json_t *line_list(const struct line *l, const char *key)
{
	return json_object_get(l->whole, key);
}

static json_t *value_json(const struct line_member *m)
{
	if (m->kind == LINE_TEXT)
		return json_string(m->text);
	if (m->kind == LINE_NUMBER)
		return json_integer(m->number);
	return json_boolean(m->kind == LINE_TRUE);
}

json_t *line_json(const struct line *l)
{
	json_t *all = l->whole ? json_deep_copy(l->whole) : json_object();

	for (unsigned int i = 0; !l->whole && i < l->n; i++)
		json_object_set_new(all, l->member[i].key,
				    value_json(&l->member[i]));
	return all;
}

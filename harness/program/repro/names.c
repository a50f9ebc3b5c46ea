/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The variables of an exported C file: as the program names its objects,
 * unless C, a header or the file itself needs that name. What the file needs
 * is read from the file, printed with names that cannot clash.
 */
#include <ctype.h>
#include <string.h>
#include "program/repro/repro.h"

/* Keywords of C and its compilers, and macros of the headers that are not in
 * capitals. */
static const char reserved[] =
	" alignas alignof asm auto bool break case char const constexpr "
	"continue default do double else enum errno extern false float for "
	"goto htonl i386 if inline int linux long ntohs nullptr register "
	"restrict return sa_handler sa_sigaction short signed sizeof static "
	"static_assert stderr "
	"stdin stdout struct switch thread_local true typedef typeof "
	"typeof_unqual union unix unsigned void volatile while ";

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Past a string, a character or a comment that begins here; else NULL. */
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

/* Is it a word of the file, and not the name of a member? */
static bool occurs(const char *file, const char *name)
{
	size_t length = strlen(name), word;
	bool member = false;
	const char *past;

	for (const char *at = file; *at; at += word) {
		past = past_text(at);
		for (word = 0; is_letter(at[word]);)
			word++;
		if (word == length && !member && !memcmp(at, name, length))
			return true;
		member = *at == '.' ||
			 (*at == '>' && at > file && at[-1] == '-');
		if (past)
			word = (size_t)(past - at);
		else if (!word)
			word = 1;
	}
	return false;
}

/* Variables that go with an object are called by its name and a word more. */
static bool is_longer(const char *name, const char *other)
{
	size_t n = strlen(other);

	return !strncmp(name, other, n) && name[n] == '_';
}

static bool is_objects(const struct exporter *x, unsigned int slots,
		       const char *name)
{
	for (unsigned int i = 0; i < x->p->nobjects; i++)
		if (is_longer(name, x->p->object[i].name) ||
		    (i < slots &&
		     (!strcmp(x->var[i], name) || is_longer(name, x->var[i]))))
			return true;
	return false;
}

static bool is_taken(const struct exporter *x, const char *file,
		     unsigned int slots, const char *name)
{
	char word[C_NAME_LEN + 2];

	snprintf(word, sizeof(word), " %s ", name);
	if (strstr(reserved, word) || occurs(file, name) ||
	    is_objects(x, slots, name))
		return true;
	if (!strpbrk(name, "abcdefghijklmnopqrstuvwxyz")) /* macros */
		return true;
	return !strncmp(name, "unnamed", 7) || !strncmp(name, "ibv_", 4) ||
	       name[0] == '_';
}

void name_by_number(struct exporter *x)
{
	for (unsigned int i = 0; i < x->p->nobjects; i++)
		snprintf(x->var[i], C_NAME_LEN, "object%u", i);
}

void name_variables(struct exporter *x, const char *file)
{
	for (unsigned int i = 0; i < x->p->nobjects; i++) {
		const char *name = x->p->object[i].name;

		if (is_taken(x, file, i, name))
			snprintf(x->var[i], C_NAME_LEN, "obj%u_%s", i, name);
		else
			snprintf(x->var[i], C_NAME_LEN, "%s", name);
		if (is_taken(x, file, i, x->var[i]))
			snprintf(x->var[i], C_NAME_LEN, "object%u", i);
	}
}

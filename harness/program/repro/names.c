/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Names the variables of a C file. They have the names of the program's
 * objects, unless C, a header or the file itself uses that name. The words of
 * the file are read from the file, printed with names that cannot clash.
 */
#include <string.h>
#include "program/repro/repro.h"

/* Keywords of C and its compilers, and lower-case macros of the headers. */
static const char reserved[] =
	" alignas alignof asm auto bool break case char const constexpr "
	"continue default do double else enum errno extern false float for "
	"goto htonl i386 if inline int linux long ntohs nullptr register "
	"restrict return sa_handler sa_sigaction short signed sizeof static "
	"static_assert stderr "
	"stdin stdout struct switch thread_local true typedef typeof "
	"typeof_unqual union unix unsigned void volatile while ";

/* Returns true if the name is a word of the file that is no name of a member.
 */
static bool occurs(const char *file, const char *name)
{
	const struct range text = {file, file + strlen(file)};
	const struct word wanted = {.at = name, .length = strlen(name)};
	struct word word = {0};

	while (next_word(text, &word))
		if (!word.member && same_word(&word, &wanted))
			return true;
	return false;
}

/* Further variables of an object begin with its name and an underscore. */
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

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Chooses patterns greedily. forms_each() generates the candidates of each id.
 * A candidate that matches an id of another group is excluded. Among the
 * candidates that are not excluded, the next choice is always the candidate
 * that matches most ids without a chosen pattern, until each id has a chosen
 * pattern.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <string.h>
#include "cases/generate/case.h"
#include "reports/profile/condense.h"
#include "reports/profile/condense_forms.h"

#define NONE UINT32_MAX

/* Returns the array with room for `need` elements, or NULL. */
static void *grow(struct condense *c, void *array, size_t *room, size_t need,
		  size_t size)
{
	size_t more = *room ? *room : 256;
	void *grown;

	if (need <= *room)
		return array;
	while (more < need)
		more *= 2;
	grown = realloc(array, more * size);
	if (!grown) {
		c->failed = true;
		return NULL;
	}
	*room = more;
	return grown;
}

/* Returns the element of of_text[] for a pattern, or NULL if there is no
 * memory.
 */
static uint32_t *candidate_of(struct condense *c, uint32_t text)
{
	size_t old = c->of_text_room;
	uint32_t *grown = grow(c, c->of_text, &c->of_text_room,
			       (size_t)text + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	c->of_text = grown;
	for (size_t i = old; i < c->of_text_room; i++)
		c->of_text[i] = NONE;
	return &c->of_text[text];
}

struct filling {
	struct condense *c;
	struct condense_case *one;
	size_t room;
};

static uint32_t new_candidate(struct condense *c, uint32_t text, uint32_t group)
{
	struct candidate *grown = grow(c, c->candidate, &c->candidate_room,
				       c->ncandidates + 1, sizeof(*grown));

	if (!grown)
		return NONE;
	c->candidate = grown;
	c->candidate[c->ncandidates] =
		(struct candidate){.pattern = text, .group = group};
	return (uint32_t)c->ncandidates++;
}

static void add_form(const char *pattern, void *arg)
{
	struct filling *f = arg;
	struct condense *c = f->c;
	uint32_t text = texts_keep(&c->texts, pattern);
	uint32_t *at = text == NO_TEXT ? NULL : candidate_of(c, text);
	uint32_t *fits;

	if (!at)
		return;
	if (*at == NONE)
		*at = new_candidate(c, text, f->one->group);
	if (*at == NONE)
		return;
	if (c->candidate[*at].group != f->one->group)
		c->candidate[*at].excluded = true;
	fits = grow(c, f->one->fits, &f->room, f->one->nfits + 1,
		    sizeof(*fits));
	if (!fits)
		return;
	f->one->fits = fits;
	f->one->fits[f->one->nfits++] = *at;
}

void condense_add(struct condense *c, const char *id, const char *group,
		  const char *note)
{
	struct condense_case *grown =
		grow(c, c->cases, &c->case_room, c->ncases + 1, sizeof(*grown));
	struct filling f = {.c = c};

	if (!grown)
		return;
	c->cases = grown;
	f.one = &c->cases[c->ncases++];
	*f.one = (struct condense_case){
		.group = texts_keep(&c->texts, group),
		.note = texts_keep(&c->texts, note),
	};
	forms_each(id, add_form, &f);
}

struct exclusion {
	struct condense *c;
	const char *group;
};

static bool same_group(const struct condense *c, const struct candidate *one,
		       const char *group)
{
	return group && !strcmp(texts_get(&c->texts, one->group), group);
}

static void exclude_form(const char *pattern, void *arg)
{
	struct exclusion *s = arg;
	struct condense *c = s->c;
	uint32_t text = texts_find(&c->texts, pattern);
	uint32_t at = text == NO_TEXT || text >= c->of_text_room
			      ? NONE
			      : c->of_text[text];

	if (at != NONE && !same_group(c, &c->candidate[at], s->group))
		c->candidate[at].excluded = true;
}

void condense_exclude(struct condense *c, const char *id, const char *group)
{
	struct exclusion s = {c, group};

	if (c->ncases)
		forms_each(id, exclude_form, &s);
}

static unsigned int stars(const char *pattern)
{
	unsigned int n = 0;

	for (; *pattern; pattern++)
		n += *pattern == '*';
	return n;
}

/* Returns true if candidate a covers more ids than b, or as many ids with a
 * more specific pattern. */
static bool is_better(const struct condense *c, const struct candidate *a,
		      const struct candidate *b)
{
	const char *one = texts_get(&c->texts, a->pattern);
	const char *other = texts_get(&c->texts, b->pattern);

	if (a->uncovered != b->uncovered)
		return a->uncovered > b->uncovered;
	if (stars(one) != stars(other))
		return stars(one) < stars(other);
	if (strlen(one) != strlen(other))
		return strlen(one) > strlen(other);
	return strcmp(one, other) < 0;
}

static struct candidate *best(struct condense *c)
{
	struct candidate *found = NULL;

	for (size_t i = 0; i < c->ncandidates; i++)
		c->candidate[i].uncovered = 0;
	for (size_t i = 0; i < c->ncases; i++)
		for (uint32_t f = 0; f < c->cases[i].nfits; f++)
			c->candidate[c->cases[i].fits[f]].uncovered +=
				!c->cases[i].covered;
	for (size_t i = 0; i < c->ncandidates; i++) {
		struct candidate *one = &c->candidate[i];

		if (!one->excluded && one->uncovered &&
		    (!found || is_better(c, one, found)))
			found = one;
	}
	return found;
}

static void cover(struct condense *c, struct candidate *chosen)
{
	uint32_t at = (uint32_t)(chosen - c->candidate);
	uint32_t *grown = grow(c, c->chosen, &c->chosen_room, c->nchosen + 1,
			       sizeof(*grown));

	if (!grown)
		return;
	c->chosen = grown;
	c->chosen[c->nchosen++] = at;
	chosen->chosen = true;
	chosen->cases = 0;
	for (size_t i = 0; i < c->ncases; i++)
		for (uint32_t f = 0; f < c->cases[i].nfits; f++) {
			if (c->cases[i].fits[f] != at)
				continue;
			c->cases[i].covered = true;
			if (!chosen->cases++)
				chosen->note = c->cases[i].note;
		}
}

void condense_choose(struct condense *c)
{
	struct candidate *chosen;

	c->nchosen = 0;
	for (size_t i = 0; i < c->ncases; i++)
		c->cases[i].covered = false;
	for (size_t i = 0; i < c->ncandidates; i++)
		c->candidate[i].chosen = false;
	while (!c->failed && (chosen = best(c)))
		cover(c, chosen);
}

/* Returns true if an id begins with the text before a pattern's first '*'. */
static bool could_match(const char *id, const char *pattern)
{
	return !strncmp(id, pattern, strcspn(pattern, "*"));
}

bool condense_check(struct condense *c, const char *id, const char *group)
{
	bool holds = true;

	for (size_t i = 0; i < c->nchosen; i++) {
		struct candidate *one = &c->candidate[c->chosen[i]];
		const char *pattern = texts_get(&c->texts, one->pattern);

		if (same_group(c, one, group) || !could_match(id, pattern) ||
		    !id_matches(id, pattern))
			continue;
		one->excluded = true;
		holds = false;
	}
	return holds;
}

static int by_group(const void *left, const void *right, void *arg)
{
	const struct candidate *a = left, *b = right;
	const struct texts *t = arg;
	int order;

	if (a->chosen != b->chosen)
		return b->chosen - a->chosen;
	order = strcmp(texts_get(t, a->group), texts_get(t, b->group));
	return order ? order
		     : strcmp(texts_get(t, a->pattern),
			      texts_get(t, b->pattern));
}

void condense_each(struct condense *c,
		   void (*fn)(const struct condensed *one, void *arg),
		   void *arg)
{
	if (c->ncandidates)
		qsort_r(c->candidate, c->ncandidates, sizeof(c->candidate[0]),
			by_group, &c->texts);
	for (size_t i = 0; i < c->ncandidates && c->candidate[i].chosen; i++) {
		const struct candidate *chosen = &c->candidate[i];
		struct condensed one = {
			.pattern = texts_get(&c->texts, chosen->pattern),
			.group = texts_get(&c->texts, chosen->group),
			.note = texts_get(&c->texts, chosen->note),
			.cases = chosen->cases,
		};

		fn(&one, arg);
	}
}

void condense_free(struct condense *c)
{
	for (size_t i = 0; i < c->ncases; i++)
		free(c->cases[i].fits);
	free(c->cases);
	free(c->candidate);
	free(c->chosen);
	free(c->of_text);
	texts_free(&c->texts);
}

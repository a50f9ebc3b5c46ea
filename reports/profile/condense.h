/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds few patterns for many ids: prefixes and globs that match ids of one
 * group and no others.
 */
#ifndef IBVET_REPORTS_PROFILE_CONDENSE_H
#define IBVET_REPORTS_PROFILE_CONDENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "reports/texts.h"

struct condense_case {
	uint32_t group, note; /* numbers of texts */
	uint32_t *fits;	      /* candidates that match */
	uint32_t nfits;
	bool covered;
};

struct candidate {
	uint32_t pattern, group;
	uint32_t note;	    /* of the first case that it covers */
	uint32_t cases;	    /* number of cases that it covers */
	uint32_t uncovered; /* number of cases that it would add */
	bool bad;	    /* matches a case outside its group */
	bool chosen;
};

struct condense {
	struct texts texts;
	struct condense_case *one;
	size_t n, room;
	struct candidate *candidate;
	size_t ncandidates, candidate_room;
	uint32_t *chosen; /* indices of candidates */
	size_t nchosen, chosen_room;
	uint32_t *of_text; /* candidate by the number of its pattern */
	size_t of_text_room;
	bool failed; /* no memory */
};

/* A pattern that was chosen */
struct condensed {
	const char *pattern, *group, *note;
	uint32_t cases;
};

/* First: adds each id that must be matched, with its group and a note. */
void condense_add(struct condense *c, const char *id, const char *group,
		  const char *note);
/* Second: rules out patterns that match an id of another group, or of none
 * (NULL). Called for all ids, including those of condense_add(). */
void condense_spare(struct condense *c, const char *id, const char *group);
/* Third: chooses patterns, then condense_holds() is called for all ids again.
 * If it returns false, a chosen pattern matches an id of another group, and
 * condense_choose() has to be called again. */
void condense_choose(struct condense *c);
bool condense_holds(struct condense *c, const char *id, const char *group);
/* Calls fn for each chosen pattern, sorted by group and pattern. */
void condense_each(struct condense *c,
		   void (*fn)(const struct condensed *one, void *arg),
		   void *arg);
void condense_free(struct condense *c);

#endif

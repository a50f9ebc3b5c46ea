/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds few patterns for many ids. Each id belongs to a group (for a profile:
 * the outcome of its line). A pattern is a prefix or a glob, and matches only
 * ids of one group.
 */
#ifndef IBVET_REPORTS_PROFILE_CONDENSE_H
#define IBVET_REPORTS_PROFILE_CONDENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "reports/texts.h"

struct condense_case {
	uint32_t group, note; /* numbers of texts */
	uint32_t *fits;	      /* indices of the candidates that match */
	uint32_t nfits;
	bool covered; /* a chosen candidate matches */
};

/* A pattern that may be chosen */
struct candidate {
	uint32_t pattern, group; /* numbers of texts */
	uint32_t note;	    /* of the first case that the pattern matches */
	uint32_t cases;	    /* number of cases that match; if chosen */
	uint32_t uncovered; /* matching cases that are not covered yet */
	bool excluded;	    /* the pattern matches an id of another group */
	bool chosen;
};

struct condense {
	struct texts texts;
	struct condense_case *cases;
	size_t ncases, case_room;
	struct candidate *candidate;
	size_t ncandidates, candidate_room;
	uint32_t *chosen; /* indices of candidates */
	size_t nchosen, chosen_room;
	uint32_t *of_text; /* index of a candidate, by number of its pattern */
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
void condense_exclude(struct condense *c, const char *id, const char *group);
/* Third: chooses patterns, then condense_check() is called for all ids again.
 * If it returns false, a chosen pattern matches an id of another group, and
 * condense_choose() has to be called again. */
void condense_choose(struct condense *c);
bool condense_check(struct condense *c, const char *id, const char *group);
/* Last: calls fn for each chosen pattern, sorted by group and pattern. */
void condense_each(struct condense *c,
		   void (*fn)(const struct condensed *one, void *arg),
		   void *arg);
void condense_free(struct condense *c);

#endif

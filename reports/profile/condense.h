/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Few patterns for many ids: prefixes and globs that match ids of one group and
 * no others.
 */
#ifndef IBVET_CONDENSE_H
#define IBVET_CONDENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "reports/texts.h"

struct condense_case {
	uint32_t group, note; /* numbers of texts */
	uint32_t *fits;	      /* candidates */
	uint32_t nfits;
	bool covered;
};

struct candidate {
	uint32_t pattern, group;
	uint32_t note;	    /* of the first that it covers */
	uint32_t cases;	    /* that it covers */
	uint32_t uncovered; /* cases that it would still add */
	bool bad;	    /* it matches a case of no or another group */
	bool chosen;
};

struct condense {
	struct texts texts;
	struct condense_case *one;
	size_t n, room;
	struct candidate *candidate;
	size_t ncandidates, candidate_room;
	uint32_t *chosen; /* of the candidates */
	size_t nchosen, chosen_room;
	uint32_t *of_text; /* the candidate of a pattern, by its text */
	size_t of_text_room;
	bool failed; /* no memory */
};

/* A pattern that was chosen */
struct condensed {
	const char *pattern, *group, *note;
	uint32_t cases;
};

/* First each id that is to be matched, with its group and a note, */
void condense_add(struct condense *c, const char *id, const char *group,
		  const char *note);
/* then each id there is, those above too: group NULL is none. */
void condense_spare(struct condense *c, const char *id, const char *group);
/* Chooses; then each id once more. Until false: choose again, since a pattern
 * turned out to match more than it was made for. */
void condense_choose(struct condense *c);
bool condense_holds(struct condense *c, const char *id, const char *group);
/* By group and pattern. */
void condense_each(struct condense *c,
		   void (*fn)(const struct condensed *one, void *arg),
		   void *arg);
void condense_free(struct condense *c);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators of combinations: a subject has factors, each factor has
 * levels, and each row of a covering array is a case.
 */
#ifndef IBVET_CASES_COMBINED_COMBINED_H
#define IBVET_CASES_COMBINED_COMBINED_H

#include "cases/generate/covering.h"
#include "cases/generate/generate.h"

#define COMBINED_LEVELS 16

struct combined_factor {
	const char *name;
	/* The first level is the usual one. NULL ends the list. */
	const char *level[COMBINED_LEVELS];
};

struct combined {
	const char *name; /* in ids */
	const struct combined_factor *factor;
	unsigned int n;
	uint32_t three; /* the types, as bits, of which the quick profile has
			   strength 3, as the full one has of all */
	/* Returns true if the device claims what the level of a factor needs.
	 * NULL: no level needs a claim. */
	bool (*offered)(const struct gen *g, enum qp_kind kind,
			unsigned int factor, unsigned int level);
	/* Returns false if levels that are set contradict each other. */
	bool (*permitted)(const struct gen *g, enum qp_kind kind,
			  const uint8_t *row);
	void (*build)(struct gen *g, enum qp_kind kind, const uint8_t *row);
};

/* Generates the cases of a subject for a type, below the id prefix. `row` is
 * the rule that they are about, `missing` a claim that all of them need. */
void combined_cases(struct gen *g, enum qp_kind kind,
		    const struct combined *subject, enum row row,
		    enum claim missing);

/* Returns true if the device claims what requests of this opcode need. */
bool combined_offers(const struct gen *g, enum qp_kind kind, uint32_t opcode);

/* Polls for n completions, with num_entries if `entries` is not 0. */
void combined_poll(struct gen *g, uint8_t cq, unsigned int n,
		   unsigned int entries);
/* The same, but waits up to `ms`. */
void combined_poll_for(struct gen *g, uint8_t cq, unsigned int n,
		       unsigned int entries, uint32_t ms);
/* Takes up to n completions in batches. Each batch may read a second one, if
 * that has arrived. */
void combined_poll_batches(struct gen *g, uint8_t cq, unsigned int n);
void combined_poll_batches_for(struct gen *g, uint8_t cq, unsigned int n,
			       uint32_t ms);
#define COMBINED_MORE 8 /* entries of a poll for more than there are */

/* Conditions of `permitted` are made of these. is_other() is true if the factor
 * has a level, and another one. */
static inline bool is_level(const uint8_t *row, unsigned int factor,
			    unsigned int level)
{
	return row[factor] == level;
}
static inline bool is_other(const uint8_t *row, unsigned int factor,
			    unsigned int level)
{
	return row[factor] != COVERING_OPEN && row[factor] != level;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Coverage: which state pairs, masks, fields, operations, verbs and rows of the
 * contract a run has tried. Each of them is a point, and a run has a set of
 * points. A run writes each new point to the journal, and the reports read the
 * points back.
 */
#ifndef IBVET_COVERAGE_H
#define IBVET_COVERAGE_H

#include <jansson.h>
#include "contract/contract.h"
#include "program/program.h"

struct coverage {
	uint64_t *slot; /* a hash set of point_key(); 0 is an empty slot */
	size_t used, room;
	uint64_t *fresh; /* keys that coverage_fresh() has not returned yet */
	size_t nfresh, fresh_room;
	bool keep_fresh; /* `fresh` is used */
	bool failed;	 /* out of memory: counts are too low */
};

/* The type and state of each queue pair that a program has made */
struct qp_states {
	uint8_t kind[PROG_MAX_OBJECTS]; /* enum qp_kind; QK_NR: unknown */
	uint8_t state[PROG_MAX_OBJECTS];
};

void coverage_init(struct coverage *c, bool keep_fresh);
void coverage_free(struct coverage *c);

void qp_states_init(struct qp_states *q);
/* Adds the points of one call, and updates the states of the queue pairs. o is
 * NULL if the call did not return. */
void coverage_call(struct coverage *c, struct qp_states *q,
		   const struct program *p, int index, const struct bound *b,
		   const struct outcome *o);
void coverage_row(struct coverage *c, enum row row);

/* Returns the points that were added since the previous call, as an array of
 * texts, or NULL if there are none. */
json_t *coverage_fresh(struct coverage *c);
/* Adds the points of an array that coverage_fresh() returned. Ignores points
 * that this version of ibvet does not know. */
void coverage_join(struct coverage *c, const json_t *points);
/* Adds all points of `other` to c. */
void coverage_union(struct coverage *c, const struct coverage *other);

/* How many points were tried, and how many there are */
struct coverage_count {
	uint64_t tried, total;
};

/* The counts of a set: by type of queue pair, then of the whole contract */
struct coverage_sums {
	struct coverage_count pairs[QK_END], masks[QK_END], fields[QK_END];
	struct coverage_count posts[QK_END]; /* operations by state */
	uint64_t undefined_masks[QK_END];    /* tried, with undefined bits */
	struct coverage_count verbs, rows;
	struct coverage_count vendor_rows;
};

void coverage_sum(const struct coverage *c, struct coverage_sums *sums);
/* Returns the sum of the counts of all types. */
struct coverage_count coverage_all(const struct coverage_count count[QK_END]);
/* Returns all counts, as in results.json. */
json_t *coverage_json(const struct coverage *c);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Coverage: which state pairs, masks, fields, operations, verbs and rows of the
 * contract a run has tried. Each is a point of one set. The sets of several
 * workers, or of before and after a crash, are joined.
 */
#ifndef IBVET_COVERAGE_H
#define IBVET_COVERAGE_H

#include <jansson.h>
#include "contract/contract.h"
#include "program/program.h"

struct coverage {
	uint64_t *slot; /* a hash set; 0 is an empty slot */
	size_t used, room;
	uint64_t *fresh; /* with keep_fresh: points since coverage_fresh() */
	size_t nfresh, fresh_room;
	bool keep_fresh;
	bool failed; /* out of memory: counts are too low */
};

/* The type and state of each queue pair that a program has made */
struct qp_states {
	uint8_t kind[PROG_MAX_OBJECTS]; /* enum qp_kind, QK_NR: no row */
	uint8_t state[PROG_MAX_OBJECTS];
};

void coverage_init(struct coverage *c, bool keep_fresh);
void coverage_free(struct coverage *c);

void qp_states_init(struct qp_states *q);
/* Adds the points of one call. o is NULL if the call did not return. */
void coverage_call(struct coverage *c, struct qp_states *q,
		   const struct program *p, int index, const struct bound *b,
		   const struct outcome *o);
void coverage_row(struct coverage *c, enum row row);

/* Returns the points since the last time, as an array of texts, or NULL. */
json_t *coverage_fresh(struct coverage *c);
/* Adds points from such an array. Ignores points that this version of ibvet
 * does not know. */
void coverage_join(struct coverage *c, const json_t *points);
void coverage_union(struct coverage *c, const struct coverage *other);

/* As in results.json */
struct coverage_count {
	uint64_t tried, total;
};

struct coverage_sums {
	struct coverage_count pairs[QK_END], masks[QK_END], fields[QK_END];
	struct coverage_count posts[QK_END]; /* operations, by state */
	uint64_t undefined_masks[QK_END];    /* with bits of no attribute */
	struct coverage_count verbs, rows;
	struct coverage_count vendor_rows;
};

/* Adds up all types. */
struct coverage_count coverage_all(const struct coverage_count count[QK_END]);
void coverage_sum(const struct coverage *c, struct coverage_sums *sums);
json_t *coverage_json(const struct coverage *c);

#endif

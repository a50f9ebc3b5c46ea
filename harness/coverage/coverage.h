/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Coverage: which state pairs, masks, fields, operations,
 * verbs and rows of the contract a
 * run has tried. Each is a point of one set; sets from several workers, or
 * from before and after a crash, are joined point by point.
 */
#ifndef IBVET_COVERAGE_H
#define IBVET_COVERAGE_H

#include <jansson.h>
#include "contract/contract.h"
#include "program/program.h"

struct coverage {
	uint64_t *slot; /* a hash set; 0 is an empty slot */
	size_t used, room;
	uint64_t *fresh; /* points since coverage_fresh(), when kept */
	size_t nfresh, fresh_room;
	bool keep_fresh;
	bool failed; /* out of memory: counts are too low */
};

/* The type and state of each QP that a program has made. */
struct qp_states {
	uint8_t kind[PROG_MAX_OBJECTS]; /* enum qp_kind, QK_NR: no row */
	uint8_t state[PROG_MAX_OBJECTS];
};

void coverage_init(struct coverage *c, bool keep_fresh);
void coverage_free(struct coverage *c);

void qp_states_init(struct qp_states *q);
/* One call of a program; o is NULL when it never returned. */
void coverage_call(struct coverage *c, struct qp_states *q,
		   const struct program *p, int index, const struct bound *b,
		   const struct outcome *o);
void coverage_row(struct coverage *c, enum row row);

/* The points since the last time, as an array of texts; NULL: none. */
json_t *coverage_fresh(struct coverage *c);
/* Adds points from such an array; what is not known any more is left out. */
void coverage_join(struct coverage *c, const json_t *points);
void coverage_union(struct coverage *c, const struct coverage *other);

/* Tried and total, as results.json has them. */
struct coverage_count {
	uint64_t tried, total;
};

struct coverage_sums {
	struct coverage_count pairs[QK_END], masks[QK_END], fields[QK_END];
	struct coverage_count posts[QK_END]; /* operations, by state */
	uint64_t undefined_masks[QK_END]; /* with bits that no attribute has */
	struct coverage_count verbs, rows;
	struct coverage_count vendor_rows;
};

/* The types together. */
struct coverage_count coverage_all(const struct coverage_count count[QK_END]);
void coverage_sum(const struct coverage *c, struct coverage_sums *sums);
json_t *coverage_json(const struct coverage *c);

#endif

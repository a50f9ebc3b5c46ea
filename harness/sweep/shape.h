/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the accepted masks of a pair come to, beside those of the contract: an
 * attribute is required, optional or refused; and where the two sets differ.
 */
#ifndef IBVET_SWEEP_SHAPE_H
#define IBVET_SWEEP_SHAPE_H

#include "sweep/cover.h"
#include "sweep/map.h"
#include "sweep/restore.h"

/* Masks with STATE, which move; without, which change the state that is. */
enum mask_part { PART_MOVES, PART_STAYS, PART_NR };

/* Attributes as masks. A set that is all masks between `required` and both
 * together is told by them alone. */
struct shape {
	uint32_t count;
	uint32_t required, optional;
	bool whole;
	uint64_t digest; /* of all of them */
};

enum difference_kind {
	ACCEPTS_REFUSED,   /* accepted, though it has to be refused */
	REFUSES_ACCEPTED,  /* refused, though it has to be accepted */
	ACCEPTS_CONTESTED, /* permitted either way; the best is the other */
	REFUSES_CONTESTED,
	DIFFERENCE_NR
};

static inline bool difference_accepts(enum difference_kind kind)
{
	return kind == ACCEPTS_REFUSED || kind == ACCEPTS_CONTESTED;
}

static inline bool difference_deviates(enum difference_kind kind)
{
	return kind == ACCEPTS_REFUSED || kind == REFUSES_ACCEPTED;
}

struct difference {
	uint32_t count;
	uint32_t first; /* a mask that shows it */
	struct cover cover;
};

struct analysis {
	struct shape device[PART_NR], contract[PART_NR];
	struct difference difference[DIFFERENCE_NR];
};

struct analyst; /* a healthy model in the place of the device */
struct analyst *analyst_new(const struct device_info *info);
void analyst_free(struct analyst *a);

/* The calls of a cell whose answers differ: a set for each kind, by the numbers
 * that its bits have, as long as nothing else is analysed. How many they are,
 * or -errno with one line in err. */
int analyse_differences(struct analyst *a, const struct map_cell *cell,
			const uint64_t *accepted,
			uint64_t *differs[DIFFERENCE_NR], char *err,
			size_t errlen);
/* What a cell's calls were answered with, by a queue pair that was new where
 * they were made again: `accepted`, or a set that lives as long as `a`. */
const uint64_t *analyst_answers(struct analyst *a, const struct map_cell *cell,
				const uint64_t *accepted);

/* Of a cell of masks: 0, or -errno with one line in err. */
int analyse_masks(struct analyst *a, const struct map_cell *cell,
		  const uint64_t *accepted, struct analysis *out, char *err,
		  size_t errlen);

/* Of a cell of values: runs of tried values that came out alike. */
struct value_run {
	field_value first, last;
};
#define VALUE_RUNS 64 /* more are counted only */
struct value_runs {
	uint32_t count; /* of values */
	uint32_t n;	/* of runs */
	struct value_run run[VALUE_RUNS];
};
struct value_analysis {
	struct value_runs device, contract;
	struct value_runs difference[DIFFERENCE_NR];
};
int analyse_values(struct analyst *a, const struct map_cell *cell,
		   const uint64_t *accepted, struct value_analysis *out,
		   char *err, size_t errlen);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Compares the accepted masks of a pair with those of the contract: which
 * attributes are required, optional and refused, and where the two sets differ.
 */
#ifndef IBVET_SWEEP_ANALYSIS_H
#define IBVET_SWEEP_ANALYSIS_H

#include "sweep/analysis/cover.h"
#include "sweep/map.h"
#include "sweep/restore.h"

/* Masks with STATE make a transition, masks without STATE change attributes. */
enum mask_part { PART_MOVES, PART_STAYS, PART_NR };

/* The shape of a set of masks. If `whole`, the set is all masks that have all
 * required attributes and any of the optional ones. */
struct shape {
	uint32_t count;
	uint32_t required, optional;
	bool whole;
	uint64_t digest; /* of all masks of the set */
};

enum difference_kind {
	ACCEPTS_REFUSED,   /* accepts what must be refused */
	REFUSES_ACCEPTED,  /* refuses what must be accepted */
	ACCEPTS_CONTESTED, /* both are permitted; the first outcome is to refuse
			    */
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
	uint32_t first; /* one such mask */
	struct cover cover;
};

struct analysis {
	struct shape device[PART_NR], contract[PART_NR];
	struct difference difference[DIFFERENCE_NR];
};

struct recorder;
struct analyst; /* asks a healthy model (analyst.h) */
struct analyst *analyst_new(const struct device_info *info);
void analyst_free(struct analyst *a);
/* The analyst works in a watched worker: each judged call is progress of it,
 * since all calls of a cell can take longer than one call may. */
void analyst_in_worker(struct analyst *a, struct recorder *r);

/* Finds the calls of a cell that differ from the contract: a set of bit numbers
 * for each kind, valid until the next analysis. Returns the number of calls, or
 * -errno with one line in err. */
int analyse_differences(struct analyst *a, const struct map_cell *cell,
			const uint64_t *accepted,
			uint64_t *differs[DIFFERENCE_NR], char *err,
			size_t errlen);
/* Returns the set of accepted calls of a cell. For calls that were made again
 * it has the second result. It is `accepted`, or a set that belongs to `a`. */
const uint64_t *analyst_answers(struct analyst *a, const struct map_cell *cell,
				const uint64_t *accepted);

/* Analyses a cell of masks. Returns 0, or -errno with one line in err. */
int analyse_masks(struct analyst *a, const struct map_cell *cell,
		  const uint64_t *accepted, struct analysis *out, char *err,
		  size_t errlen);

/* A run of tried values, in a cell of values, with the same result */
struct value_run {
	field_value first, last;
};
#define VALUE_RUNS 64 /* further runs are only counted */
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

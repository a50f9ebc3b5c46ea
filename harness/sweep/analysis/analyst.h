/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The analyst: a healthy model that says what the contract permits. For masks.c
 * and values.c.
 */
#ifndef IBVET_SWEEP_ANALYST_H
#define IBVET_SWEEP_ANALYST_H

#include "sweep/analysis/analysis.h"

struct analyst {
	struct target *model;
	struct restorer restorer;
	uint64_t *room;	   /* sets of calls */
	uint64_t *answers; /* one of these sets, for analyst_answers() */
	struct recorder *recorder; /* of the worker that analyses, or NULL */
};

/* Brings the model to the state of a cell. The caller closes the restorer. */
int analyst_open_cell(struct analyst *a, const struct sweep_cell *c, char *err,
		      size_t errlen);
/* Adds the differing calls of a CELL_VALUES cell to the set of their kind. The
 * model must be in the state of the cell. */
void analyst_differing_values(struct analyst *a, const struct map_cell *cell,
			      const uint64_t *accepted,
			      uint64_t *const *differs);
/* Counts the masks of a set. *first is one of them. */
uint32_t analyst_count(const uint64_t *set, uint32_t *first);
/* Removes masks whose call did not return: they were not refused. */
void analyst_remove_deaths(const struct map_cell *cell, uint64_t *masks);
/* Returns DIFFERENCE_NR for the first outcome of the contract. */
enum difference_kind difference_kind(unsigned int permits, bool accepted);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The inside of an analyst, for shape.c and values.c.
 */
#ifndef IBVET_SWEEP_ANALYST_H
#define IBVET_SWEEP_ANALYST_H

#include "sweep/shape.h"

struct analyst {
	struct target *model;
	struct restorer restorer;
	uint64_t *room;	   /* for sets of calls */
	uint64_t *answers; /* a set of it */
};

/* Brings the model to where a cell begins; the restorer is to be closed. */
int analyst_open_cell(struct analyst *a, const struct sweep_cell *c, char *err,
		      size_t errlen);
/* Adds the calls of a cell of values that differ to a set for each kind; the
 * model stands where the cell begins. */
void analyst_differing_values(struct analyst *a, const struct map_cell *cell,
			      const uint64_t *accepted,
			      uint64_t *const *differs);
/* DIFFERENCE_NR: it is as the contract likes it best. */
enum difference_kind difference_kind(unsigned int permits, bool accepted);

#endif

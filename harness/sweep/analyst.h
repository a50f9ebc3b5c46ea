/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The inside of an analyst, for shape.c and values.c.
 */
#ifndef IBVET_SWEEP_ANALYST_H
#define IBVET_SWEEP_ANALYST_H

#include "sweep/shape.h"

struct analyst {
	struct target *model;
	struct stage stage;
	uint64_t *room; /* for sets of masks */
};

/* Brings the model to where a cell begins; the stage is to be closed. */
int analyst_stage(struct analyst *a, const struct sweep_cell *c, char *err,
		  size_t errlen);
/* DIFFERENCE_NR: it is as the contract likes it best. */
enum difference_kind difference_kind(unsigned int permits, bool accepted);

#endif

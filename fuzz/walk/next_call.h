/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The next call of a walk, over the objects that are alive.
 */
#ifndef IBVET_FUZZ_WALKER_H
#define IBVET_FUZZ_WALKER_H

#include "fuzz/mutate/change.h"
#include "fuzz/mutate/samples.h"
#include "fuzz/walk/live_objects.h"
#include "fuzz/plan/steps.h"
#include "fuzz/walk/weights.h"

struct walker {
	struct weights weights;
	struct samples samples;
	struct scene scene;
	struct changer changer; /* `made` is the scene's program */
	struct stepper *stepper;
	uint64_t wr_id;	    /* of the next request: no two have the same */
	unsigned int total; /* weights of the verbs that the device has */
};

/* The samples are the caller's to add before this; false: no memory. */
bool walker_init(struct walker *w, const struct device_info *d,
		 const struct values *values, struct stepper *s);
/* From nothing, as this seed has it. */
void walker_begin(struct walker *w, struct trail *trail, uint64_t seed);
/* Adds a call to the scene; false: chance has found none. */
bool walker_next(struct walker *w);
void walker_free(struct walker *w);

#endif

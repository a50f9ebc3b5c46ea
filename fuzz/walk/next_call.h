/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The next call of a walk, over the objects that are alive.
 */
#ifndef IBVET_FUZZ_NEXT_CALL_H
#define IBVET_FUZZ_NEXT_CALL_H

#include "fuzz/mutate/change.h"
#include "fuzz/mutate/samples.h"
#include "fuzz/walk/live_objects.h"
#include "fuzz/plan/steps.h"
#include "fuzz/walk/weights.h"

struct next_call {
	struct weights weights;
	struct samples samples;
	struct live_objects live;
	struct changer changer; /* `made` is the program of live */
	struct stepper *stepper;
	uint64_t wr_id;	    /* of the next request: no two have the same */
	unsigned int total; /* weights of the verbs that the device has */
};

/* The samples are the caller's to add before this; false: no memory. */
bool next_call_init(struct next_call *w, const struct device_info *d,
		    const struct values *values, struct stepper *s);
/* From nothing, as this seed has it. */
void next_call_begin_walk(struct next_call *w, struct history *history,
			  uint64_t seed);
/* Adds a call to the scene; false: chance has found none. */
bool next_call_add(struct next_call *w);
void next_call_free(struct next_call *w);

#endif

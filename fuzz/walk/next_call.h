/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Chooses the next call of a walk, over the objects that are alive.
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
	struct live_objects live; /* live.p is changer.made */
	struct changer changer;
	struct stepper *stepper;
	uint64_t wr_id;	    /* of the next request; each has its own */
	unsigned int total; /* sum of the weights of the device's verbs */
};

/* The caller has added the samples before. Returns false without memory. */
bool next_call_init(struct next_call *w, const struct device_info *d,
		    const struct values *values, struct stepper *s);
/* Returns false if no verb has a weight. */
bool next_call_set_weights(struct next_call *w, const struct weights *weights);
/* Begins a walk without objects, with this seed. */
void next_call_begin_walk(struct next_call *w, struct history *history,
			  uint64_t seed);
/* Adds a call to live.p. Returns false if no call was found. */
bool next_call_add(struct next_call *w);
void next_call_free(struct next_call *w);

#endif

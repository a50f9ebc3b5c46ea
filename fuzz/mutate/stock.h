/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What programs are changed with: what generated cases give fields, and calls.
 * Whoever changes programs has the same, be it a hunt, libFuzzer or AFL++.
 */
#ifndef IBVET_FUZZ_STOCK_H
#define IBVET_FUZZ_STOCK_H

#include "fuzz/mutate/change.h"

struct stock {
	struct values *values;
	struct samples *calls; /* NULL: single values alone */
};

/* Of the cases for a device, with their calls where those are of use. 0, or
 * -errno with nothing in it. */
int stock_of_cases(struct stock *s, const struct device_info *d,
		   bool with_calls);
/* Has programs be changed with it. */
void stock_give(const struct stock *s, struct changer *c);
void stock_free(struct stock *s);

#endif

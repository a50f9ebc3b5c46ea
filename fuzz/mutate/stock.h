/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The stock from which programs are changed: values of fields and calls, both
 * from generated cases. A hunt, libFuzzer and AFL++ use the same stock.
 */
#ifndef IBVET_FUZZ_STOCK_H
#define IBVET_FUZZ_STOCK_H

#include "fuzz/mutate/change.h"

struct stock {
	struct values *values;
	struct samples *calls; /* may be NULL */
};

/* Makes the stock of the cases for a device. Returns 0, or -errno with *s
 * empty.
 */
int stock_of_cases(struct stock *s, const struct device_info *d,
		   bool with_calls);
/* Makes a changer use the stock. */
void stock_give(const struct stock *s, struct changer *c);
void stock_free(struct stock *s);

#endif

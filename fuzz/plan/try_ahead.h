/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Changes of a plan, tried before libFuzzer hears of them.
 */
#ifndef IBVET_FUZZ_AHEAD_H
#define IBVET_FUZZ_AHEAD_H

#include "fuzz/plan/forms.h"

struct ahead;

/* NULL: no memory, or a device that cannot go back to what it was. */
struct ahead *ahead_new(const struct fuzzed *f, struct stepper *s);
void ahead_free(struct ahead *a);

/*
 * Changes the plan until it reaches something new or deviates, or until as
 * many batches of tries were for nothing. A try is the plan with one change, or
 * few; with `tail` it is some of the plan's beginning and some of that one's
 * end. True: the plan is what is worth running from the start.
 */
bool ahead_change(struct ahead *a, struct plan *plan, const struct plan *tail,
		  unsigned int batches);
#endif

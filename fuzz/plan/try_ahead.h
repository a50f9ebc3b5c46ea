/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Changes of a plan, tried before libFuzzer hears of them.
 */
#ifndef IBVET_FUZZ_TRY_AHEAD_H
#define IBVET_FUZZ_TRY_AHEAD_H

#include "fuzz/plan/forms.h"

struct try_ahead;

/* NULL: no memory, or a device that cannot go back to what it was. */
struct try_ahead *try_ahead_new(const struct fuzzed *f, struct stepper *s);
void try_ahead_free(struct try_ahead *a);

/*
 * Changes the plan until it reaches something new or deviates, or until as
 * many batches of tries were for nothing. A try is the plan with one change, or
 * few; with `tail` it is some of the plan's beginning and some of that one's
 * end. True: the plan is what is worth running from the start.
 */
bool try_ahead_change(struct try_ahead *a, struct plan *plan,
		      const struct plan *tail, unsigned int batches);
#endif

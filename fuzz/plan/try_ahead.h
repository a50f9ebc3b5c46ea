/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tries changes of a plan before libFuzzer gets to see one.
 */
#ifndef IBVET_FUZZ_TRY_AHEAD_H
#define IBVET_FUZZ_TRY_AHEAD_H

#include "fuzz/plan/forms.h"

struct try_ahead;

/* Returns NULL without memory, or if the device cannot restore an earlier
 * state. */
struct try_ahead *try_ahead_new(const struct fuzzed *f, struct stepper *s);
void try_ahead_free(struct try_ahead *a);

/*
 * Tries changes of the plan until one reaches something new or deviates, for so
 * many batches at most. A try is the plan with one change or a few; with `tail`
 * it is the plan's beginning and the end of `tail`. Returns true if `plan` is
 * now a changed plan that is worth running from the start.
 */
bool try_ahead_change(struct try_ahead *a, struct plan *plan,
		      const struct plan *tail, unsigned int batches);
#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls and values that a changed program did not have.
 */
#ifndef IBVET_FUZZ_NEW_CALL_H
#define IBVET_FUZZ_NEW_CALL_H

#include "fuzz/mutate/change.h"

/* Adds a call to what is being made, perhaps with an object that it needs. */
void new_call(struct changer *c);
/* Another value for the n-th setting of a call. */
void new_value(struct changer *c, unsigned int call, unsigned int n,
	       struct value *v);

/* Is it how long a device is waited for at most? */
bool is_wait_time(enum field f);

#endif

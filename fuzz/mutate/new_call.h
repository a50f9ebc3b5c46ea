/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes new calls and new values for a changed program.
 */
#ifndef IBVET_FUZZ_NEW_CALL_H
#define IBVET_FUZZ_NEW_CALL_H

#include "fuzz/mutate/change.h"

/* Adds a call to c->made, perhaps after calls that make its objects. */
void new_call(struct changer *c);
/* Makes another value for the n-th setting of a call. */
void new_value(struct changer *c, unsigned int call, unsigned int n,
	       struct value *v);

/* Returns true if the field is a time in ms that a call waits. */
bool field_is_wait_time(enum field f);

#endif

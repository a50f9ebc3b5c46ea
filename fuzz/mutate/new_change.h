/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Changes of commands for fuzzing.
 */
#ifndef IBVET_FUZZ_NEW_CHANGE_H
#define IBVET_FUZZ_NEW_CHANGE_H

#include "fuzz/mutate/change.h"

/* Adds a call of change_command before a call of the verb. */
void new_command_change(struct changer *c, enum verb before);

#endif

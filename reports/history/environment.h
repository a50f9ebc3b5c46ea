/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The parts of a run's environment that may explain a failure.
 */
#ifndef IBVET_REPORTS_HISTORY_ENVIRONMENT_H
#define IBVET_REPORTS_HISTORY_ENVIRONMENT_H

#include <jansson.h>
#include <stdbool.h>

/* Returns true for members that differ between any two runs and explain
 * nothing. */
bool environment_is_left_out(const char *what);
/* Removes these members. */
void environment_leave_out(json_t *environment);

#endif

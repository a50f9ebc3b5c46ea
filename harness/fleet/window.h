/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The time of the day in which jobs may run.
 */
#ifndef IBVET_FLEET_WINDOW_H
#define IBVET_FLEET_WINDOW_H

#include <stddef.h>
#include <time.h>
#include "fleet/lab.h"

/* Writes when the window begins, "" if it is open, and when it ends, as local
 * times of 19 characters. Without a window, work ends within a day. Returns the
 * minutes in which jobs can run. */
int window_next(const struct lab_window *w, time_t now, char *begin, char *end,
		size_t len);
/* Returns the seconds until the window opens, 0 if it is open. */
unsigned int window_wait(const struct lab_window *w, time_t now);
/* Returns the time limit of a shard that shall take so long, or 0 if that is
 * not known. It fits into the window. */
long window_limit(double seconds, int minutes);

#endif

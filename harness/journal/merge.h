/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes one run from the runs of its shards.
 */
#ifndef IBVET_MERGE_H
#define IBVET_MERGE_H

#include "run/run.h"

#define MERGE_MAX 1024

/*
 * Writes into a new folder what a single run of all shards would have written.
 * Returns an enum run_exit: at least RUN_UNEXPECTED when shards are missing.
 * Prints an error, or which shards are missing, as one line to standard error.
 */
int merge_run(const char *out, const char *const *dirs, int n);

#endif

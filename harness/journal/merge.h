/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One run made of the runs of its shards.
 */
#ifndef IBVET_MERGE_H
#define IBVET_MERGE_H

#include "run/run.h"

#define MERGE_MAX 1024

/*
 * Writes into a new folder what one run of all of them would have left. Returns
 * an enum run_exit; at least RUN_UNEXPECTED when shards are missing. Errors are
 * one line to standard error, and so is what is missing.
 */
int merge(const char *out, const char *const *dirs, int n);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * `ibvet sweep`: tries all attribute masks on all pairs of states, and makes a
 * data sheet of the device.
 */
#ifndef IBVET_SWEEP_H
#define IBVET_SWEEP_H

#include "sweep/plan.h"

#define SWEEP_OPTIONS_NAME "sweep.json"

void sweep_options_init(struct sweep_options *o);
/* Runs or continues a sweep. Prints an error as one line to standard error.
 * Returns an enum run_exit. */
int sweep_run(struct sweep_options *o);

/* Returns true if the folder has a sweep. */
bool sweep_is(const char *dir);
/* Merges the sweeps of shards into a new folder. Prints an error, or which
 * shards are missing, as one line to standard error. Returns an enum run_exit.
 */
int sweep_merge(const char *out, const char *const *dirs, int n);

/* Save or load the options of a sweep in its folder. After loading, the strings
 * of `o` belong to *kept, which the caller releases. Return 0, or -errno with
 * one line in err. */
struct json_t;
int sweep_options_save(const struct sweep_options *o, const char *dir,
		       char *err, size_t errlen);
int sweep_options_load(struct sweep_options *o, const char *dir,
		       struct json_t **kept, char *err, size_t errlen);

#endif

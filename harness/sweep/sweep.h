/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A sweep from its beginning to its data sheet.
 */
#ifndef IBVET_SWEEP_H
#define IBVET_SWEEP_H

#include "sweep/plan.h"

#define SWEEP_OPTIONS_NAME "sweep.json"

void sweep_options_init(struct sweep_options *o);
/* Does all of it; prints errors as one line to standard error. Returns an
 * enum run_exit. */
int sweep_run(struct sweep_options *o);

/* Is there a sweep in the folder? Makes one sweep of the sweeps of its shards,
 * in a new folder; errors and shards that are missing are one line to standard
 * error. Returns an enum run_exit. */
bool sweep_is(const char *dir);
int sweep_merge(const char *out, const char *const *dirs, int n);

/* What a sweep was asked for, in its folder (options.c). `o` receives what is
 * kept; the strings are of *kept, to be released. 0, or -errno with err. */
struct json_t;
int sweep_options_save(const struct sweep_options *o, const char *dir,
		       char *err, size_t errlen);
int sweep_options_load(struct sweep_options *o, const char *dir,
		       struct json_t **kept, char *err, size_t errlen);

#endif

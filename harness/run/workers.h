/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs the cases of a target, and what belongs to none of them.
 */
#ifndef IBVET_RUN_WORKERS_H
#define IBVET_RUN_WORKERS_H

#include "run/schedule.h"

/* Runs the cases of a target that are left, in workers or, with --no-fork, in
 * this process. Returns 0, or an enum run_exit with one line in the recorder.
 */
int workers_run(struct watch *w, struct work *work);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes calls again whose results differ from the contract, each on a new queue
 * pair. A difference is reported only if it came twice.
 */
#ifndef IBVET_SWEEP_REPEAT_H
#define IBVET_SWEEP_REPEAT_H

#include "sweep/worker.h"

/* Goes through all cells of the worker, as far as they were tried, until the
 * worker is asked to end. Returns 0, or -EIO with one line in the recorder. */
int sweep_worker_repeat(struct sweep_worker *w);

#endif

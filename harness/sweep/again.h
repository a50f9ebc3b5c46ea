/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a device is said to do otherwise it has done twice: calls whose answers
 * differ from the contract are made again, each on a queue pair that is new.
 */
#ifndef IBVET_SWEEP_AGAIN_H
#define IBVET_SWEEP_AGAIN_H

#include "sweep/worker.h"

/* Of all of the worker's cells, as far as they have been tried, unless it is
 * asked to end. 0, or -EIO with a line in the recorder. */
int sweep_worker_repeat(struct sweep_worker *w);

#endif

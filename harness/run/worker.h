/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The worker: opens a target and runs the cases that it finds in its recorder.
 * It may die at any call; the supervisor then starts the next worker.
 */
#ifndef IBVET_RUN_WORKER_H
#define IBVET_RUN_WORKER_H

#include "run/run.h"
#include "supervise/recorder.h"

struct worker {
	struct recorder *recorder;
	struct target *target;
	struct judge *judge;
	/* Deviations by each rule that were tried again */
	unsigned char tried[ROW_NR];
};

/* Opens the target. Returns CHILD_DONE, or CHILD_GAVE_UP with one line in the
 * recorder. */
int worker_open(struct worker *w, struct recorder *r, const char *target,
		const struct target_options *o);
/* Runs the recorder's case. The recorder then holds its judgement. */
void worker_run_case(struct worker *w);
/* Says in the judgement which of two devices a deviation is of (whose.c). */
void worker_find_whose(struct worker *w);
void worker_close(struct worker *w);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The worker: the process that opens a target, runs cases and writes the
 * journal. It may die at any call; the supervisor then starts the next worker.
 */
#ifndef IBVET_RUN_WORKER_H
#define IBVET_RUN_WORKER_H

#include "supervise/child.h"
#include "run/case_end.h"
#include "run/run.h"
#include "journal/progress_so_far.h"

struct work {
	const struct run_options *options;
	struct case_writer *writer;
	struct progress_so_far so_far;
	bool announce; /* the target event is still to be written */
	/* Other workers have run cases: count anew what the profile met */
	bool recount;
	/* What the kernel reported during the probe, or NULL */
	const struct kernel_log *opening;
	uint64_t deadline_us; /* no case begins after this now_us(); 0: none */
};

/* Runs the cases that so_far leaves. Returns the exit status of the process. */
int worker_run(struct work *w);

#endif

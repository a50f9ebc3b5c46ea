/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A worker: the process that opens a target, runs cases on it and writes the
 * journal. It may die at any call; the supervisor starts the next one.
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
	bool announce; /* write the target event */
	bool recount;  /* what the profile met, others have seen a part of */
	/* With what the kernel reported at the probe; NULL: nothing */
	const struct kernel_log *opening;
	uint64_t deadline_us; /* by now_us(): no case begins later; 0: none */
};

/* Runs what standing leaves; returns the exit status of the process. */
int worker_run(struct work *w);

#endif

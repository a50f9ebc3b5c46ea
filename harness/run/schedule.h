/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs the cases of a target: which one next, on which worker, and which alone.
 */
#ifndef IBVET_SCHEDULE_H
#define IBVET_SCHEDULE_H

#include "journal/progress_so_far.h"
#include "run/case_end.h"
#include "run/run.h"
#include "supervise/watch.h"

struct work {
	const struct run_options *options;
	struct case_writer *writer;
	struct progress_so_far so_far;
	bool resumed; /* count anew what the profile met */
	unsigned int jobs;
	/* What the kernel reported during the probe, or NULL */
	const struct kernel_log *opening;
	uint64_t deadline_us; /* no case begins after this now_us(); 0: none */
	struct judgement closing; /* of the device; by schedule_run() */
};

/* Runs the cases that so_far leaves, and notes in so_far whether they are done.
 * Returns 0, or an enum run_exit with one line in the recorder. */
int schedule_run(struct watch *w, struct work *work);

#endif

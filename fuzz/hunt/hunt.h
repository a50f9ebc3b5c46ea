/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A hunt: programs that chance changes, on a device in a process of its own,
 * for a given time. What deviates, crashes, hangs or leaves something behind is
 * a finding, once for each rule and what came instead; the hunt goes on. Its
 * folder is that of a run in which every finding is a case.
 */
#ifndef IBVET_FUZZ_HUNT_H
#define IBVET_FUZZ_HUNT_H

#include "fuzz/kcov/kcov.h"
#include "run/run.h"

enum hunt_for { HUNT_MODIFY, HUNT_PROGRAM, HUNT_CREATE, HUNT_WALK, HUNT_NR };

/* "modify"; HUNT_NR: no such name */
const char *hunt_name(enum hunt_for what);
enum hunt_for hunt_by_name(const char *name);

struct hunt_options {
	struct run_options run; /* one device, seed, folder, profile, timeout */
	enum hunt_for what;
	const char *weights; /* a file of `walk`, or NULL */
	uint64_t time_ms;
	uint64_t programs;  /* then it ends as well; 0: no limit */
	bool first;	    /* and with the first finding of its own */
	bool undefined;	    /* calls that lack an object are made as well */
	enum kcov_use kcov; /* the kernel's code guides as well */
};

/* An enum run_exit; errors are one line on standard error. */
int hunt(struct hunt_options *o);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A hunt: runs randomly changed programs on a device, in a process of its own,
 * for a given time. A program that deviates, crashes, hangs or leaves objects
 * behind is a finding, once for each rule and outcome; then the hunt goes on.
 * The folder of a hunt is the folder of a run in which every finding is a case.
 */
#ifndef IBVET_FUZZ_HUNT_H
#define IBVET_FUZZ_HUNT_H

#include "fuzz/kcov/kcov.h"
#include "run/run.h"

enum hunt_for {
	HUNT_MODIFY,
	HUNT_PROGRAM,
	HUNT_CREATE,
	HUNT_WALK,
	HUNT_FIRE,
	HUNT_NR
};
/* Returns true if a hunt begins with programs of generated cases. */
static inline bool hunt_has_seeds(enum hunt_for what)
{
	return what != HUNT_MODIFY && what != HUNT_FIRE;
}

/* The name is "modify", for example. hunt_by_name() returns HUNT_NR for an
 * unknown name. */
const char *hunt_name(enum hunt_for what);
enum hunt_for hunt_by_name(const char *name);

#define HUNT_JOBS_MAX 63 /* see POOL_MAX */

struct hunt_options {
	struct run_options run; /* one device, seed, folder, profile, timeout */
	enum hunt_for what;
	const char *weights; /* file of weights for `walk`, or NULL */
	const char *corpus;  /* folder that hunts share, or NULL */
	uint64_t time_ms;    /* 0: what a resumed hunt has left, or a minute */
	uint64_t programs;  /* end after so many; 0: no limit */
	bool first;	    /* end with the first new finding */
	bool undefined;	    /* make calls that lack an object, too */
	enum kcov_use kcov; /* whether the kernel's code guides, too */
};

/* Returns an enum run_exit. Prints errors as one line on standard error. */
int hunt(struct hunt_options *o);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The memory that the worker, which makes the calls, shares with the
 * supervisor, which watches it. It outlives a worker that dies.
 */
#ifndef IBVET_FUZZ_HUNT_SHARED_H
#define IBVET_FUZZ_HUNT_SHARED_H

#include <stdatomic.h>
#include "fuzz/hunt/hunt.h"
#include "fuzz/hunt/finding_key.h"
#include "fuzz/plan/plan_qp.h"
#include "fuzz/hunt/observed.h"
#include "fuzz/mutate/stock.h"
#include "fuzz/walk/history.h"
#include "fuzz/walk/weights.h"

#define HUNT_KNOWN_MAX 512
#define HUNT_POINTS    4096

/* A finding that was reported. */
struct hunt_known {
	char key[FINDING_KEY_LEN];
	char id[CASE_ID_LEN];	/* of the case */
	_Atomic uint64_t times; /* that it was found */
	bool expected;		/* by the profile */
};

struct hunt_shared {
	_Atomic uint64_t programs, calls;
	/* Walks, and those that the judge could not follow to the end */
	_Atomic uint64_t walks, unjudged;
	/* Time of those programs that were timed, and time in their calls */
	_Atomic uint64_t timed_ns, device_ns;
	uint64_t chance; /* state of the random generator */
	/* How many programs of the corpus have run again, from the first on */
	uint64_t again;
	uint64_t count_until_us; /* deadline for count_kept(); 0: not yet */
	_Atomic uint64_t kept;

	unsigned int nknown;
	struct hunt_known known[HUNT_KNOWN_MAX];

	/* The finding of a worker that ended by HUNT_FOUND */
	struct judgement said;
	char key[FINDING_KEY_LEN];

	struct session session;	  /* of `modify`: the plans on a queue pair */
	struct history history;	  /* of `walk`: all calls */
	struct observed observed; /* their outcomes, unless on the model */

	/* A ring of coverage points from the worker to the supervisor */
	_Atomic unsigned int points_in, points_out;
	uint64_t point[HUNT_POINTS];

	/* Found by the probe: whether KCOV can follow
	 * the kernel's code */
	bool kernel;
};

/* Exit statuses of a worker besides CHILD_DONE and CHILD_GAVE_UP */
#define HUNT_FOUND  92
#define HUNT_REOPEN 93 /* the next worker has to open the device again */

/* Counts a finding if it is known. Returns false if it is new. */
bool hunt_count_if_known(struct hunt_shared *s, const char *key);

/* The supervisor gives this to each worker. */
struct hunt_worker_setup {
	const struct hunt_options *options;
	struct recorder *recorder;
	struct hunt_shared *shared;
	const char *dir;
	uint64_t deadline_us, last; /* time, and number of programs */
	bool only_counts;	/* only run kept programs for their coverage */
	struct weights weights; /* of `walk` */
	struct stock stock;	/* empty for `modify`; calls for `program` */
};

/* Runs the worker. Returns the exit status of its process. */
int hunt_worker_run(const struct hunt_worker_setup *h);

#endif

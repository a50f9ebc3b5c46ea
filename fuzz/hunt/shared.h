/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the process that makes the calls and the one that watches it share: all
 * that has to be there still when the first of them dies.
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

/* A finding that was told. */
struct hunt_known {
	char key[FINDING_KEY_LEN];
	char id[CASE_ID_LEN];	/* of the case */
	_Atomic uint64_t times; /* that it was found */
	bool expected;		/* by the profile */
};

struct hunt_shared {
	_Atomic uint64_t programs, calls;
	/* And those that ended where the judge could say no more */
	_Atomic uint64_t walks, unjudged;
	/* Of every so many programs: their time, and what of it was the
	 * device's. */
	_Atomic uint64_t timed_ns, device_ns;
	uint64_t chance;
	/* Programs of the folders that were run again after a restart */
	uint64_t again;
	uint64_t count_until_us; /* at the end; 0: before it */
	_Atomic uint64_t kept;

	unsigned int nknown;
	struct hunt_known known[HUNT_KNOWN_MAX];

	/* What the worker ended with, when it ended by HUNT_FOUND */
	struct judgement said;
	char key[FINDING_KEY_LEN];

	struct session session; /* of `modify`: what was made of a queue pair */
	struct history history; /* of `walk`: all that was done */
	struct observed observed; /* and what that brought, on no model */

	/* Coverage on its way to the supervisor: a ring */
	_Atomic unsigned int points_in, points_out;
	uint64_t point[HUNT_POINTS];

	/* What the device is, as the probe found it, and whether its kernel's
	 * code can be followed */
	char kind[16];
	bool kernel;
};

/* Exit statuses of a worker besides CHILD_DONE and CHILD_GAVE_UP */
#define HUNT_FOUND 92
#define HUNT_AGAIN 93 /* the device has to be opened anew */

/* Counts a finding; false: it is a new one. */
bool hunt_count_if_known(struct hunt_shared *s, const char *key);

struct hunt_worker_setup {
	const struct hunt_options *options;
	struct recorder *recorder;
	struct hunt_shared *shared;
	const char *dir;
	uint64_t deadline_us, last; /* time, and number of programs */
	bool only_counts;	/* what was kept and not yet run by itself */
	struct weights weights; /* of `walk` */
	struct stock stock;	/* without calls but for `program`; `modify` has
				   its own */
};

/* The worker: the exit status of its process. */
int hunt_worker_run(const struct hunt_worker_setup *h);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The memory that the workers, which make the calls, share with the supervisor,
 * which watches them. It outlives a worker that dies.
 */
#ifndef IBVET_FUZZ_HUNT_SHARED_H
#define IBVET_FUZZ_HUNT_SHARED_H

#include <pthread.h>
#include <stdatomic.h>
#include "fuzz/hunt/corpus.h"
#include "fuzz/hunt/hunt.h"
#include "fuzz/hunt/finding_key.h"
#include "fuzz/plan/plan_qp.h"
#include "fuzz/hunt/observed.h"
#include "fuzz/mutate/stock.h"
#include "fuzz/walk/history.h"
#include "fuzz/walk/weights.h"

#define HUNT_KNOWN_MAX 512
#define HUNT_POINTS    4096
#define HUNT_TEXTS     65536

/* A finding that was reported. */
struct hunt_known {
	char key[FINDING_KEY_LEN];
	char id[CASE_ID_LEN];	/* of the case */
	_Atomic uint64_t times; /* that it was found */
	bool expected;		/* by the profile */
};

enum hunt_pause {
	HUNT_GO_ON,
	HUNT_REST, /* they rest; a walk does so between two calls */
	HUNT_REST_WITHOUT_OBJECTS, /* they rest between two programs or walks */
};

struct hunt_shared {
	_Atomic uint64_t programs, calls;
	/* Walks, and those that the judge could not follow to the end */
	_Atomic uint64_t walks, unjudged;
	/* Time of those programs that were timed, and time in their calls */
	_Atomic uint64_t timed_ns, device_ns;
	/* How many programs of the corpus have run again, from the first on */
	_Atomic uint64_t again;
	_Atomic uint64_t count_until_us; /* for count_kept(); 0: not yet */

	/* Held for the corpus and for kernel_reach(). A worker that dies with
	 * this lock leaves it to the next one. */
	pthread_mutex_t lock;
	_Atomic uint64_t kept, taken; /* taken: of them from other hunts */
	uint64_t text[HUNT_TEXTS];    /* hashes of kept texts */
	_Atomic uint64_t next; /* number of the next program that is kept */

	/* Written by the supervisor alone */
	_Atomic unsigned int nknown;
	struct hunt_known known[HUNT_KNOWN_MAX];

	_Atomic enum hunt_pause pause;

	struct judgement said; /* about the run for the record */

	/* Found by the probe: whether KCOV can follow the kernel's code */
	bool kernel;
};

/* The part of one worker, and of those that follow it in its place. */
struct hunt_lane {
	uint64_t chance; /* state of the random generator */
	uint64_t programs;

	/* The finding of a worker that ended by HUNT_FOUND */
	struct judgement said;
	char key[FINDING_KEY_LEN];

	struct session session;	  /* of `modify`: the plans on a queue pair */
	struct history history;	  /* of `walk`: all calls */
	struct observed observed; /* their outcomes, unless on the model */

	_Atomic bool holds;	  /* it rests, with objects */
	_Atomic bool wants_alone; /* its next program needs the device alone */

	/* A ring of coverage points from the worker to the supervisor */
	_Atomic unsigned int points_in, points_out;
	uint64_t point[HUNT_POINTS];
};

/* Exit statuses of a worker besides CHILD_DONE and CHILD_GAVE_UP */
#define HUNT_FOUND  92
#define HUNT_REOPEN 93 /* the next worker has to open the device again */

void hunt_lock(struct hunt_shared *s);
void hunt_unlock(struct hunt_shared *s);
/* Counts a finding if it is known. Returns false if it is new. */
bool hunt_count_if_known(struct hunt_shared *s, const char *key);

/* The supervisor gives this to each worker. */
struct hunt_worker_setup {
	const struct hunt_options *options;
	struct recorder *recorder; /* of the worker */
	struct hunt_shared *shared;
	struct hunt_lane *lane;
	struct corpus seeds;  /* of `walk`: calls to begin with */
	struct corpus corpus; /* the programs that are kept so far */
	const char *dir;
	uint64_t deadline_us, last; /* time, and number of programs */
	bool shares_device;	    /* other workers use the same one */
	bool only_counts;	/* only run kept programs for their coverage */
	struct weights weights; /* of `walk` */
	struct stock stock;	/* empty for `modify`; calls for `program` */
};

/* Runs the worker. Returns the exit status of its process. */
int hunt_worker_run(const struct hunt_worker_setup *h);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The flight recorder: memory that worker and supervisor share. The worker
 * notes here what it is about to do. When the worker dies, the supervisor finds
 * here the case, its program and every call up to the one that did not return.
 * A worker of a pool (supervise/pool.h) also gets its cases here.
 */
#ifndef IBVET_RECORDER_H
#define IBVET_RECORDER_H

#include <stdatomic.h>
#include "judge/judge.h"
#include "judge/patience.h"
#include "cases/generate/case.h"
#include "contract/clock.h"
#include "supervise/fault_location.h"
#include "supervise/kernel_log.h"
#include "journal/progress_so_far.h"

struct recorded_call {
	struct bound bound;
	struct outcome outcome;
};

struct recorder {
	_Atomic uint64_t progress; /* moves from case to case, not with calls */
	_Atomic bool stop;	   /* the worker is asked to end */
	int lock; /* on the run's folder, for the supervisor alone; -1: none */

	/* The case under way; current.program points to `program`. */
	uint64_t number;
	struct test_case current;
	struct program program;
	uint64_t began_us;
	_Atomic int begun, returned; /* calls; a call that was left out has the
				      * verb VERB_NR */
	struct recorded_call call[PROG_MAX_CALLS];
	struct kernel_log kernel;
	char kernel_unread[128]; /* why the kernel log cannot be read, or "" */
	char fault_location[FAULT_LOCATION_LEN]; /* of a worker that faulted,
						    else "" */

	/* Of a worker of a pool */
	_Atomic bool ended; /* the case has ended, or the device is open */
	bool has_others;    /* workers in the pool */
	_Atomic bool quit;  /* there are no more cases */
	int task, news;	    /* eventfds: of the worker, of the supervisor */
	struct judgement judged; /* of the case that has ended */
	uint64_t processor_us;	 /* that the case took */
	/* What is known of the device when the case begins, and what the case
	 * adds */
	struct patience patience;
	char broken[160]; /* why no other case can run, or "" */

	/* Why a worker gave up */
	int exit; /* enum run_exit */
	char error[RUN_ERROR_LEN];

	/* Filled by the probe of a target */
	bool live;
	const char *kind;		 /* target_ops.kind */
	struct device_info info, second; /* info.second: NULL or &second */
	uint64_t cases;
	bool matched[RUN_MAX_PATTERNS];
	/* For a pattern that selects no case: the profile in which it does */
	enum profile wider[RUN_MAX_PATTERNS];
};

struct recorder *recorder_new(void);
void recorder_free(struct recorder *r);
/* Clears the error and the counts, before each target. */
void recorder_reset(struct recorder *r);

/* Ends the run with one line, unless the recorder has an error or an exit
 * status already. Returns the exit status. */
__attribute__((format(printf, 2, 3))) int recorder_broken(struct recorder *r,
							  const char *fmt, ...);

void recorder_begin(struct recorder *r, uint64_t number,
		    const struct test_case *c);
void recorder_before(struct recorder *r, int index, const struct bound *b);
void recorder_after(struct recorder *r, int index, const struct outcome *o);
/* Returns a trace that notes each call in the recorder. */
struct judge_trace recorder_trace(struct recorder *r);
void recorder_tick(struct recorder *r);

#endif

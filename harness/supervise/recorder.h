/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The flight recorder: memory that worker and supervisor share. The worker
 * notes in it what it is about to do; when it dies, the supervisor finds the
 * case, its program and every call up to the one that did not return.
 */
#ifndef IBVET_RECORDER_H
#define IBVET_RECORDER_H

#include <stdatomic.h>
#include "judge/judge.h"
#include "cases/generate/case.h"
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
	int lock; /* on the run's folder, -1: none; the supervisor's alone */

	/* The case under way; its program is the copy below. */
	uint64_t number;
	struct test_case current;
	struct program program;
	uint64_t began_us;
	_Atomic int begun, returned; /* calls; the verb of one that was left
				      * out is VERB_NR */
	struct recorded_call call[PROG_MAX_CALLS];
	struct kernel_log kernel;
	char kernel_unread[128]; /* why its log cannot be read, or "" */
	char fault_location[FAULT_LOCATION_LEN]; /* a worker, by a fault; "" */

	/* Sums, over all workers of a target */
	_Atomic uint64_t done, failures;
	uint64_t repros, omitted;

	/* What a worker has to tell when it cannot go on */
	int exit; /* enum run_exit */
	char error[RUN_ERROR_LEN];

	/* What the probe of a target finds */
	bool live;
	struct device_info info;
	uint64_t cases;
	bool matched[RUN_MAX_PATTERNS];
	enum profile wider[RUN_MAX_PATTERNS]; /* of which others fit a case */
};

struct recorder *recorder_new(void);
void recorder_free(struct recorder *r);
/* Before each target */
void recorder_reset(struct recorder *r);

void recorder_begin(struct recorder *r, uint64_t number,
		    const struct test_case *c);
void recorder_before(struct recorder *r, int index, const struct bound *b);
void recorder_after(struct recorder *r, int index, const struct outcome *o);
/* That does nothing but to tell the recorder. */
struct exec_trace recorder_trace(struct recorder *r);
void recorder_end(struct recorder *r);
void recorder_tick(struct recorder *r);

uint64_t now_us(void);
/* Copies what is used of a program. */
void program_copy(struct program *to, const struct program *from);

#endif

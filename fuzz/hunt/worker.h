/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of the process that makes a hunt's calls share. Each function
 * that returns an int returns 0, or the exit status with which the process
 * ends.
 */
#ifndef IBVET_FUZZ_HUNT_WORKER_H
#define IBVET_FUZZ_HUNT_WORKER_H

#include "fuzz/mutate/change.h"
#include "fuzz/hunt/corpus.h"
#include "fuzz/hunt/shared.h"
#include "fuzz/kcov/kernel_reach.h"
#include "fuzz/mutate/waits.h"
#include "fuzz/walk/next_call.h"

#define SPLICE_OF 8 /* one in so many is made of two */

struct hunt_worker {
	const struct hunt_worker_setup *setup;
	struct hunt_shared *shared;
	struct recorder *recorder;
	struct target *target;
	struct judge *judge;
	struct corpus corpus;
	char folder[RUN_PATH_LEN];
	struct chance chance;
	struct program parent, other;
	enum row row[PROG_MAX_CALLS]; /* by which calls of it were judged */
	struct kcov kcov;
	bool timed;
	uint64_t call_began, device_ns;
	/* modify */
	struct stepper stepper;
	struct plan_qp qp;
	bool cannot[QK_NR]; /* be made on this device */
	/* program and create */
	struct changer changer;
	struct waits waits; /* open for a device that is no model */
	/* walk */
	struct next_call *next_call;
};

/* hunt/worker.c */
bool hunt_worker_is_over(const struct hunt_worker *w);
bool hunt_worker_is_out_of_time(const struct hunt_worker *w);
/* Does what comes depend on when it is asked for? A model has no clock. */
bool hunt_worker_has_clock(const struct hunt_worker *w);
/* Before a program that may be the last one: the next worker tries others. */
void hunt_worker_save_chance(struct hunt_worker *w);
int hunt_worker_give_up(struct hunt_worker *w, int status);
/* A program that has reached something is worth to be changed further. */
int hunt_worker_keep(struct hunt_worker *w, const struct program *p);
/* One of those that were kept, the latest more often; false: there is none. */
bool hunt_worker_pick_kept(struct hunt_worker *w, struct program *p);

/* hunt/worker_program.c */
/* Runs one. *fresh: it has reached something; with `always` what it tried is
 * told in any case. */
int hunt_worker_run_program(struct hunt_worker *w, const struct program *p,
			    bool always, bool *fresh);
/* Has a call reached what none had before it? */
bool hunt_worker_reach(const struct qp_states *states, const struct bound *b,
		       const struct outcome *o);
/* What was tried since the last time, to the supervisor, which reads it a few
 * times a second. */
void hunt_worker_send_coverage(struct hunt_worker *w, struct coverage *c);
/* Is it a verdict to look into? */
bool hunt_worker_accuses(const struct hunt_worker *w,
			 const struct judgement *said);
/* A verdict: 0 where it is none to look into, or known, and then counted. */
int hunt_worker_found(struct hunt_worker *w, const struct judgement *said,
		      const char *key);
/* What the kernel says of what was just done. */
int hunt_worker_read_kernel_log(struct hunt_worker *w);
/* Has the kernel gone through what it had not since kcov_begin()? */
bool hunt_worker_reach_kernel(struct hunt_worker *w);
/* Around a program, some of which are timed. */
uint64_t hunt_worker_start_time(struct hunt_worker *w);
void hunt_worker_stop_time(struct hunt_worker *w, uint64_t began);

/* hunt/worker_plan.c: plans on one queue pair, until that is of no more use */
int hunt_worker_run_plans(struct hunt_worker *w);

/* hunt/worker_walk.c: one walk, from nothing to its end */
int hunt_worker_prepare_walk(struct hunt_worker *w);
int hunt_worker_walk(struct hunt_worker *w);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of a hunt's worker, the process that makes the calls. Each function
 * that returns an int returns 0, or the exit status with which the worker ends.
 */
#ifndef IBVET_FUZZ_HUNT_WORKER_H
#define IBVET_FUZZ_HUNT_WORKER_H

#include "fuzz/mutate/change.h"
#include "fuzz/hunt/corpus.h"
#include "fuzz/hunt/shared.h"
#include "fuzz/kcov/kernel_reach.h"
#include "fuzz/mutate/waits.h"
#include "fuzz/walk/next_call.h"

#define SPLICE_OF 8 /* one program in so many is made of two */

struct hunt_worker {
	const struct hunt_worker_setup *setup;
	struct hunt_shared *shared;
	struct hunt_lane *lane;
	struct recorder *recorder;
	struct target *target;
	struct judge *judge;
	struct corpus corpus;
	char folder[RUN_PATH_LEN];
	struct chance chance;
	struct program parent, other;
	enum row row[PROG_MAX_CALLS]; /* the rule that judged each call */
	struct kcov kcov;
	bool timed;
	uint64_t call_began, device_ns;
	/* modify */
	struct stepper stepper;
	struct plan_qp qp;
	bool cannot[QK_NR]; /* the device cannot create this type */
	/* program and create */
	struct changer changer;
	struct waits waits; /* open unless the device is a model */
	/* walk */
	struct next_call *next_call;
};

/* hunt/worker.c */
/* Counts a program before its run, which may end the worker. */
void hunt_worker_count_program(struct hunt_worker *w);
/* Returns true if the time is up, or the number of programs is reached. */
bool hunt_worker_is_over(const struct hunt_worker *w);
bool hunt_worker_is_out_of_time(const struct hunt_worker *w);
/* Returns true if outcomes depend on time. The model has no clock. */
bool hunt_worker_has_clock(const struct hunt_worker *w);
/* Rests if the supervisor wants that: while it examines a finding, or while
 * another worker has the device for itself. `holds` says whether this worker
 * has objects. */
void hunt_worker_rest_if_asked(struct hunt_worker *w, bool holds);
/* Waits until this worker has the device for itself, up to its next rest. */
void hunt_worker_be_alone(struct hunt_worker *w);
/* Saves the state of the random generator before a program that may be the last
 * one, so that the next worker tries other programs. */
void hunt_worker_save_chance(struct hunt_worker *w);
/* Ends the hunt with an enum run_exit; the reason is in the recorder. */
int hunt_worker_give_up(struct hunt_worker *w, int status);
/* Keeps a program that has reached something new, to be changed further.
 * `counted` says whether its coverage is known. */
int hunt_worker_keep(struct hunt_worker *w, const struct program *p,
		     bool counted);
/* Picks one of the kept programs, mostly a late one. Returns false if there is
 * none. */
bool hunt_worker_pick_kept(struct hunt_worker *w, struct program *p);

/* hunt/worker_program.c */
/* Runs a program. *fresh says whether it reached something new. Its coverage is
 * sent to the supervisor if it did, or with `always`. */
int hunt_worker_run_program(struct hunt_worker *w, const struct program *p,
			    bool always, bool *fresh);
/* Returns true if a call reached something new. */
bool hunt_worker_reach(const struct qp_states *states, const struct bound *b,
		       const struct outcome *o);
/* Sends new coverage points to the supervisor, which reads them a few times a
 * second. */
void hunt_worker_send_coverage(struct hunt_worker *w, struct coverage *c);
/* Returns true if the verdict is a finding. */
bool hunt_worker_accuses(const struct hunt_worker *w,
			 const struct judgement *said);
/* Handles a finding: returns 0 if it is known, and counts it. */
int hunt_worker_found(struct hunt_worker *w, const struct judgement *said,
		      const char *key);
/* Handles what the kernel has just written into its log. */
int hunt_worker_read_kernel_log(struct hunt_worker *w);
/* Returns true if the kernel ran code since kcov_begin() that is new. */
bool hunt_worker_reach_kernel(struct hunt_worker *w);
/* Start and stop the clock around a program. One program in sixteen is timed.
 */
uint64_t hunt_worker_start_time(struct hunt_worker *w);
void hunt_worker_stop_time(struct hunt_worker *w, uint64_t began);

/* hunt/worker_plan.c: runs plans on one queue pair. */
int hunt_worker_run_plans(struct hunt_worker *w);

/* hunt/worker_fire.c: runs one program with threads. */
int hunt_worker_fire(struct hunt_worker *w);

/* hunt/worker_walk.c: runs one walk. */
int hunt_worker_prepare_walk(struct hunt_worker *w);
int hunt_worker_walk(struct hunt_worker *w);

#endif

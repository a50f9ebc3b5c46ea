/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of the process that makes a hunt's calls share. Each function
 * that returns an int returns 0, or the exit status with which the process
 * ends.
 */
#ifndef IBVET_FUZZ_HUNTER_H
#define IBVET_FUZZ_HUNTER_H

#include "fuzz/mutate/change.h"
#include "fuzz/hunt/corpus.h"
#include "fuzz/hunt/shared.h"
#include "fuzz/kcov/kernel_reach.h"
#include "fuzz/mutate/waits.h"
#include "fuzz/walk/next_call.h"

#define SPLICE_OF 8 /* one in so many is made of two */

struct worker {
	const struct hunter *hunter;
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
	struct rig rig;
	bool cannot[QK_NR]; /* be made on this device */
	/* program and create */
	struct changer changer;
	struct waits waits; /* open for a device that is no model */
	/* walk */
	struct walker *walker;
};

/* hunt/worker.c */
bool hunter_is_over(const struct worker *w);
bool hunter_is_out_of_time(const struct worker *w);
/* Does what comes depend on when it is asked for? A model has no clock. */
bool hunter_has_clock(const struct worker *w);
/* Before a program that may be the last one: the next worker tries others. */
void hunter_tell_chance(struct worker *w);
int hunter_gives_up(struct worker *w, int status);
/* A program that has reached something is worth to be changed further. */
int hunter_keep(struct worker *w, const struct program *p);
/* One of those that were kept, the latest more often; false: there is none. */
bool hunter_pick(struct worker *w, struct program *p);

/* hunt/worker_program.c */
/* Runs one. *fresh: it has reached something; with `always` what it tried is
 * told in any case. */
int hunter_run_program(struct worker *w, const struct program *p, bool always,
		       bool *fresh);
/* Has a call reached what none had before it? */
bool hunter_reach(const struct qp_states *states, const struct bound *b,
		  const struct outcome *o);
/* What was tried since the last time, to the supervisor, which reads it a few
 * times a second. */
void hunter_hand_over(struct worker *w, struct coverage *c);
/* Is it a verdict to look into? */
bool hunter_objects(const struct worker *w, const struct judgement *said);
/* A verdict: 0 where it is none to look into, or known, and then counted. */
int hunter_found(struct worker *w, const struct judgement *said,
		 const char *key);
/* What the kernel says of what was just done. */
int hunter_hears(struct worker *w);
/* Has the kernel gone through what it had not since kcov_begin()? */
bool hunter_reach_kernel(struct worker *w);
/* Around a program, some of which are timed. */
uint64_t hunter_start_time(struct worker *w);
void hunter_stop_time(struct worker *w, uint64_t began);

/* hunt/worker_plan.c: plans on one queue pair, until that is of no more use */
int hunter_batch(struct worker *w);

/* hunt/worker_walk.c: one walk, from nothing to its end */
int hunter_walk_prepare(struct worker *w);
int hunter_walk(struct worker *w);

#endif

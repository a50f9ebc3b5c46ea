/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * When the threads of a program run. Everything is drawn from one seed.
 *
 * A serial schedule runs one thread at a time, the one of the highest priority.
 * At `changes` points between calls the running thread gets the lowest priority
 * (probabilistic concurrency testing, PCT: a bug that needs d such changes is
 * found with a probability that depends on d, not on the length). At `overlaps`
 * points the running thread and the next one make a call at the same time.
 *
 * Without `serial` all threads run at once; before its calls a thread sleeps,
 * yields, spins, or goes on.
 */
#ifndef IBVET_FIRE_SCHEDULE_H
#define IBVET_FIRE_SCHEDULE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "program/args.h"

#define FIRE_THREADS 16
#define FIRE_POINTS  8 /* of each kind, at most */

struct schedule {
	struct schedule_args in;
	unsigned int threads, calls; /* calls of all threads together */
	pthread_mutex_t lock;
	pthread_cond_t turn;
	/* of a serial schedule */
	int priority[FIRE_THREADS], lowest;
	enum {
		SCHEDULE_AWAY,
		SCHEDULE_WAITS,
		SCHEDULE_RUNS,
		SCHEDULE_ENDED
	} is[FIRE_THREADS];
	unsigned int change[FIRE_POINTS], overlap[FIRE_POINTS];
	unsigned int points;	  /* passed so far */
	bool began[FIRE_THREADS]; /* and has not come to its first point */
	int pair[2];		  /* the threads that meet in a call, or -1 */
	atomic_uint met;
	/* of any schedule */
	unsigned int arrived;
	uint64_t random[FIRE_THREADS]; /* state of each thread's generator */
};

/* Prepares a schedule of `threads` threads that make `calls` calls. */
void schedule_init(struct schedule *s, const struct schedule_args *in,
		   unsigned int threads, unsigned int calls);
void schedule_end(struct schedule *s);

/* Called by each thread: when it begins, which waits for all threads; before
 * each call; at a step `nap`; and when it ends. */
void schedule_begin(struct schedule *s, unsigned int thread);
void schedule_point(struct schedule *s, unsigned int thread);
void schedule_nap(struct schedule *s, unsigned int thread,
		  const struct nap_args *in);
void schedule_leave(struct schedule *s, unsigned int thread);
/* Says that only so many threads could be started. */
void schedule_give_up(struct schedule *s, unsigned int threads);
/* Called immediately before a call is made: waits for the other thread of a
 * pair. */
void schedule_meet(struct schedule *s, unsigned int thread);

#endif

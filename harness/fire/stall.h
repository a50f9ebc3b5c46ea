/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Stalls: delays inside calls. At instants drawn from the seed of a schedule a
 * thread of a high priority takes a processor for up to 1 ms, from whatever
 * runs there: a thread of the program, wherever it stands in a call, or a
 * thread of the driver. In a kernel that can be preempted (preempt=full) that
 * is also in the middle of a system call.
 */
#ifndef IBVET_FIRE_STALL_H
#define IBVET_FIRE_STALL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>
#include "fire/schedule.h"

struct stalls {
	atomic_int id[FIRE_THREADS]; /* of the kernel; 0: has not begun, or
					ended */
	unsigned int threads, times;
	uint64_t random;
	pthread_t thread;
	bool begun;
	atomic_bool over;
};

/* Begins to stall some of so many threads. Without the right to a high priority
 * both threads share a processor for that time. */
void stalls_begin(struct stalls *s, const struct schedule_args *in,
		  unsigned int threads);
/* Called by each thread: when it begins, and before it ends. */
void stalls_enter(struct stalls *s, unsigned int thread);
void stalls_leave(struct stalls *s, unsigned int thread);
void stalls_end(struct stalls *s);

#endif

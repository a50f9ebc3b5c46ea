// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Takes processors away from threads for a while.
 */
#define _GNU_SOURCE /* affinity */
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include "contract/clock.h"
#include "contract/random.h"
#include "fire/stall.h"
#include "program/repro/parts/time.h"

enum {
	STALLS = 64, /* the most of a program */
	/* Stalls are up to 2^10 us long, and up to 2^14 us apart; short times
	 * are as frequent as long ones. The programs of a hunt that run at once
	 * must not take all processors. */
	LONGEST = 11,
	RAREST = 15,
};

static unsigned int draw_us(struct stalls *s, unsigned int powers)
{
	return 1u << random_below(&s->random, powers);
}

/* Returns one of the processors. */
static size_t draw_cpu(struct stalls *s, const cpu_set_t *all)
{
	int at = (int)random_below(&s->random, (unsigned int)CPU_COUNT(all));

	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, all) && !at--)
			return cpu;
	return 0;
}

static void hold(struct stalls *s, unsigned int us)
{
	uint64_t until = now_us() + us;

	while (now_us() < until && !atomic_load(&s->over))
		;
}

/* Takes one processor, and brings the thread there first. The threads of the
 * driver that run there have to wait, too. */
static void stall(struct stalls *s, const cpu_set_t *all)
{
	const unsigned int thread = random_below(&s->random, s->threads);
	const pid_t id = atomic_load(&s->id[thread]);
	const size_t at = draw_cpu(s, all);
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(at, &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	if (id)
		sched_setaffinity(id, sizeof(one), &one);
	hold(s, draw_us(s, LONGEST));
	if (id)
		sched_setaffinity(id, sizeof(*all), all);
}

static void *stall_threads(void *arg)
{
	const struct sched_param high = {.sched_priority = 1};
	struct stalls *s = arg;
	cpu_set_t all;

	if (sched_getaffinity(0, sizeof(all), &all))
		return NULL;
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &high);
	for (unsigned int i = 0; i < s->times && !atomic_load(&s->over); i++) {
		nap_us(draw_us(s, RAREST));
		stall(s, &all);
	}
	return NULL;
}

void stalls_begin(struct stalls *s, const struct schedule_args *in,
		  unsigned int threads)
{
	memset(s, 0, sizeof(*s));
	s->random = random_seeded(in->seed ^ UINT32_MAX);
	s->threads = threads;
	s->times = in->stalls < STALLS ? in->stalls : STALLS;
	s->begun =
		s->times && !pthread_create(&s->thread, NULL, stall_threads, s);
}

void stalls_enter(struct stalls *s, unsigned int thread)
{
	atomic_store(&s->id[thread], gettid());
}

void stalls_leave(struct stalls *s, unsigned int thread)
{
	atomic_store(&s->id[thread], 0);
}

void stalls_end(struct stalls *s)
{
	atomic_store(&s->over, true);
	if (s->begun)
		pthread_join(s->thread, NULL);
}

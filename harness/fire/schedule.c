// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs threads by priorities, or all at once with random delays.
 */
#include <sched.h>
#include <string.h>
#include "contract/random.h"
#include "fire/schedule.h"
#include "program/repro/parts/time.h"

enum {
	MEET_SPINS = 20000, /* until a pair gives up to meet */
	SPINS = 2000,
	SLEEP_US = 200,
	NAP_US = 20000, /* the longest nap */
	NO_THREAD = -1
};

static void draw_points(uint64_t *random, unsigned int point[FIRE_POINTS],
			unsigned int n, unsigned int calls)
{
	for (unsigned int i = 0; i < FIRE_POINTS; i++)
		point[i] = i < n ? 1 + random_below(random, calls) : 0;
}

/* Gives each thread a priority of its own. */
static void draw_priorities(struct schedule *s, uint64_t *random)
{
	for (unsigned int i = 0; i < s->threads; i++)
		s->priority[i] = (int)i;
	for (unsigned int i = s->threads; i > 1; i--) {
		unsigned int with = random_below(random, i);
		int kept = s->priority[i - 1];

		s->priority[i - 1] = s->priority[with];
		s->priority[with] = kept;
	}
}

void schedule_init(struct schedule *s, const struct schedule_args *in,
		   unsigned int threads, unsigned int calls)
{
	uint64_t random = random_seeded(in->seed);

	memset(s, 0, sizeof(*s));
	s->in = *in;
	s->threads = threads;
	s->calls = calls;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->turn, NULL);
	s->pair[0] = s->pair[1] = NO_THREAD;
	draw_priorities(s, &random);
	draw_points(&random, s->change, in->changes, calls);
	draw_points(&random, s->overlap, in->overlaps, calls);
	for (unsigned int i = 0; i < threads; i++)
		s->random[i] = random_seeded(random_next(&random));
}

void schedule_end(struct schedule *s)
{
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->turn);
}

static bool is_point(const unsigned int point[FIRE_POINTS], unsigned int at)
{
	for (int i = 0; i < FIRE_POINTS; i++)
		if (point[i] == at)
			return true;
	return false;
}

/* Returns the waiting thread of the highest priority, but `but`. */
static int next_thread(const struct schedule *s, int but)
{
	int best = NO_THREAD;

	for (unsigned int i = 0; i < s->threads; i++)
		if ((int)i != but && s->is[i] == SCHEDULE_WAITS &&
		    (best < 0 || s->priority[i] > s->priority[best]))
			best = (int)i;
	return best;
}

static bool any_runs(const struct schedule *s)
{
	for (unsigned int i = 0; i < s->threads; i++)
		if (s->is[i] == SCHEDULE_RUNS)
			return true;
	return false;
}

/* Lets the next thread run, unless one does. */
static void pass_turn(struct schedule *s)
{
	int next = any_runs(s) ? NO_THREAD : next_thread(s, NO_THREAD);

	if (next < 0)
		return;
	s->is[next] = SCHEDULE_RUNS;
	pthread_cond_broadcast(&s->turn);
}

static void await_turn(struct schedule *s, unsigned int thread)
{
	s->is[thread] = SCHEDULE_WAITS;
	pass_turn(s);
	while (s->is[thread] != SCHEDULE_RUNS)
		pthread_cond_wait(&s->turn, &s->lock);
}

void schedule_begin(struct schedule *s, unsigned int thread)
{
	pthread_mutex_lock(&s->lock);
	s->is[thread] = SCHEDULE_WAITS;
	s->arrived++;
	if (s->arrived == s->threads && s->in.serial)
		pass_turn(s);
	pthread_cond_broadcast(&s->turn);
	while (s->arrived < s->threads ||
	       (s->in.serial && s->is[thread] != SCHEDULE_RUNS))
		pthread_cond_wait(&s->turn, &s->lock);
	s->began[thread] = true;
	pthread_mutex_unlock(&s->lock);
}

void schedule_give_up(struct schedule *s, unsigned int threads)
{
	pthread_mutex_lock(&s->lock);
	s->threads = threads;
	if (s->arrived == threads && s->in.serial)
		pass_turn(s);
	pthread_cond_broadcast(&s->turn);
	pthread_mutex_unlock(&s->lock);
}

static void spin(unsigned int times)
{
	for (volatile unsigned int i = 0; i < times; i++)
		;
}

static void delay(struct schedule *s, unsigned int thread)
{
	uint64_t *random = &s->random[thread];

	switch (random_below(random, 8)) {
	case 0:
		nap_us(1 + random_below(random, SLEEP_US));
		break;
	case 1:
	case 2:
		sched_yield();
		break;
	case 3:
	case 4:
		spin(random_below(random, SPINS));
		break;
	default:
		break;
	}
}

/* The thread and the next one make their next calls at the same time. */
static void pair_up(struct schedule *s, unsigned int thread)
{
	int next = next_thread(s, (int)thread);

	if (next < 0)
		return;
	s->pair[0] = (int)thread;
	s->pair[1] = next;
	atomic_store(&s->met, 0);
	s->is[next] = SCHEDULE_RUNS;
	pthread_cond_broadcast(&s->turn);
}

/* A thread has the turn already when it comes to its first point. */
static void take_turn(struct schedule *s, unsigned int thread)
{
	bool first = s->began[thread];

	s->points++;
	s->began[thread] = false;
	if (!first && (s->pair[0] == (int)thread || s->pair[1] == (int)thread))
		s->pair[0] = s->pair[1] = NO_THREAD;
	if (is_point(s->change, s->points)) {
		s->priority[thread] = --s->lowest;
		first = false;
	}
	if (!first)
		await_turn(s, thread);
	if (s->pair[0] < 0 && is_point(s->overlap, s->points))
		pair_up(s, thread);
}

void schedule_point(struct schedule *s, unsigned int thread)
{
	if (!s->in.serial) {
		delay(s, thread);
		return;
	}
	pthread_mutex_lock(&s->lock);
	take_turn(s, thread);
	pthread_mutex_unlock(&s->lock);
}

/* In a serial schedule a nap lets all other threads go first. */
void schedule_nap(struct schedule *s, unsigned int thread,
		  const struct nap_args *in)
{
	if (!s->in.serial) {
		for (uint32_t i = 0; i < in->yields && i < SPINS; i++)
			sched_yield();
		if (in->us)
			nap_us(in->us < NAP_US ? in->us : NAP_US);
		return;
	}
	pthread_mutex_lock(&s->lock);
	s->priority[thread] = --s->lowest;
	await_turn(s, thread);
	pthread_mutex_unlock(&s->lock);
}

void schedule_leave(struct schedule *s, unsigned int thread)
{
	if (!s->in.serial)
		return;
	pthread_mutex_lock(&s->lock);
	s->is[thread] = SCHEDULE_ENDED;
	for (int i = 0; i < 2; i++)
		if (s->pair[i] == (int)thread)
			s->pair[0] = s->pair[1] = NO_THREAD;
	pass_turn(s);
	pthread_mutex_unlock(&s->lock);
}

static bool is_paired(struct schedule *s, unsigned int thread)
{
	bool paired;

	pthread_mutex_lock(&s->lock);
	paired = s->pair[0] == (int)thread || s->pair[1] == (int)thread;
	pthread_mutex_unlock(&s->lock);
	return paired;
}

void schedule_meet(struct schedule *s, unsigned int thread)
{
	if (!s->in.serial || !s->in.overlaps || !is_paired(s, thread))
		return;
	atomic_fetch_add(&s->met, 1);
	for (unsigned int i = 0; i < MEET_SPINS && atomic_load(&s->met) < 2;
	     i++)
		if (i % 64 == 63)
			sched_yield();
	spin(random_below(&s->random[thread], SPINS));
}

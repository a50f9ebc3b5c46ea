/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs the threads of a reproducer all at once, with random delays between
 * their calls, in many rounds: each is a process of its own, since what threads
 * did cannot be undone.
 */
#pragma once
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program/repro/parts/time.h"
/* library: -pthread */

/* part: nap_for */
static inline void nap_for(unsigned int us, unsigned int yields)
{
	while (yields--)
		sched_yield();
	if (us)
		nap_us((long)us);
}

/* part: usable USABLE use_object leave_object */
/* An object that a thread destroys while others may use it. */
struct usable {
	pthread_rwlock_t lock;
	bool gone;
};

#define USABLE                                                                 \
	{                                                                      \
		.lock = PTHREAD_RWLOCK_INITIALIZER                             \
	}

/* Returns false if the object is gone. Else no thread destroys it before
 * leave_object(). */
static inline bool use_object(struct usable *g)
{
	pthread_rwlock_rdlock(&g->lock);
	if (!g->gone)
		return true;
	pthread_rwlock_unlock(&g->lock);
	return false;
}

static inline void leave_object(struct usable *g)
{
	pthread_rwlock_unlock(&g->lock);
}

/* part: end_object */
/* The same for the thread that destroys the object. */
static inline bool end_object(struct usable *g)
{
	bool gone;

	pthread_rwlock_wrlock(&g->lock);
	gone = g->gone;
	g->gone = true;
	if (gone)
		pthread_rwlock_unlock(&g->lock);
	return !gone;
}

/* part: begin_round pause_a_while run_threads */
#define ROUND_SECONDS 60
#define THREADS_MOST  16

typedef void *thread_fn(void *seed);

static unsigned int rounds = 200, round_number;

/* Sleeps, yields or goes on, as the seed says. */
static inline void pause_a_while(unsigned int *seed)
{
	unsigned int drawn = (unsigned int)rand_r(seed);

	if (drawn % 4 == 0)
		sched_yield();
	else if (drawn % 4 == 1)
		nap_us((long)(drawn / 4 % 200));
}

static inline void run_threads(thread_fn *const *fn, unsigned int n,
			       unsigned int seed)
{
	unsigned int seeds[THREADS_MOST];
	pthread_t thread[THREADS_MOST];
	unsigned int begun = 0;

	for (unsigned int i = 0; i < n; i++) {
		seeds[i] = seed + 977 * round_number + i;
		if (pthread_create(&thread[i], NULL, fn[i], &seeds[i]))
			break;
		begun++;
	}
	for (unsigned int i = 0; i < begun; i++)
		pthread_join(thread[i], NULL);
	if (begun < n) {
		puts("cannot begin all threads");
		exit(2);
	}
}

/* Prints what a round has printed. */
static inline void show_round(FILE *text)
{
	int c;

	rewind(text);
	while ((c = getc(text)) != EOF)
		putchar(c);
	fflush(stdout);
}

/* Begins a process for each round, one after the other, and returns in each of
 * them. The first round that does not end well ends the program. Its text is
 * shown, and that of the first round. */
static inline void begin_round(void)
{
	for (; round_number < rounds; round_number++) {
		FILE *text = tmpfile();
		int status = 0;
		pid_t pid;

		if (!text) {
			perror("tmpfile");
			exit(2);
		}
		pid = fork();
		if (!pid) {
			dup2(fileno(text), STDOUT_FILENO);
			alarm(ROUND_SECONDS);
			return;
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0) {
			perror("fork");
			exit(2);
		}
		if (status || !round_number)
			show_round(text);
		fclose(text);
		if (WIFSIGNALED(status))
			printf("round %u was ended by signal %d%s\n",
			       round_number, WTERMSIG(status),
			       WTERMSIG(status) == SIGALRM
				       ? ": a call does not return"
				       : "");
		if (status)
			exit(WIFSIGNALED(status) ? 1 : WEXITSTATUS(status));
	}
	printf("%u rounds; what they did to the kernel is in its log\n",
	       rounds);
	exit(0);
}

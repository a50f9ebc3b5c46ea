/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Watches one worker process until it ends, stalls, or the user stops the run.
 */
#ifndef IBVET_WATCH_H
#define IBVET_WATCH_H

#include <sys/types.h>
#include "supervise/kernel_stack.h"
#include "supervise/recorder.h"

/* Exit statuses of a worker that no sanitizer and no shell gives. */
#define CHILD_DONE    0
#define CHILD_GAVE_UP 91 /* the recorder says why */

#define WATCH_TICK_MS 100
#define WATCH_OPEN_MS 30000 /* a driver or another host may be slow */

/* How a worker process ended. Its exit status or signal is in watch.status. */
enum watch_end {
	WATCH_DONE,    /* exited with CHILD_DONE */
	WATCH_GAVE_UP, /* exited with CHILD_GAVE_UP, or did not start */
	WATCH_EXITED,  /* exited with another status */
	WATCH_SIGNALLED,
	WATCH_STALLED, /* no progress in time: killed */
	WATCH_STUCK,   /* SIGKILL did not end it */
};

/* The time since a worker's last progress. */
struct idle_time {
	uint64_t progress; /* the recorder's, at that time */
	uint64_t ms;
	/* At the last look: the clock, and ms without a processor */
	uint64_t looked_us, held_up; /* looked_us: 0 if there was none */
	uint64_t unlooked_ms;	     /* of ticks since then */
};

struct watch {
	struct recorder *recorder;
	unsigned int timeout_ms;
	int signals;	  /* signalfd of SIGINT, SIGTERM, SIGHUP */
	bool interrupted; /* the user sent such a signal */
	bool at_once;	  /* the user sent a second one */
	pid_t pid;	  /* the worker */
	int pidfd;	  /* readable once the worker has ended */
	struct idle_time idle;
	int status;		      /* exit status or signal of the worker */
	char stack[KERNEL_STACK_LEN]; /* kernel stack of a hung worker, or "" */
	bool uninterruptible;	      /* the hung worker was, in that stack */
	void (*tick)(void *arg);      /* called a few times a second */
	void *arg;
};

/* Blocks SIGINT, SIGTERM and SIGHUP. Returns a signalfd for them, or -errno. */
int watch_signals(void);
/* Unblocks these signals: from here on they end the process. */
void watch_unblock_signals(void);
/* Takes note of a signal that came while there was no worker. Does not wait. */
void watch_read_signals(struct watch *w);
/* Watches a child process until it ends or has to be killed. */
enum watch_end watch_worker(struct watch *w, pid_t pid);

/* The parts of watch_worker(), for a caller that watches several workers:
 * watch_begin(), then watch_look() once a tick until it returns true. */
void watch_begin(struct watch *w, pid_t pid);
/* Returns the length in ms of a tick that began at now_us() == since_us. A long
 * tick, as of a suspended machine, counts as a short one. */
unsigned int watch_tick_length(uint64_t since_us);
/* Returns true if the worker has ended, or had to be killed. */
bool watch_look(struct watch *w, unsigned int tick_ms, enum watch_end *end);
/* The worker has nothing to do: the time until now is not idle time. */
void watch_rest(struct watch *w);

#endif

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

/* How a worker process ended. Its exit status or signal is in watch.status. */
enum watch_end {
	WATCH_DONE,    /* exited: nothing is left to do */
	WATCH_GAVE_UP, /* exited, or never started: the recorder says why */
	WATCH_EXITED,  /* with another status */
	WATCH_SIGNALLED,
	WATCH_STALLED, /* no progress in time: killed */
	WATCH_STUCK,   /* SIGKILL did not end it */
};

struct watch {
	struct recorder *recorder;
	unsigned int timeout_ms;
	int signals;		      /* signalfd of SIGINT, SIGTERM, SIGHUP */
	bool interrupted;	      /* such a signal came */
	bool at_once;		      /* a second one */
	pid_t pid;		      /* the worker */
	int status;		      /* exit status or signal */
	char stack[KERNEL_STACK_LEN]; /* of one that hung, where readable */
	bool uninterruptible;	      /* it was, there */
	void (*tick)(void *arg);      /* a few times a second */
	void *arg;
};

/* Blocks these signals; a descriptor that tells of them, or -errno. */
int watch_signals(void);
/* From here on they end the process, as is usual. */
void watch_no_more(void);
/* Has a signal come while there was no worker? It does not wait for one. */
void watch_hear(struct watch *w);
enum watch_end watch_worker(struct watch *w, pid_t pid);

#endif

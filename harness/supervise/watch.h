/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Watches one worker process until it ends, stalls, or the user stops the run.
 */
#ifndef IBVET_WATCH_H
#define IBVET_WATCH_H

#include <sys/types.h>
#include "supervise/kernel_stack.h"
#include "supervise/recorder.h"

enum watch_end {
	WATCH_EXITED,
	WATCH_SIGNALLED,
	WATCH_STALLED, /* no progress in time: killed */
	WATCH_STUCK,   /* not even that ended it */
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

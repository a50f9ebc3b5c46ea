/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Starts a process that makes calls on a device, and turns its death into a
 * verdict for the program that it ran.
 */
#ifndef IBVET_CHILD_H
#define IBVET_CHILD_H

#include "judge/judge.h"
#include "supervise/watch.h"

/* Processes that SIGKILL does not end; each keeps its objects for good. */
#define CHILD_STUCK_MAX 8
#define CHILD_END_LEN	(KERNEL_STACK_LEN + 100)

/* Calls fork(). On failure returns -1, with the reason in the recorder. The
 * child is killed when its parent dies. */
pid_t child_start(struct recorder *r);
/* Runs run(arg) in a child, which exits with the status that run() returns, and
 * watches the child to its end. */
enum watch_end child_run(struct watch *w, int (*run)(void *arg), void *arg);
/* Prints how the child ended. CHILD_END_LEN is room enough. */
void child_describe(const struct watch *w, enum watch_end end, char *buf,
		    size_t len);
/* Judges the program that the child was running when it died. */
void child_judge(const struct watch *w, enum watch_end end,
		 struct judgement *judged);
/* Reads the kernel log. A report in it makes the case crashed or hung, whatever
 * the calls returned. */
void child_hear_kernel(struct recorder *r, struct judgement *judged);
/* What the workers of a run have cost so far */
struct child_losses {
	int idle;  /* workers in a row that died without progress */
	int stuck; /* workers left behind in the kernel */
};

/* Decides whether a worker may follow one that died. Returns 0, or an enum
 * run_exit with one line in the recorder. */
int child_may_follow(struct recorder *r, struct child_losses *losses,
		     const char *how, bool progress);
/* Prints the call that never returned. Returns false if none was under way. */
bool child_call_under_way(const struct recorder *r, char *buf, size_t len);

#endif

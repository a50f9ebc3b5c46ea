/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A process that makes calls on a device, and may die of them: how it is
 * started, and what its end means for the program that it ran.
 */
#ifndef IBVET_CHILD_H
#define IBVET_CHILD_H

#include "judge/judge.h"
#include "supervise/watch.h"

#define CHILD_STUCK_MAX 8 /* each holds its objects for good */
#define CHILD_END_LEN	(KERNEL_STACK_LEN + 100)

/* Calls fork(). On failure returns -1, with the reason in the recorder. The
 * child is killed when its parent dies. */
pid_t child_start(struct recorder *r);
/* Runs run(arg) in a child, which exits with the status that run() returns, and
 * watches the child to its end. */
enum watch_end child_run(struct watch *w, int (*run)(void *arg), void *arg);
/* An enum run_exit, of a run whose device, or what goes with it, cannot be
 * opened: what was asked for, or this machine? */
int opening_exit(int ret);
/* How it ended, in words of at most CHILD_END_LEN. */
void child_describe(const struct watch *w, enum watch_end end, char *buf,
		    size_t len);
/* The verdict that a child which died leaves for its program. */
void child_judge(const struct watch *w, enum watch_end end,
		 struct judgement *judged);
/* A report of the kernel decides, whatever the calls came back with. */
void child_hear_kernel(struct recorder *r, struct judgement *judged);
/* The call that never returned, as text; false: none was under way. */
bool call_under_way(const struct recorder *r, char *buf, size_t len);

#endif

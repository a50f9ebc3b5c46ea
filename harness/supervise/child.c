/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides the verdict of a program whose process died, from the recorder, the
 * exit status or signal, and the kernel log.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "supervise/child.h"

#define IDLE_MAX 3

/* In the child: the kernel kills a worker, not the supervisor, if the machine
 * has no memory left. */
static void volunteer_for_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		errno = 0; /* the kernel chooses */
	close(fd);
}

/* In the child: asks for SIGKILL when the parent dies. The child closes the
 * lock on the run's folder, so that a child stuck in the kernel does not hold
 * it. */
static void become_worker(pid_t parent, struct recorder *r)
{
	if (r->lock >= 0)
		close(r->lock);
	fault_location_note(r->fault_location);
	volunteer_for_oom();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(CHILD_GAVE_UP);
}

pid_t child_start(struct recorder *r)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	r->error[0] = '\0';
	r->fault_location[0] = '\0';
	pid = fork();
	if (pid < 0)
		snprintf(r->error, sizeof(r->error),
			 "cannot start a worker: %s", strerror(errno));
	if (!pid)
		become_worker(parent, r);
	return pid;
}

enum watch_end child_run(struct watch *w, int (*run)(void *arg), void *arg)
{
	pid_t pid = child_start(w->recorder);

	if (pid < 0)
		return WATCH_GAVE_UP;
	if (!pid)
		_exit(run(arg));
	return watch_worker(w, pid);
}

static const char *signal_name(int sig, char *buf, size_t len)
{
	const char *name = sigabbrev_np(sig);

	if (name)
		snprintf(buf, len, "SIG%s", name);
	else
		snprintf(buf, len, "signal %d", sig);
	return buf;
}

void child_describe(const struct watch *w, enum watch_end end, char *buf,
		    size_t len)
{
	const char *in = w->recorder->fault_location;
	char name[32];

	switch (end) {
	case WATCH_DONE:
	case WATCH_GAVE_UP:
	case WATCH_EXITED:
		snprintf(buf, len, "the worker exited with status %d",
			 w->status);
		return;
	case WATCH_SIGNALLED:
		snprintf(buf, len, "the worker was killed by %s%s%s",
			 signal_name(w->status, name, sizeof(name)),
			 in[0] ? " in code of " : "", in);
		return;
	case WATCH_STALLED:
		snprintf(buf, len, "no progress for %.4g s%s%s",
			 w->timeout_ms / 1000.0,
			 w->stack[0] ? ", blocked in the kernel in " : "",
			 w->stack);
		return;
	case WATCH_STUCK:
		snprintf(buf, len,
			 "no progress for %.4g s, and SIGKILL does not end the "
			 "worker%s%s",
			 w->timeout_ms / 1000.0,
			 w->stack[0] ? ", blocked in the kernel in " : "",
			 w->stack);
		return;
	}
}

int child_may_follow(struct recorder *r, struct child_losses *losses,
		     const char *how, bool progress)
{
	losses->idle = progress ? 0 : losses->idle + 1;
	if (losses->idle >= IDLE_MAX)
		return recorder_broken(
			r, "worker after worker ends without progress: %s",
			how);
	if (losses->stuck >= CHILD_STUCK_MAX)
		return recorder_broken(
			r, "too many workers are stuck in the kernel: %s", how);
	return 0;
}

bool child_call_under_way(const struct recorder *r, char *buf, size_t len)
{
	int begun = r->begun;

	if (begun == r->returned || begun == 0)
		return false;
	bound_print(&r->program, &r->call[begun - 1].bound, buf, len);
	return true;
}

/* A driver that uses a socket may cause SIGPIPE, which no memory explains. */
static const char *place_of_signal(const struct watch *w)
{
	return w->status == SIGPIPE ? "SIGPIPE" : w->recorder->fault_location;
}

/* Fills judged->where, which tells one death from another: the library whose
 * code faulted, SIGPIPE, or the kernel function that does not return. */
static void tell_where(const struct watch *w, enum watch_end end,
		       struct judgement *judged)
{
	size_t len = strcspn(w->stack, " ");

	if (end == WATCH_SIGNALLED)
		snprintf(judged->where, sizeof(judged->where), "%s",
			 place_of_signal(w));
	else if (w->uninterruptible &&
		 (end == WATCH_STALLED || end == WATCH_STUCK))
		snprintf(judged->where, sizeof(judged->where), "%.*s", (int)len,
			 w->stack);
}

/* Returns true if the call under way is made on the other host: this process
 * only waits for it. */
static bool call_is_far(const struct recorder *r)
{
	return r->begun > r->returned && r->call[r->begun - 1].bound.far;
}

/* Returns true if the kernel has killed the worker because memory ran out. That
 * is no fault of the device. */
static bool is_starved(const struct watch *w, enum watch_end end)
{
	struct kernel_log *log = &w->recorder->kernel;

	if (end != WATCH_SIGNALLED || w->status != SIGKILL)
		return false;
	kernel_log_read(log);
	return log->starved && log->starved == w->pid;
}

static void judge_starved(struct judgement *judged)
{
	judged->verdict = VERDICT_INCONCLUSIVE;
	snprintf(judged->expected, sizeof(judged->expected),
		 "memory for the case");
	snprintf(judged->observed, sizeof(judged->observed),
		 "the kernel killed the worker: out of memory; --jobs 1 needs "
		 "the least");
}

void child_judge(const struct watch *w, enum watch_end end,
		 struct judgement *judged)
{
	struct recorder *r = w->recorder;
	bool hung = end == WATCH_STALLED || end == WATCH_STUCK;
	char how[CHILD_END_LEN], call[360];

	*judged = (struct judgement){
		.verdict = hung ? VERDICT_HUNG : VERDICT_CRASHED,
		.call = r->begun > r->returned ? r->begun - 1 : -1,
	};
	tell_where(w, end, judged);
	child_describe(w, end, how, sizeof(how));
	if (hung && call_is_far(r))
		snprintf(how, sizeof(how),
			 "the peer made no progress for %.4g s",
			 w->timeout_ms / 1000.0);
	if (child_call_under_way(r, call, sizeof(call)))
		snprintf(judged->observed, sizeof(judged->observed),
			 "%s in: %.200s", how, call);
	else
		snprintf(judged->observed, sizeof(judged->observed), "%s %s",
			 how,
			 r->begun < r->program.ncalls ? "between two calls"
						      : "after the last call");
	snprintf(judged->expected, sizeof(judged->expected),
		 "every call returns");
	if (is_starved(w, end))
		judge_starved(judged);
}

/* Replaces the verdict by what the kernel log says. */
static void blame_kernel_report(struct judgement *judged,
				enum kernel_class found, const char *says)
{
	char own[300] = "";

	if (judged->verdict == VERDICT_DEVIATES)
		snprintf(own, sizeof(own),
			 "; and the calls deviate: expected %.100s, observed "
			 "%.100s",
			 judged->expected, judged->observed);
	judged->report_alone = judged->verdict == VERDICT_PASS ||
			       judged->verdict == VERDICT_NON_STRICT;
	judged->verdict = found == KERNEL_HANG ? VERDICT_HUNG : VERDICT_CRASHED;
	judged->call = -1;
	snprintf(judged->expected, sizeof(judged->expected),
		 "nothing to report in the kernel log");
	snprintf(judged->observed, sizeof(judged->observed), "%.200s%s", says,
		 own);
}

void child_hear_kernel(struct recorder *r, struct judgement *judged)
{
	char says[KERNEL_LINE + 64], own[200];

	if (judged->verdict == VERDICT_UNSUPPORTED ||
	    judged->verdict == VERDICT_HOST_LOST)
		return;
	kernel_log_read(&r->kernel);
	kernel_log_says(&r->kernel, says, sizeof(says));
	if (!says[0])
		return;
	snprintf(own, sizeof(own), "%.199s", judged->observed);
	if (verdict_is_death(judged->verdict))
		snprintf(judged->observed, sizeof(judged->observed), "%s; %s",
			 says, own);
	else
		blame_kernel_report(judged, r->kernel.found, says);
}

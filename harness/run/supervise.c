/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A worker that dies inside a case gives that case its verdict, and the next
 * worker goes on behind it. Workers that die outside any case, one after the
 * other, are a failure of the harness.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "run/supervise.h"

#define PROBE_MS    30000 /* a driver may be slow to open */
#define IDLE_DEATHS 3
#define STUCK_MAX   8 /* each holds its objects for good */
#define END_LEN	    (KERNEL_STACK_LEN + 100)

struct deaths {
	int idle;  /* in a row, outside any case */
	int stuck; /* workers left behind in the kernel */
};

/* In the child: die with the parent. */
static void become_worker(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(WORKER_GAVE_UP);
}

static pid_t start(struct recorder *r)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	r->busy = false;
	r->error[0] = '\0';
	pid = fork();
	if (pid < 0)
		snprintf(r->error, sizeof(r->error),
			 "cannot start a worker: %s", strerror(errno));
	if (!pid)
		become_worker(parent);
	return pid;
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

static void describe_end(const struct watch *w, enum watch_end end, char *buf,
			 size_t len)
{
	char name[32];

	switch (end) {
	case WATCH_EXITED:
		snprintf(buf, len, "the worker exited with status %d",
			 w->status);
		return;
	case WATCH_SIGNALLED:
		snprintf(buf, len, "the worker was killed by %s",
			 signal_name(w->status, name, sizeof(name)));
		return;
	case WATCH_STALLED:
		snprintf(buf, len, "nothing came for %.4g s%s%s",
			 w->timeout_ms / 1000.0,
			 w->stack[0] ? " while the kernel was in " : "",
			 w->stack);
		return;
	case WATCH_STUCK:
		snprintf(buf, len,
			 "nothing came for %.4g s, and the worker, stuck in "
			 "the kernel%s%s, cannot be killed",
			 w->timeout_ms / 1000.0, w->stack[0] ? " in " : "",
			 w->stack);
		return;
	}
}

/* The verdict that a dead worker leaves for the case it was in. */
static int end_for_worker(struct watch *w, struct work *work,
			  enum watch_end end)
{
	struct recorder *r = w->recorder;
	bool hung = end == WATCH_STALLED || end == WATCH_STUCK;
	struct judgement judged = {
		.verdict = hung ? VERDICT_HUNG : VERDICT_CRASHED,
		.call = r->begun > r->returned ? r->begun - 1 : -1,
	};
	char how[END_LEN], call[360];

	describe_end(w, end, how, sizeof(how));
	if (call_under_way(r, call, sizeof(call)))
		snprintf(judged.observed, sizeof(judged.observed),
			 "%s in: %.200s", how, call);
	else
		snprintf(judged.observed, sizeof(judged.observed), "%s %s", how,
			 r->begun < r->program.ncalls ? "between two calls"
						      : "after the last call");
	snprintf(judged.expected, sizeof(judged.expected),
		 "every call returns");
	return ending_write(work->ending, &judged, r->error, sizeof(r->error));
}

static int broken(struct recorder *r, const char *what)
{
	if (!r->error[0])
		snprintf(r->error, sizeof(r->error), "%s", what);
	r->exit = RUN_BROKEN;
	return RUN_BROKEN;
}

/* The journal as the dead worker left it, a torn last line closed off. */
static int reopen(struct work *work, struct recorder *r)
{
	struct journal *j = work->ending->journal;

	journal_close(j);
	return journal_append(j, work->ending->dir, r->error, sizeof(r->error));
}

/* 0: start the next worker. */
static int after_death(struct watch *w, struct work *work, enum watch_end end,
		       struct deaths *deaths)
{
	struct recorder *r = w->recorder;
	uint64_t next = r->number + 1;
	char how[END_LEN];

	describe_end(w, end, how, sizeof(how));
	if (!r->busy && ++deaths->idle >= IDLE_DEATHS)
		return broken(r, how);
	if (reopen(work, r))
		return broken(r, "");
	if (r->busy) {
		deaths->idle = 0;
		if (end_for_worker(w, work, end))
			return broken(r, "");
	}
	if (r->done && next >= work->standing.next) {
		work->standing.next = next;
		work->standing.lost = false;
		snprintf(work->standing.last_id, CASE_ID_LEN, "%s",
			 r->current.id);
	}
	if (end != WATCH_STUCK)
		return 0;
	kernel_log_leave(&r->kernel, w->pid);
	if (++deaths->stuck >= STUCK_MAX)
		return broken(r, how);
	return 0;
}

static int one_worker(struct watch *w, struct work *work, struct deaths *deaths)
{
	struct recorder *r = w->recorder;
	enum watch_end end;
	pid_t pid = start(r);

	if (pid < 0)
		return broken(r, "");
	if (!pid)
		_exit(worker_run(work));
	end = watch_worker(w, pid);
	if (end == WATCH_EXITED && w->status == WORKER_DONE) {
		work->standing.done = true;
		return 0;
	}
	if (end == WATCH_EXITED && w->status == WORKER_GAVE_UP)
		return r->exit ? r->exit : broken(r, "the worker gave up");
	return after_death(w, work, end, deaths);
}

/* What the kernel says of the closing of the device belongs to no case of
 * the generators: it gets one of its own. */
static int end_close(struct work *work, struct recorder *r)
{
	struct judgement judged = {.verdict = VERDICT_PASS, .call = -1};
	const struct test_case closing = {
		.id = CLOSE_ID,
		.sentence = "When the device is closed after the last case, "
			    "the kernel has nothing to report.",
	};

	recorder_begin(r, NO_NUMBER, &closing);
	kernel_log_read(&r->kernel);
	r->busy = false;
	if (!r->kernel.found)
		return 0;
	if (reopen(work, r) ||
	    ending_write(work->ending, &judged, r->error, sizeof(r->error)))
		return broken(r, "");
	return 0;
}

int supervise_run(struct watch *w, struct work *work)
{
	struct recorder *r = w->recorder;
	const int log = r->kernel.fd;
	struct deaths deaths = {0};
	int ret = 0;

	if (!r->live)
		r->kernel.fd = -1; /* the model has no kernel */
	while (!ret && !work->standing.done && !w->interrupted) {
		ret = reopen(work, w->recorder) ? broken(w->recorder, "")
						: one_worker(w, work, &deaths);
		work->announce = false;
	}
	/* A worker that died may have left it cut. */
	if (r->live)
		link_heal(work->options->target.link);
	if (!ret && work->standing.done)
		ret = end_close(work, r);
	r->kernel.fd = log;
	return ret;
}

int supervise_probe(struct watch *w, const struct run_options *o,
		    const char *target)
{
	struct watch patient = *w;
	struct recorder *r = w->recorder;
	enum watch_end end;
	char how[END_LEN], says[KERNEL_LINE + 64];
	pid_t pid;

	kernel_log_forget(&r->kernel);
	pid = start(r);
	if (pid < 0)
		return broken(r, "");
	if (!pid)
		_exit(worker_probe(o, target, r));
	if (patient.timeout_ms < PROBE_MS)
		patient.timeout_ms = PROBE_MS;
	end = watch_worker(&patient, pid);
	w->interrupted = patient.interrupted;
	if (end == WATCH_EXITED && patient.status == WORKER_GAVE_UP)
		return r->exit;
	if (end != WATCH_EXITED || patient.status != WORKER_DONE || r->live)
		kernel_log_read(&r->kernel);
	if (end == WATCH_EXITED && patient.status == WORKER_DONE)
		return 0;
	describe_end(&patient, end, how, sizeof(how));
	kernel_log_says(&r->kernel, says, sizeof(says));
	snprintf(r->error, sizeof(r->error), "%s: cannot be opened: %s%s%s",
		 target, how, says[0] ? "; " : "", says);
	r->exit = RUN_BROKEN;
	return RUN_BROKEN;
}

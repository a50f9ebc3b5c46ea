/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A worker that dies inside a case gives that case its verdict, and the next
 * worker goes on behind it. Workers that die outside any case, one after the
 * other, are a failure of the harness.
 */
#include <stdio.h>
#include <unistd.h>
#include "supervise/child.h"
#include "journal/resume.h"
#include "run/worker_end.h"

#define PROBE_MS    30000 /* a driver may be slow to open */
#define IDLE_DEATHS 3

struct deaths {
	int idle;  /* in a row, outside any case */
	int stuck; /* workers left behind in the kernel */
};

/* The verdict that a dead worker leaves for the case it was in. */
static int end_for_worker(struct watch *w, struct work *work,
			  enum watch_end end)
{
	struct recorder *r = w->recorder;
	struct judgement judged;

	child_judge(w, end, &judged);
	return case_end_write(work->writer, &judged, r->error,
			      sizeof(r->error));
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
	struct journal *j = work->writer->journal;

	journal_close(j);
	return journal_append(j, work->writer->dir, r->error, sizeof(r->error));
}

/* Who stops at once has not learned anything about the case under way. */
static int forget_case(struct work *work)
{
	struct progress_so_far *s = &work->so_far;

	if (s->open != NO_NUMBER)
		journal_cut(work->writer->journal, s->opening);
	return 0;
}

/* The case that the dead worker was in; what it wrote of its end in part is
 * written anew. */
static int end_case(struct watch *w, struct work *work, enum watch_end end)
{
	struct progress_so_far *s = &work->so_far;

	if (s->open == NO_NUMBER || s->open != w->recorder->number)
		return 0;
	journal_cut(work->writer->journal, s->opened);
	s->open = NO_NUMBER;
	return end_for_worker(w, work, end);
}

/* Counts the workers that did nothing but die. */
static bool died_idle(const struct progress_so_far *s, uint64_t ended,
		      struct deaths *deaths)
{
	if (s->open != NO_NUMBER || s->ended != ended)
		deaths->idle = 0;
	else
		deaths->idle++;
	return deaths->idle >= IDLE_DEATHS;
}

/* What is on disk has happened, and nothing else. 0: start the next worker. */
static int after_death(struct watch *w, struct work *work, enum watch_end end,
		       struct deaths *deaths)
{
	struct recorder *r = w->recorder;
	struct progress_so_far *s = &work->so_far;
	const uint64_t ended = s->ended;
	char how[CHILD_END_LEN];

	work->recount = true;
	child_describe(w, end, how, sizeof(how));
	if (reopen(work, r) ||
	    past_follow(s, work->writer->dir, work->writer->t, r->error,
			sizeof(r->error)))
		return broken(r, "");
	if (w->at_once)
		return forget_case(work);
	if (died_idle(s, ended, deaths))
		return broken(r, how);
	if (end_case(w, work, end))
		return broken(r, "");
	if (end != WATCH_STUCK)
		return 0;
	kernel_log_leave(&r->kernel, w->pid);
	if (++deaths->stuck >= CHILD_STUCK_MAX)
		return broken(r, how);
	return 0;
}

static int one_worker(struct watch *w, struct work *work, struct deaths *deaths)
{
	struct recorder *r = w->recorder;
	enum watch_end end;
	pid_t pid = child_start(r);

	work->so_far.read_to = work->writer->journal->size;
	if (pid < 0)
		return broken(r, "");
	if (!pid)
		_exit(worker_run(work));
	end = watch_worker(w, pid);
	if (end == WATCH_EXITED && w->status == CHILD_DONE) {
		work->so_far.done = true;
		return 0;
	}
	if (end == WATCH_EXITED && w->status == CHILD_GAVE_UP)
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
	if (!r->kernel.found)
		return 0;
	if (reopen(work, r) ||
	    case_end_write(work->writer, &judged, r->error, sizeof(r->error)))
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
	while (!ret && !work->so_far.done && !w->interrupted) {
		ret = reopen(work, w->recorder) ? broken(w->recorder, "")
						: one_worker(w, work, &deaths);
		work->announce = false;
	}
	/* A worker that died may have left it cut. */
	if (r->live && link_heal(work->options->target.link))
		ret = broken(r, "--link: the link cannot be healed");
	if (!ret && work->so_far.done)
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
	char how[CHILD_END_LEN], says[KERNEL_LINE + 64];
	pid_t pid;

	kernel_log_forget(&r->kernel);
	pid = child_start(r);
	if (pid < 0)
		return broken(r, "");
	if (!pid)
		_exit(worker_probe(o, target, r));
	if (patient.timeout_ms < PROBE_MS)
		patient.timeout_ms = PROBE_MS;
	end = watch_worker(&patient, pid);
	w->interrupted = patient.interrupted;
	if (end == WATCH_EXITED && patient.status == CHILD_GAVE_UP)
		return r->exit;
	if (end != WATCH_EXITED || patient.status != CHILD_DONE || r->live)
		kernel_log_read(&r->kernel);
	if (end == WATCH_EXITED && patient.status == CHILD_DONE)
		return 0;
	child_describe(&patient, end, how, sizeof(how));
	kernel_log_says(&r->kernel, says, sizeof(says));
	snprintf(r->error, sizeof(r->error), "%s: cannot be opened: %s%s%s",
		 target, how, says[0] ? "; " : "", says);
	r->exit = RUN_BROKEN;
	return RUN_BROKEN;
}

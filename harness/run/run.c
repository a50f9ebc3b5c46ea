/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The steps of a run: options, targets, journal, cases, reports. A target that
 * cannot be opened, or an id that selects no case, ends the run before its
 * folder is made.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "reports/reports.h"
#include "journal/run_folder.h"
#include "journal/journal.h"
#include "run/progress.h"
#include "supervise/pool.h"
#include "journal/resume.h"
#include "run/workers.h"
#include "run/targets.h"

/* Time limit of the quick profile. With the reports a run takes less than a
 * minute. */
#define QUICK_MS   40000
#define TIMEOUT_MS 10000

#define JOBS_VIRTUAL 32
#define JOBS_LIVE    8

struct run_state {
	struct run_options *options;
	char dir[RUN_PATH_LEN];
	struct past past;
	struct journal journal;
	struct recorder *recorder;
	uint64_t began_us, spent_us; /* of the time of the run */
	struct watch watch;
	struct target_names names;
	struct found_target found[RUN_MAX_TARGETS];
	char err[RUN_ERROR_LEN];
};

int run_exit_of_open_error(int ret)
{
	return ret == -EINVAL || ret == -ENOENT || ret == -ENODEV ? RUN_USAGE
								  : RUN_BROKEN;
}

void run_options_init(struct run_options *o)
{
	memset(o, 0, sizeof(*o));
	o->target.gid_index = -1;
	o->target.peer_gid_index = -1;
	o->selection.shard = 1;
	o->selection.shards = 1;
	o->selection.seed = CASE_SEED;
	o->time_ms = TIME_OF_PROFILE;
}

/* Returns the name that begins messages: of `ibvet replay` if there are
 * programs to run, else of `ibvet run`. */
static const char *command_name(const struct run_options *o)
{
	return o->nprograms ? "ibvet replay" : "ibvet run";
}

static int complain(const struct run_state *s, int status)
{
	fprintf(stderr, "%s: %s\n", command_name(s->options), s->err);
	return status;
}

/* Fails only if another ibvet holds the lock. On a file system without locks
 * the run goes on without one. */
static int lock_folder(struct run_state *s)
{
	int fd = run_folder_lock(s->dir, s->err, sizeof(s->err));

	s->recorder->lock = fd;
	return fd == -EBUSY ? fd : 0;
}

static int load_past(struct run_state *s)
{
	struct run_options *o = s->options;
	int ret;

	if (snprintf(s->dir, sizeof(s->dir), "%s", o->resume) >=
	    (int)sizeof(s->dir))
		ret = -ENAMETOOLONG;
	else
		ret = lock_folder(s);
	if (!ret)
		ret = past_read(&s->past, s->dir, s->err, sizeof(s->err));
	if (!ret && event_text(s->past.run, "fuzz")) {
		snprintf(s->err, sizeof(s->err),
			 "%s is of ibvet fuzz: go on with it by ibvet fuzz "
			 "--resume",
			 s->dir);
		ret = -ENOENT;
	}
	if (ret)
		return complain(s, ret == -ENOENT ? RUN_USAGE : RUN_BROKEN);
	for (int t = 0; t < RUN_MAX_TARGETS; t++)
		if (o->retry_lost)
			so_far_retry(&s->past.so_far[t]);
		else
			so_far_settle(&s->past.so_far[t]);
	if (!event_options(s->past.run, o))
		return 0;
	snprintf(s->err, sizeof(s->err),
		 "%s/" JOURNAL_NAME ": its run event cannot be read", s->dir);
	return complain(s, RUN_BROKEN);
}

static int new_journal(struct run_state *s)
{
	int ret = journal_create(&s->journal, s->dir, s->err, sizeof(s->err));

	if (ret == -EEXIST)
		snprintf(s->err, sizeof(s->err),
			 "%s holds a run already: go on with it by --resume "
			 "%s, or choose another folder",
			 s->dir, s->dir);
	if (!ret && journal_add(&s->journal, event_run(s->options))) {
		snprintf(s->err, sizeof(s->err), "no memory");
		ret = -ENOMEM;
	}
	if (!ret)
		ret = journal_flush(&s->journal, true, s->err, sizeof(s->err));
	return ret;
}

static int open_folder(struct run_state *s)
{
	const struct run_options *o = s->options;
	int ret;

	if (o->resume) {
		ret = journal_append(&s->journal, s->dir, s->err,
				     sizeof(s->err));
	} else {
		ret = run_folder_make(o->out, s->dir, sizeof(s->dir), s->err,
				      sizeof(s->err));
		if (!ret)
			ret = lock_folder(s);
		if (!ret)
			ret = new_journal(s);
	}
	if (!ret)
		return 0;
	return complain(s, ret == -EEXIST ? RUN_USAGE : RUN_BROKEN);
}

static void tick(void *arg)
{
	progress_show(arg);
}

/*
 * Without --time only devices have a limit, in the quick profile. The model has
 * none, so that its results do not depend on the speed of the machine.
 */
static bool is_limited(const struct run_state *s, int t)
{
	const struct run_options *o = s->options;

	if (o->time_ms != TIME_OF_PROFILE)
		return o->time_ms > 0;
	return !o->no_fork && !target_is_model(o->device[t]) && !o->nprograms &&
	       o->selection.profile == PROFILE_QUICK;
}

/* Gives a target an equal part of the time that is left. */
static uint64_t deadline(const struct run_state *s, int t)
{
	const struct run_options *o = s->options;
	uint64_t ms = o->time_ms > 0 ? (uint64_t)o->time_ms : QUICK_MS;
	uint64_t left = ms * 1000;
	unsigned int sharers = 0;

	if (!is_limited(s, t))
		return 0;
	left -= s->spent_us < left ? s->spent_us : left;
	for (int i = t; i < o->ndevices; i++)
		sharers +=
			is_limited(s, i) && !so_far_is_done(&s->past.so_far[i]);
	return now_us() + left / sharers;
}

/* On other devices than a model nearly all of the time of a case is waiting. */
unsigned int run_jobs(const struct run_options *o, bool is_virtual, bool live)
{
	unsigned int jobs = o->jobs;

	if (!jobs)
		jobs = is_virtual ? JOBS_VIRTUAL : live ? JOBS_LIVE : 1;
	return jobs < POOL_MAX ? jobs : POOL_MAX;
}

static unsigned int jobs_for(const struct run_options *o,
			     const struct found_target *f)
{
	unsigned int jobs = run_jobs(o, f->info.is_virtual, f->live);

	if (o->no_fork)
		return 1;
	return jobs < f->cases ? jobs : f->cases ? (unsigned int)f->cases : 1;
}

/* Runs the cases of a target. */
static int run_target(struct run_state *s, int t)
{
	struct recorder *r = s->recorder;
	struct run_options *o = s->options;
	struct case_writer writer = {
		.journal = &s->journal,
		.recorder = r,
		.dir = s->dir,
		.target = o->device[t],
		.only_target = o->ndevices == 1,
		.t = t,
		.strict = o->strict,
		.expect = s->found[t].expect,
		.second_expect = s->found[t].second_expect,
		.repros = s->past.so_far[t].repros,
	};
	struct progress progress = {.name = o->device[t],
				    .writer = &writer,
				    .cases = s->found[t].cases};
	struct work work = {.options = o,
			    .writer = &writer,
			    .so_far = s->past.so_far[t],
			    .opening = s->found[t].opening,
			    .jobs = jobs_for(o, &s->found[t]),
			    .resumed = o->resume != NULL};
	uint64_t began = now_us();
	int ret;

	if (so_far_is_done(&work.so_far))
		return 0;
	work.so_far.done = false;
	work.deadline_us = deadline(s, t);
	recorder_reset(r);
	r->live = s->found[t].live;
	r->cases = s->found[t].cases;
	r->kind = s->found[t].kind;
	device_copy(&r->info, &r->second, &s->found[t].info);
	progress_begin(&progress, &work);
	s->watch.tick = tick;
	s->watch.arg = &progress;
	coverage_init(&writer.coverage, true);
	ret = workers_run(&s->watch, &work);
	coverage_free(&writer.coverage);
	progress_clear(&progress);
	s->spent_us += work.deadline_us ? now_us() - began : 0;
	if (ret)
		snprintf(s->err, sizeof(s->err), "%s", r->error);
	return ret;
}

static int run_targets(struct run_state *s)
{
	int ret = 0;

	for (int t = 0; t < s->options->ndevices && !ret; t++)
		if (!s->watch.interrupted)
			ret = run_target(s, t);
	return ret;
}

/* Prints why a run did not end, and how to continue it. */
static int unfinished(const struct run_state *s, int status)
{
	if (status == RUN_USAGE)
		return complain(s, status);
	fprintf(stderr, "%s: %s; go on with: ibvet run --resume %s\n",
		command_name(s->options), s->err[0] ? s->err : "interrupted",
		s->dir);
	return RUN_BROKEN;
}

/* The cases have run. After a failure here --resume writes the reports. */
static int report(struct run_state *s, bool finished)
{
	const struct report_form form = {s->options->form, s->options->verbose};
	int ret, status;

	watch_unblock_signals();
	journal_close(&s->journal);
	ret = report_finish(s->dir, finished, &form, &status, s->err,
			    sizeof(s->err));
	if (ret || !finished)
		return unfinished(s, RUN_BROKEN);
	return status;
}

static void tick_recorder(void *arg)
{
	recorder_tick(arg);
}

static int start_watch(struct run_state *s)
{
	s->recorder = recorder_new();
	s->watch.recorder = s->recorder;
	if (!s->options->no_fork)
		s->watch.signals = watch_signals();
	s->options->selection.tick = tick_recorder;
	s->options->selection.tick_arg = s->recorder;
	if (s->recorder && (s->options->no_fork || s->watch.signals >= 0))
		return 0;
	snprintf(s->err, sizeof(s->err), "cannot watch workers: %s",
		 strerror(s->recorder ? -s->watch.signals : ENOMEM));
	return complain(s, RUN_BROKEN);
}

/* The kernel log stays open until the run ends, across all targets. */
static void open_kernel_log(struct recorder *r)
{
	kernel_log_open(&r->kernel, r->kernel_unread, sizeof(r->kernel_unread));
}

static int run_all(struct run_state *s)
{
	struct run_options *o = s->options;
	int ret = start_watch(s);

	if (!ret && o->resume)
		ret = load_past(s);
	if (ret)
		return ret;
	o->timeout_ms = o->timeout_ms ? o->timeout_ms : TIMEOUT_MS;
	s->watch.timeout_ms = o->timeout_ms;
	open_kernel_log(s->recorder);
	if (targets_find(o, &s->names, &s->watch, s->found, s->err,
			 sizeof(s->err), &ret))
		return complain(s, ret);
	ret = open_folder(s);
	if (ret)
		return ret;
	s->spent_us = now_us() - s->began_us; /* finding the targets */
	ret = run_targets(s);
	if (ret)
		return unfinished(s, ret);
	return s->watch.at_once ? unfinished(s, RUN_BROKEN)
				: report(s, !s->watch.interrupted);
}

int run_execute(struct run_options *o)
{
	struct run_state *s = calloc(1, sizeof(*s));
	int ret;

	if (!s) {
		fprintf(stderr, "%s: no memory\n", command_name(o));
		return RUN_BROKEN;
	}
	s->options = o;
	s->began_us = now_us();
	s->journal.fd = -1;
	past_init(&s->past);
	s->watch.signals = -1;
	ret = run_all(s);
	journal_close(&s->journal);
	targets_free(s->found);
	if (s->watch.signals >= 0)
		close(s->watch.signals);
	if (s->recorder && s->recorder->lock >= 0)
		close(s->recorder->lock);
	if (s->recorder)
		kernel_log_close(&s->recorder->kernel);
	recorder_free(s->recorder);
	if (s->past.run)
		event_options_drop(o);
	json_decref(s->past.run);
	free(s);
	return ret;
}

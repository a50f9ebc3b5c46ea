/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The supervisor of a hunt: opens the device and the folder, runs workers one
 * after the other while there is time, and writes the reports. A worker ends
 * with a finding, because the device has to be opened again, or because the
 * hunt is over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz/hunt/known_deviation.h"
#include "fuzz/hunt/state.h"
#include "fuzz/kcov/kernel_reach.h"
#include "reports/reports.h"
#include "supervise/probe.h"
#include "supervise/supervise.h"
#include "run/progress.h"

enum {
	TIMEOUT_MS = 10000,
	NOTE_US = 5000000,
};

static const char *const names[HUNT_NR] = {"modify", "program", "create",
					   "walk"};

const char *hunt_name(enum hunt_for what)
{
	return names[what];
}

enum hunt_for hunt_by_name(const char *name)
{
	enum hunt_for what = HUNT_MODIFY;

	while (what < HUNT_NR && (!name || strcmp(names[what], name) != 0))
		what++;
	return what;
}

bool hunt_count_if_known(struct hunt_shared *s, const char *key)
{
	for (unsigned int i = 0; i < s->nknown; i++) {
		if (strcmp(s->known[i].key, key) != 0)
			continue;
		s->known[i].times++;
		return true;
	}
	return s->nknown == HUNT_KNOWN_MAX;
}

int hunt_fail(struct hunt *h, int status, const char *what)
{
	if (!h->err[0])
		snprintf(h->err, sizeof(h->err), "%s", what);
	return status;
}

/* --- The device ----------------------------------------------------------- */

/* Runs in the process of the probe. Stores whether KCOV can follow the kernel.
 */
static int look(struct target *t, void *arg)
{
	struct hunt *h = arg;
	struct recorder *r = h->recorder;
	const char *other = t->live ? NULL : h->options->run.device[0];
	struct kcov kcov;

	if (kcov_open_for(&kcov, h->options->kcov, other, r->error,
			  sizeof(r->error))) {
		r->exit = RUN_USAGE;
		return CHILD_GAVE_UP;
	}
	h->shared->kernel = kcov.fd >= 0;
	kcov_close(&kcov);
	return CHILD_DONE;
}

static int probe(struct hunt *h)
{
	const struct probe p = {
		.device = h->options->run.device[0],
		.options = &h->options->run.target,
		.look = look,
		.arg = h,
	};
	int ret = probe_device(&h->watch, &p);

	return ret ? hunt_fail(h, ret, h->recorder->error) : 0;
}

static int open_device(struct hunt *h)
{
	const struct run_options *o = &h->options->run;
	struct recorder *r = h->recorder;
	int ret;

	ret = target_prepare(o->device[0], h->err, sizeof(h->err));
	if (ret)
		return run_exit_of_open_error(ret);
	ret = probe(h);
	if (!ret)
		ret = known_deviations_read(&h->writer.expect, o->expect,
					    &r->info, h->err, sizeof(h->err))
			      ? RUN_USAGE
			      : 0;
	if (ret)
		return ret;
	if (!r->live && r->kernel.fd >= 0)
		kernel_log_close(&r->kernel); /* the model has no kernel */
	h->attempt = (struct attempt_options){
		.device = o->device[0],
		.target = o->target,
		.timeout_ms = h->watch.timeout_ms,
		.heard = &r->kernel,
	};
	if (attempts_open(&h->attempt, &h->attempts, h->err, sizeof(h->err)))
		return RUN_BROKEN;
	if (!stepper_init(&h->stepper, &r->info))
		return hunt_fail(h, RUN_BROKEN, "no memory");
	return 0;
}

/* --- Workers -------------------------------------------------------------- */

/* An error is ignored: the next time writes all, or reports it. */
static void journal_progress(struct hunt *h)
{
	h->err[0] = '\0';
	hunt_journal_progress(h);
}

static void tick(void *arg)
{
	struct hunt *h = arg;
	uint64_t now = now_us();

	if (now - h->noted_us >= NOTE_US ||
	    h->shared->points_in - h->shared->points_out > HUNT_POINTS / 2)
		journal_progress(h);
	if (now - h->grown_us >= NOTE_US)
		hunt_write_growth(h);
	hunt_print_status(h);
}

/* Returns true if --first has its finding. */
static bool has_first(const struct hunt *h)
{
	return h->options->first && h->writer.failures;
}

static bool is_over(const struct hunt *h)
{
	const struct hunt_worker_setup *is = &h->worker;

	return h->watch.interrupted || has_first(h) ||
	       now_us() >= is->deadline_us ||
	       (is->last && h->shared->programs >= is->last) ||
	       h->shared->nknown == HUNT_KNOWN_MAX;
}

static bool has_uncounted(const struct hunt *h)
{
	const struct hunt_shared *s = h->shared;

	return h->options->what == HUNT_MODIFY && s->again < s->kept &&
	       s->nknown < HUNT_KNOWN_MAX &&
	       (!s->count_until_us || now_us() < s->count_until_us);
}

/* When the hunt is over, a worker runs the kept programs whose coverage is not
 * counted yet. The last worker has done that itself, unless it ended with a
 * finding. */
static bool has_work(void *arg)
{
	struct hunt *h = arg;

	if (is_over(h))
		h->worker.only_counts = true;
	return !h->worker.only_counts || has_uncounted(h);
}

static int work(void *arg)
{
	const struct hunt *h = arg;

	return hunt_worker_run(&h->worker);
}

static bool is_finding(const struct hunt *h, enum watch_end end)
{
	switch (end) {
	case WATCH_DONE:
	case WATCH_GAVE_UP:
		return false;
	case WATCH_EXITED:
		if (h->watch.status == HUNT_REOPEN)
			return false;
		break;
	default:
		break;
	}
	return !h->watch.at_once && !has_first(h);
}

static int ended(void *arg, enum watch_end end)
{
	struct hunt *h = arg;
	int ret = is_finding(h, end) ? hunt_examine_finding(h, end) : 0;

	return hunt_journal_progress(h) ? RUN_BROKEN : ret;
}

static uint64_t programs_run(void *arg)
{
	const struct hunt *h = arg;

	return h->shared->programs;
}

static const struct supervisor_ops supervisor_ops = {
	.has_work = has_work,
	.work = work,
	.ended = ended,
	.progress = programs_run,
};

static int run_workers(struct hunt *h)
{
	struct supervisor s = {
		.ops = &supervisor_ops,
		.arg = h,
		.watch = &h->watch,
	};
	int ret = supervise(&s);

	return ret ? hunt_fail(h, ret, h->recorder->error) : 0;
}

/* --- The hunt ------------------------------------------------------------- */

static size_t shared_size(void)
{
	return sizeof(struct hunt_shared) + kernel_reach_size() + reach_size();
}

/* Makes the memory that supervisor and worker share. Returns 0 or an errno. */
static int make_shared(struct hunt *h)
{
	char *page;

	h->recorder = recorder_new();
	if (!h->recorder)
		return errno;
	page = mmap(NULL, shared_size(), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return errno;
	h->shared = (struct hunt_shared *)page;
	kernel_reach_share(page + sizeof(*h->shared));
	reach_share(page + sizeof(*h->shared) + kernel_reach_size());
	h->watch.recorder = h->recorder;
	h->watch.signals = watch_signals();
	return h->watch.signals < 0 ? -h->watch.signals : 0;
}

void hunt_seed_chance(struct hunt *h)
{
	struct chance seed;

	chance_seed(&seed, h->options->run.selection.seed);
	h->shared->chance = seed.state;
}

static int start(struct hunt *h)
{
	struct hunt_options *o = h->options;
	struct recorder *r;
	int error = make_shared(h);

	if (error) {
		snprintf(h->err, sizeof(h->err), "cannot watch workers: %s",
			 strerror(error));
		return RUN_BROKEN;
	}
	r = h->recorder;
	coverage_init(&h->writer.coverage, true);
	kernel_log_open(&r->kernel, r->kernel_unread, sizeof(r->kernel_unread));
	h->watch.tick = tick;
	h->watch.arg = h;
	h->shared->session.kind = QK_NR;
	history_begin(&h->shared->history);
	if (o->run.resume)
		return hunt_load_journal(h);
	hunt_seed_chance(h);
	return 0;
}

static void set_limits(struct hunt *h)
{
	const struct hunt_options *o = h->options;

	h->writer.journal = &h->journal;
	h->writer.recorder = h->recorder;
	h->writer.dir = h->dir;
	h->writer.target = o->run.device[0];
	h->writer.only_target = true;
	h->writer.strict = o->run.strict;
	h->worker.options = o;
	h->worker.recorder = h->recorder;
	h->worker.shared = h->shared;
	h->worker.dir = h->dir;
	h->worker.last = o->programs ? h->programs_before + o->programs : 0;
	h->began_us = h->noted_us = h->shown_us = now_us();
	h->worker.deadline_us = h->began_us + 1000 * o->time_ms;
	h->terminal = progress_has_terminal();
}

static int unfinished(const struct hunt *h, int status)
{
	fprintf(stderr, "ibvet fuzz: %s; go on with: ibvet fuzz --resume %s\n",
		h->err[0] ? h->err : "interrupted", h->dir);
	return status;
}

static int report(struct hunt *h, int ret)
{
	const struct report_form form = {h->options->run.form, false};
	const struct run_done done = {0};
	int status = RUN_BROKEN;

	hunt_print_last_status(h);
	watch_unblock_signals();
	if (!ret)
		ret = hunt_write_last_growth(h);
	if (!ret && journal_add(&h->journal, event_done(0, &done)))
		ret = hunt_fail(h, RUN_BROKEN, "no memory");
	if (!ret && journal_flush(&h->journal, true, h->err, sizeof(h->err)))
		ret = RUN_BROKEN;
	journal_close(&h->journal);
	if (report_finish(h->dir, !ret && !h->watch.interrupted, &form, &status,
			  h->err, sizeof(h->err)) ||
	    ret || h->watch.interrupted)
		return unfinished(h, RUN_BROKEN);
	return status;
}

static int read_weights(struct hunt *h)
{
	const char *file = h->options->weights;

	weights_init(&h->worker.weights);
	return file && weights_read(&h->worker.weights, file, h->err,
				    sizeof(h->err))
		       ? RUN_USAGE
		       : 0;
}

static int run_hunt(struct hunt *h)
{
	struct run_options *o = &h->options->run;
	int ret = start(h);

	if (!ret)
		ret = read_weights(h);
	if (!ret) {
		o->timeout_ms = o->timeout_ms ? o->timeout_ms : TIMEOUT_MS;
		h->watch.timeout_ms = o->timeout_ms;
		ret = open_device(h);
	}
	if (!ret)
		ret = hunt_start_journal(h);
	if (!ret)
		ret = hunt_make_folders(h);
	if (!ret && o->resume)
		hunt_report_lost(h);
	if (!ret)
		ret = hunt_find_stock(h);
	if (ret) {
		fprintf(stderr, "ibvet fuzz: %s\n", h->err);
		return ret;
	}
	set_limits(h);
	return report(h, run_workers(h));
}

static void free_hunt(struct hunt *h)
{
	journal_close(&h->journal);
	if (h->attempts)
		attempts_close(h->attempts);
	stepper_free(&h->stepper);
	stock_free(&h->worker.stock);
	expect_free(&h->writer.expect);
	coverage_free(&h->writer.coverage);
	if (h->watch.signals >= 0)
		close(h->watch.signals);
	if (h->recorder && h->recorder->lock >= 0)
		close(h->recorder->lock);
	if (h->recorder)
		kernel_log_close(&h->recorder->kernel);
	recorder_free(h->recorder);
	if (h->past.run)
		event_options_drop(&h->options->run);
	json_decref(h->past.run);
	if (h->shared)
		munmap(h->shared, shared_size());
	free(h);
}

int hunt(struct hunt_options *o)
{
	struct hunt *h = calloc(1, sizeof(*h));
	int ret;

	if (!h) {
		fprintf(stderr, "ibvet fuzz: no memory\n");
		return RUN_BROKEN;
	}
	h->options = o;
	h->journal.fd = -1;
	h->watch.signals = -1;
	past_init(&h->past);
	ret = run_hunt(h);
	free_hunt(h);
	return ret;
}

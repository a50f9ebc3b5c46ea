/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The supervisor of a hunt: opens the device and the folder, runs workers while
 * there is time, and writes the reports.
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
#include "run/progress.h"

enum { TIMEOUT_MS = 10000, USUAL_TIME_MS = 60000 };

static const char *const names[HUNT_NR] = {"modify", "program", "create",
					   "walk", "fire"};

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

void hunt_lock(struct hunt_shared *s)
{
	if (pthread_mutex_lock(&s->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&s->lock);
}

void hunt_unlock(struct hunt_shared *s)
{
	pthread_mutex_unlock(&s->lock);
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

	ret = target_prepare(o->device[0], &o->target, h->err, sizeof(h->err));
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
	};
	if (attempts_open(&h->attempt, &h->attempts, h->err, sizeof(h->err)))
		return RUN_BROKEN;
	if (!stepper_init(&h->stepper, &r->info))
		return hunt_fail(h, RUN_BROKEN, "no memory");
	return 0;
}

/* --- The hunt ------------------------------------------------------------- */

static size_t shared_size(void)
{
	return sizeof(struct hunt_shared) + kernel_reach_size() + reach_size();
}

/* Returns NULL with errno if there is no memory. */
static void *map_shared(size_t size)
{
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

static int make_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;
	int ret = pthread_mutexattr_init(&attr);

	if (!ret)
		ret = pthread_mutexattr_setpshared(&attr,
						   PTHREAD_PROCESS_SHARED);
	if (!ret)
		ret = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	return ret ? ret : pthread_mutex_init(lock, &attr);
}

/* Makes the memory that supervisor and workers share. Returns 0 or an errno. */
static int make_shared(struct hunt *h)
{
	char *page;
	int ret;

	h->recorder = recorder_new();
	if (!h->recorder)
		return errno;
	page = map_shared(shared_size());
	h->lane = map_shared(POOL_MAX * sizeof(*h->lane));
	if (!page || !h->lane)
		return errno;
	h->shared = (struct hunt_shared *)page;
	ret = make_lock(&h->shared->lock);
	if (ret)
		return ret;
	kernel_reach_share(page + sizeof(*h->shared));
	reach_share(page + sizeof(*h->shared) + kernel_reach_size());
	h->watch.recorder = h->recorder;
	h->watch.signals = watch_signals();
	return h->watch.signals < 0 ? -h->watch.signals : 0;
}

/* Another lane than the first one begins with a number of its own. */
void hunt_set_chance(struct hunt *h, uint64_t state)
{
	struct chance seed;

	h->lane[1].chance = state;
	for (unsigned int i = 2; i < POOL_MAX; i++) {
		chance_seed(&seed, state + i);
		h->lane[i].chance = seed.state;
	}
}

void hunt_seed_chance(struct hunt *h)
{
	struct chance seed;

	chance_seed(&seed, h->options->run.selection.seed);
	hunt_set_chance(h, seed.state);
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
	for (unsigned int i = 0; i < POOL_MAX; i++) {
		h->lane[i].session.kind = QK_NR;
		history_begin(&h->lane[i].history);
	}
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
	/* A hunt that was interrupted has not ended. */
	if (!ret && !h->watch.interrupted &&
	    journal_add(&h->journal, event_done(0, &done)))
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

/* `modify` waits for nothing in its calls: more workers than processors gain
 * nothing on a virtual device. */
static unsigned int jobs(const struct hunt *h)
{
	const struct run_options *o = &h->options->run;
	const struct recorder *r = h->recorder;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int most = run_jobs(o, r->info.is_virtual, r->live);

	if (most > HUNT_JOBS_MAX)
		most = HUNT_JOBS_MAX;
	if (o->jobs || h->options->what != HUNT_MODIFY || r->live)
		return most;
	return processors < most ? (unsigned int)processors : most;
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
		h->options->time_ms = h->options->time_ms ? h->options->time_ms
							  : USUAL_TIME_MS;
		h->watch.timeout_ms = o->timeout_ms;
		ret = open_device(h);
	}
	if (!ret) {
		h->jobs = jobs(h);
		ret = hunt_start_journal(h);
	}
	if (!ret)
		ret = hunt_make_folders(h);
	if (!ret && o->resume)
		hunt_report_lost(h);
	if (!ret)
		ret = hunt_read_corpus(h);
	if (!ret)
		ret = hunt_find_stock(h);
	if (ret) {
		fprintf(stderr, "ibvet fuzz: %s\n", h->err);
		return ret;
	}
	set_limits(h);
	return report(h, hunt_run_lanes(h));
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
	json_decref(h->looked_at);
	if (h->past.run)
		event_options_drop(&h->options->run);
	json_decref(h->past.run);
	corpus_free(&h->worker.corpus);
	corpus_free(&h->worker.seeds);
	if (h->lane)
		munmap(h->lane, POOL_MAX * sizeof(*h->lane));
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

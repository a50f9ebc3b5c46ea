/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs the workers of a hunt at once, each in a lane of its own, and starts the
 * next one when a worker ends. If the workers share the device, the others rest
 * while a finding is examined, and while the program of one worker needs the
 * device for itself. Lane 0 has no worker: its recorder is the one for the
 * record.
 */
#include <stdio.h>
#include <string.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/shared_corpus.h"
#include "fuzz/hunt/state.h"
#include "run/run.h"

enum { NOTE_US = 5000000 };

/* --- The end of the hunt -------------------------------------------------- */

/* Returns true if --first has its finding. */
static bool has_first(const struct hunt *h)
{
	return h->options->first && h->writer.failures;
}

static bool is_stopped(const struct hunt *h)
{
	return h->watch.interrupted || has_first(h) ||
	       h->shared->nknown == HUNT_KNOWN_MAX;
}

static bool is_over(const struct hunt *h)
{
	const struct hunt_worker_setup *is = &h->worker;

	return is_stopped(h) || now_us() >= is->deadline_us ||
	       (is->last && h->shared->programs >= is->last);
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
static bool has_work(struct hunt *h)
{
	if (is_over(h))
		h->worker.only_counts = true;
	return !h->watch.interrupted &&
	       (!h->worker.only_counts || has_uncounted(h));
}

/* --- Progress ------------------------------------------------------------- */

/* An error is ignored: the next time writes all, or reports it. */
static void journal_progress(struct hunt *h)
{
	h->err[0] = '\0';
	hunt_journal_progress(h);
}

static bool has_many_points(const struct hunt *h)
{
	for (unsigned int i = 1; i <= h->jobs; i++)
		if (h->lane[i].points_in - h->lane[i].points_out >
		    HUNT_POINTS / 2)
			return true;
	return false;
}

/* An error is ignored: the folder may be away for a while. */
static void take_from_others(struct hunt *h)
{
	if (shared_corpus_take(h))
		h->err[0] = '\0';
}

static void tick(void *arg)
{
	struct hunt *h = arg;
	uint64_t now = now_us();

	if (now - h->noted_us >= NOTE_US || has_many_points(h))
		journal_progress(h);
	if (now - h->grown_us >= NOTE_US) {
		hunt_write_growth(h);
		take_from_others(h);
	}
	hunt_print_status(h);
}

/* --- Starting workers ----------------------------------------------------- */

static int work(struct recorder *r, void *arg)
{
	struct hunt *h = arg;
	unsigned int i = 0;

	while (pool_recorder(&h->pool, i) != r)
		i++;
	h->worker.recorder = r;
	h->worker.lane = &h->lane[i];
	return hunt_worker_run(&h->worker);
}

static int start(struct hunt *h, unsigned int i)
{
	h->end[i].found = false;
	h->end[i].programs = h->lane[i].programs;
	h->lane[i].wants_alone = false;
	pool_recorder(&h->pool, i)->stop = h->watch.interrupted;
	return pool_start(&h->pool, i);
}

/* A new worker gets the programs that the others have kept. */
static int read_kept(struct hunt *h)
{
	char folder[RUN_PATH_LEN];

	hunt_folder(folder, sizeof(folder), h->dir, HUNT_CORPUS);
	return corpus_read_up_to(&h->worker.corpus, folder, h->shared->next,
				 h->err, sizeof(h->err))
		       ? RUN_BROKEN
		       : 0;
}

/* Starts a worker in each lane that has none. */
static int start_workers(struct hunt *h)
{
	int ret = read_kept(h);
	unsigned int n = h->worker.only_counts ? 1 : h->jobs;

	for (unsigned int i = 1; i <= n && !ret; i++)
		if (h->pool.worker[i].state == POOL_OFF && !h->end[i].lost)
			ret = start(h, i);
	return ret;
}

/* --- Rest ----------------------------------------------------------------- */

static bool somebody_runs(const struct hunt *h)
{
	for (unsigned int i = 1; i <= h->jobs; i++)
		if (h->pool.worker[i].state != POOL_OFF &&
		    h->pool.worker[i].state != POOL_FREE)
			return true;
	return false;
}

static void ask_for_rest(struct hunt *h, enum hunt_pause pause)
{
	if (h->shared->pause < pause)
		h->shared->pause = pause;
}

static bool rests(const struct hunt *h, unsigned int i)
{
	return h->pool.worker[i].state == POOL_FREE;
}

/* Lets the workers that rest with objects come to the end of their walk. */
static void make_room(struct hunt *h)
{
	for (unsigned int i = 1; i <= h->jobs; i++)
		if (rests(h, i) && h->lane[i].holds)
			pool_give(&h->pool, i);
}

/* Lets one worker run that wants the device for itself, as soon as nobody else
 * has objects. Returns false if there is none. */
static bool run_one_alone(struct hunt *h)
{
	for (unsigned int i = 1; i <= h->jobs; i++) {
		if (!rests(h, i) || !h->lane[i].wants_alone)
			continue;
		ask_for_rest(h, HUNT_REST_WITHOUT_OBJECTS);
		make_room(h);
		if (somebody_runs(h))
			return true;
		h->lane[i].wants_alone = false;
		pool_give(&h->pool, i);
		return true;
	}
	return false;
}

static void stop_if_over(struct hunt *h)
{
	for (unsigned int i = 1; is_stopped(h) && i <= h->jobs; i++)
		pool_recorder(&h->pool, i)->stop = true;
}

static int end_rest(struct hunt *h)
{
	h->shared->pause = HUNT_GO_ON;
	stop_if_over(h);
	for (unsigned int i = 1; i <= h->jobs; i++) {
		struct pool_worker *w = &h->pool.worker[i];

		w->watch.at_once |= h->watch.at_once;
		if (rests(h, i))
			pool_give(&h->pool, i);
	}
	return is_over(h) ? 0 : start_workers(h);
}

/* --- Findings ------------------------------------------------------------- */

static const struct kernel_log *kernel_log_of(const struct hunt *h,
					      unsigned int i)
{
	return &pool_recorder(&h->pool, i)->kernel;
}

/* Returns true if a later lane has a finding about the same report of the
 * kernel. */
static bool has_twin(const struct hunt *h, unsigned int i)
{
	const struct kernel_log *log = kernel_log_of(h, i), *other;

	for (unsigned int k = i + 1; log->found && k <= h->jobs; k++) {
		other = kernel_log_of(h, k);
		if (h->end[k].found && other->found &&
		    !strcmp(log->what, other->what))
			return true;
	}
	return false;
}

static int examine_finding(struct hunt *h, unsigned int i)
{
	int ret = 0;

	if (!h->end[i].found)
		return 0;
	if (!h->watch.at_once && !has_first(h))
		ret = hunt_examine_finding(h, i, has_twin(h, i));
	h->end[i].found = false;
	return ret;
}

static int examine_findings(struct hunt *h)
{
	int ret = 0;

	for (unsigned int i = 1; i <= h->jobs && !ret; i++)
		ret = examine_finding(h, i);
	return ret || hunt_journal_progress(h) ? RUN_BROKEN : 0;
}

/* Nobody runs: examines findings, and then lets the workers go on. */
static int settle(struct hunt *h)
{
	int ret = examine_findings(h);

	if (ret || run_one_alone(h))
		return ret;
	return end_rest(h);
}

/* --- News of workers ------------------------------------------------------ */

static bool reopens(const struct hunt *h, unsigned int i, enum watch_end end)
{
	return end == WATCH_EXITED &&
	       h->pool.worker[i].watch.status == HUNT_REOPEN;
}

static bool is_finding(const struct hunt *h, unsigned int i, enum watch_end end)
{
	if (end == WATCH_DONE || end == WATCH_GAVE_UP || reopens(h, i, end))
		return false;
	return !h->watch.at_once && !has_first(h);
}

/* A device may have fewer contexts than there are workers: the others go on. */
static int gave_up(struct hunt *h, unsigned int i)
{
	const struct recorder *r = pool_recorder(&h->pool, i);

	h->end[i].lost = true;
	for (unsigned int k = 1; k <= h->jobs; k++)
		if (h->pool.worker[k].state != POOL_OFF)
			return 0;
	hunt_fail(h, RUN_BROKEN, r->error[0] ? r->error : "the worker gave up");
	return r->exit ? r->exit : RUN_BROKEN;
}

/* Returns an enum run_exit if too many workers have died in vain. */
static int may_follow(struct hunt *h, const struct pool_event *event)
{
	unsigned int i = event->worker;
	bool achieved = h->lane[i].programs != h->end[i].programs;

	/* It had no time for a program, and its device kept an object. */
	if (reopens(h, i, event->end) && (h->shared->pause || is_over(h)))
		return 0;
	return event->end == WATCH_DONE || h->pool.worker[i].watch.at_once
		       ? 0
		       : pool_forgive(&h->pool, event, achieved);
}

static int worker_died(struct hunt *h, const struct pool_event *event)
{
	unsigned int i = event->worker;
	int ret = 0;

	h->end[i].how = event->end;
	h->end[i].found = is_finding(h, i, event->end);
	if (event->end == WATCH_GAVE_UP)
		return gave_up(h, i);
	if (h->end[i].found && h->worker.shares_device)
		ask_for_rest(h, HUNT_REST);
	else
		ret = examine_finding(h, i);
	if (!ret)
		ret = hunt_journal_progress(h) ? RUN_BROKEN
					       : may_follow(h, event);
	if (!ret && !h->shared->pause && !is_over(h))
		ret = start(h, i);
	return ret;
}

static int take_news(struct hunt *h, const struct pool_event *event)
{
	switch (event->news) {
	case POOL_OPENED:
	case POOL_ENDED:
		if (h->lane[event->worker].wants_alone)
			ask_for_rest(h, HUNT_REST_WITHOUT_OBJECTS);
		return 0;
	case POOL_DIED:
		return worker_died(h, event);
	default:
		return 0;
	}
}

/* Runs workers until the last one has ended. */
static int run_workers(struct hunt *h)
{
	int ret = start_workers(h);
	struct pool_event event;

	while (!ret) {
		event = pool_wait(&h->pool);
		if (event.news == POOL_QUIET)
			return 0;
		ret = take_news(h, &event);
		stop_if_over(h);
		if (!ret && !somebody_runs(h))
			ret = settle(h);
	}
	return ret;
}

int hunt_run_lanes(struct hunt *h)
{
	int ret;

	/* A virtual device and a model are in the worker's process. */
	h->worker.shares_device = h->recorder->live && h->jobs > 1;
	h->watch.tick = tick;
	h->watch.arg = h;
	h->pool = (struct pool){.watch = &h->watch, .work = work, .arg = h};
	ret = pool_open(&h->pool, h->jobs + 1) ? RUN_BROKEN : 0;
	while (!ret && has_work(h))
		ret = run_workers(h);
	pool_close(&h->pool, ret != 0);
	return ret ? hunt_fail(h, ret, h->recorder->error) : 0;
}

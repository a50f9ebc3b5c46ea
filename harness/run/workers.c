/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what the end of a worker means for a run. A worker that dies inside a
 * case gives that case its verdict, and the next worker goes on behind it.
 */
#include "journal/resume.h"
#include "run/workers.h"
#include "supervise/supervise.h"

/* The argument of the supervisor's callbacks. */
struct run_workers {
	struct watch *watch;
	struct work *work;
	uint64_t cases_ended_here; /* by this process, for dead workers */
};

/* Opens the journal again, as the last worker left it, and closes off a torn
 * last line. */
static int reopen(struct work *work, struct recorder *r)
{
	struct journal *j = work->writer->journal;

	journal_close(j);
	return journal_append(j, work->writer->dir, r->error, sizeof(r->error));
}

static bool has_work(void *arg)
{
	const struct run_workers *rw = arg;

	return !rw->work->so_far.done;
}

static int start_work(void *arg)
{
	const struct run_workers *rw = arg;

	return worker_run(rw->work);
}

/* Removes the begin event of the case under way: a user who stops ibvet at once
 * has learned nothing about that case. */
static void forget_case(struct work *work)
{
	struct progress_so_far *s = &work->so_far;

	if (s->open != NO_NUMBER)
		journal_cut(work->writer->journal, s->opening);
}

/* Ends the case that the dead worker was in. An end that the worker wrote in
 * part is written anew. */
static int end_case(struct run_workers *rw, enum watch_end end)
{
	struct work *work = rw->work;
	struct progress_so_far *s = &work->so_far;
	struct recorder *r = rw->watch->recorder;
	struct judgement judged;

	if (s->open == NO_NUMBER || s->open != r->number)
		return 0;
	journal_cut(work->writer->journal, s->opened);
	s->open = NO_NUMBER;
	rw->cases_ended_here++;
	child_judge(rw->watch, end, &judged);
	return case_end_write(work->writer, &judged, r->error,
			      sizeof(r->error));
}

/* Reads from the journal how far the dead worker came, and ends its case. */
static int after_death(struct run_workers *rw, enum watch_end end)
{
	struct work *work = rw->work;
	struct recorder *r = rw->watch->recorder;

	work->announce = false;
	work->recount = true;
	if (reopen(work, r) ||
	    past_follow(&work->so_far, work->writer->dir, work->writer->t,
			r->error, sizeof(r->error)))
		return recorder_broken(r, "%s", "");
	if (rw->watch->at_once)
		forget_case(work);
	else if (end_case(rw, end))
		return recorder_broken(r, "%s", "");
	work->so_far.read_to = work->writer->journal->size;
	return 0;
}

static int ended(void *arg, enum watch_end end)
{
	struct run_workers *rw = arg;

	switch (end) {
	case WATCH_DONE:
		rw->work->so_far.done = true;
		return 0;
	case WATCH_GAVE_UP:
		return 0;
	default:
		return after_death(rw, end);
	}
}

static uint64_t progress(void *arg)
{
	const struct run_workers *rw = arg;

	return rw->work->so_far.ended + rw->cases_ended_here;
}

static const struct supervisor_ops ops = {
	.has_work = has_work,
	.work = start_work,
	.ended = ended,
	.progress = progress,
};

/* A report of the kernel while the device closes belongs to no case of the
 * generators. It gets the case CLOSE_ID. */
static int end_closing(struct work *work, struct recorder *r)
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
		return recorder_broken(r, "%s", "");
	return 0;
}

static int run_in_workers(struct watch *w, struct work *work)
{
	struct run_workers rw = {.watch = w, .work = work};
	struct supervisor s = {.ops = &ops, .arg = &rw, .watch = w};
	struct recorder *r = w->recorder;

	if (reopen(work, r))
		return recorder_broken(r, "%s", "");
	work->so_far.read_to = work->writer->journal->size;
	return supervise(&s);
}

/* For debuggers: nobody notices a case that hangs, and a case that crashes ends
 * ibvet. */
static int run_in_this_process(struct recorder *r, struct work *work)
{
	if (worker_run(work) != CHILD_DONE)
		return recorder_broken(r, "ibvet gave up");
	work->so_far.done = true;
	return 0;
}

int workers_run(struct watch *w, struct work *work)
{
	struct recorder *r = w->recorder;
	const int log = r->kernel.fd;
	int ret;

	if (!r->live)
		r->kernel.fd = -1; /* the model has no kernel */
	ret = work->options->no_fork ? run_in_this_process(r, work)
				     : run_in_workers(w, work);
	/* A worker that died may have left the link cut. */
	if (r->live && target_heal_link(work->options->target.link))
		ret = recorder_broken(r, "--link: the link cannot be healed");
	if (!ret && work->so_far.done)
		ret = end_closing(work, r);
	r->kernel.fd = log;
	return ret;
}

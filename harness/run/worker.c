/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs cases one after the other. On a live target the case and its program are
 * on disk before the first call, so that a machine that goes down leaves the
 * reason behind. The call under way is in the recorder, which outlives the
 * worker.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "journal/resume.h"
#include "expect/stale.h"
#include "run/worker.h"

struct worker {
	struct work *work;
	struct recorder *recorder;
	struct journal *journal;
	struct target *target;
	struct judge *judge;
	uint64_t number;
	bool failed;	  /* the recorder has the reason */
	bool out_of_time; /* before the last case */
};

static int gave_up(struct recorder *r, int ret)
{
	r->exit = run_exit_of_open_error(ret);
	return CHILD_GAVE_UP;
}

static void before_call(void *arg, int index, const struct bound *b)
{
	struct worker *w = arg;

	recorder_before(w->recorder, index, b);
}

static void after_call(void *arg, int index, const struct bound *b,
		       const struct outcome *o)
{
	struct worker *w = arg;

	(void)b;
	recorder_after(w->recorder, index, o);
}

static bool announce_case(struct worker *w)
{
	struct recorder *r = w->recorder;

	return !event_begin(w->journal, w->work->writer->t, r, r->live) &&
	       !journal_flush(w->journal, r->live, r->error, sizeof(r->error));
}

/* The journal could not be written. Takes back what was written of this case,
 * so that the next worker runs it again. */
static bool stop_here(struct worker *w)
{
	struct recorder *r = w->recorder;

	w->failed = true;
	journal_undo(w->journal);
	if (!r->error[0])
		snprintf(r->error, sizeof(r->error), "no memory");
	return false;
}

static bool end_case(struct worker *w, struct judgement *judged)
{
	struct recorder *r = w->recorder;

	if (w->failed ||
	    case_end_write(w->work->writer, judged, r->error, sizeof(r->error)))
		return stop_here(w);
	return true;
}

static bool is_broken(struct worker *w)
{
	struct recorder *r = w->recorder;

	if (!w->target->broken[0])
		return false;
	snprintf(r->error, sizeof(r->error), "%s: %s", w->work->writer->target,
		 w->target->broken);
	w->failed = true;
	return true;
}

static bool run_case(struct worker *w, const struct test_case *c)
{
	const struct judge_trace trace = {before_call, after_call, w};
	struct judgement judged = {.verdict = VERDICT_UNSUPPORTED, .call = -1};

	recorder_begin(w->recorder, w->number, c);
	journal_mark(w->journal);
	if (c->claim == CLAIM_NONE) {
		if (!announce_case(w))
			return stop_here(w);
		kernel_log_begin(&w->recorder->kernel);
		judge_program(w->target, w->judge, c->program, &trace, &judged);
		if (judged.claim != CLAIM_NONE)
			w->recorder->current.claim = judged.claim;
	}
	return end_case(w, &judged) && !is_broken(w);
}

/* Mentions a kernel log that the machine kept. It may be of an older crash. */
static void mention_dump(char *text, size_t len)
{
	size_t at = strlen(text);
	char path[256];

	if (kernel_log_dump(path, sizeof(path)))
		snprintf(text + at, len - at,
			 "; %s may hold what the kernel said", path);
}

/* Ends the case that was under way when the machine or ibvet went down. */
static bool end_lost(struct worker *w, const struct test_case *c)
{
	struct judgement judged = {.verdict = VERDICT_HOST_LOST, .call = -1};

	snprintf(judged.expected, sizeof(judged.expected),
		 "the case comes to its end");
	snprintf(judged.observed, sizeof(judged.observed),
		 "ibvet or the machine stopped inside the case");
	mention_dump(judged.observed, sizeof(judged.observed));
	recorder_begin(w->recorder, w->number, c);
	journal_mark(w->journal);
	return end_case(w, &judged);
}

static bool fail_other_cases(struct worker *w, const char *id)
{
	snprintf(w->recorder->error, sizeof(w->recorder->error),
		 "case %llu is now %s and was %s: device or ibvet have "
		 "changed, start a new run",
		 (unsigned long long)w->number, id, w->work->so_far.last_id);
	w->recorder->exit = RUN_USAGE;
	w->failed = true;
	return false;
}

/* Even after the deadline a target gets one case. */
static bool time_is_over(struct worker *w)
{
	const struct progress_so_far *s = &w->work->so_far;
	uint64_t deadline = w->work->deadline_us;

	w->out_of_time = deadline && so_far_wants(s, w->number) &&
			 w->recorder->done && now_us() >= deadline;
	return w->out_of_time;
}

static bool visit_case(const struct test_case *c, void *arg)
{
	struct worker *w = arg;
	const struct progress_so_far *s = &w->work->so_far;
	bool go_on = true;

	if (w->recorder->stop || time_is_over(w))
		return false;
	if (w->number + 1 == s->next && s->last_id[0] &&
	    strcmp(c->id, s->last_id) != 0)
		go_on = fail_other_cases(w, c->id);
	else if (so_far_wants(s, w->number))
		go_on = run_case(w, c);
	else if (w->number == s->open)
		go_on = end_lost(w, c);
	else
		recorder_tick(w->recorder);
	w->number++;
	return go_on;
}

static int write_event(struct worker *w, json_t *event)
{
	struct recorder *r = w->recorder;

	if (journal_add(w->journal, event) ||
	    journal_flush(w->journal, r->live, r->error, sizeof(r->error))) {
		w->failed = true;
		return -EIO;
	}
	return 0;
}

/* What the kernel reports while the device opens belongs to no case of the
 * generators. It gets the case OPEN_ID, which does not count as the one case
 * that a target gets after the deadline. */
static bool end_opening(struct worker *w)
{
	struct judgement judged = {.verdict = VERDICT_PASS, .call = -1};
	struct recorder *r = w->recorder;
	const struct test_case opening = {
		.id = OPEN_ID,
		.sentence = "When the device is opened, the kernel has "
			    "nothing to report.",
	};

	recorder_begin(r, NO_NUMBER, &opening);
	journal_mark(w->journal);
	if (w->work->opening)
		kernel_log_recall(&r->kernel, w->work->opening);
	kernel_log_read(&r->kernel);
	if (r->kernel.found && !end_case(w, &judged))
		return false;
	r->done = 0;
	return true;
}

static uint64_t not_run(const struct worker *w)
{
	return w->out_of_time ? w->recorder->cases - w->number : 0;
}

/* Writes the lines of the profile that no case met. A worker that died may have
 * counted a case that is not in the journal: then counts from the journal. */
static int end_profile(struct worker *w)
{
	struct case_writer *e = w->work->writer;
	struct recorder *r = w->recorder;
	int ret = 0;

	if (w->work->recount)
		ret = past_recall(e->dir, e->t, &e->expect, r->error,
				  sizeof(r->error));
	if (!ret)
		ret = stale_write(e, w->work->options, &w->target->info,
				  r->error, sizeof(r->error));
	return ret;
}

static int run_all(struct worker *w)
{
	const struct case_writer *e = w->work->writer;
	struct recorder *r = w->recorder;
	int ret = 0;

	if (w->work->announce)
		ret = write_event(w,
				  event_target(e->t, e->target, w->target, r));
	if (!ret && w->work->announce && r->live &&
	    !w->work->so_far.first_open && !end_opening(w))
		ret = -EIO;
	if (!ret)
		ret = run_cases(w->work->options, &w->target->info, false,
				visit_case, w, r->error, sizeof(r->error));
	if (!ret && !w->failed && !r->stop && !w->out_of_time)
		ret = end_profile(w);
	if (!ret && !w->failed && !r->stop)
		ret = write_event(w, event_done(e->t, not_run(w)));
	if (w->failed)
		r->exit = r->exit ? r->exit : RUN_BROKEN;
	else if (ret)
		gave_up(r, ret);
	return ret || w->failed ? CHILD_GAVE_UP : CHILD_DONE;
}

int worker_run(struct work *work)
{
	struct worker w = {.work = work,
			   .recorder = work->writer->recorder,
			   .journal = work->writer->journal};
	struct recorder *r = w.recorder;
	int ret;

	ret = target_open(work->writer->target, &work->options->target,
			  &w.target, r->error, sizeof(r->error));
	if (ret)
		return gave_up(r, ret);
	w.judge = judge_new(&w.target->info);
	if (w.judge) {
		ret = run_all(&w);
	} else {
		snprintf(r->error, sizeof(r->error), "no memory for a judge");
		ret = gave_up(r, -ENOMEM);
	}
	judge_free(w.judge);
	w.target->ops->close(w.target);
	return ret;
}

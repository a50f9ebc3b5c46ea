/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which case runs next. Cases come in the order of the generators. A
 * failure never depends on what else was running: a case that fails beside
 * others runs again alone, unless the profile expects of it the report of the
 * kernel that another case has shown alone. A case that needs the device for
 * itself runs alone, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expect/stale.h"
#include "journal/resume.h"
#include "run/state.h"

#define LATER_MAX     32  /* as many wait before they run alone */
#define SIGNALS_EVERY 256 /* cases, of which all may be unsupported */

/* --- Cases that run alone ------------------------------------------------- */

static bool is_time_over(const struct schedule *s)
{
	return s->work->deadline_us && s->writer->done &&
	       now_us() >= s->work->deadline_us;
}

/* If no case shows a kernel report alone, the report gets a case of its own
 * that names those that ran. */
static bool end_company(struct schedule *s)
{
	struct judgement judged;

	beside_hear(&s->company, &s->own->kernel);
	if (s->left_out) /* the loss of the machine may be of these cases */
		beside_leave_loss(&s->company);
	while (beside_take(&s->company, s->own, &judged))
		if (!at_once_write_end(s, s->own, &judged, NULL))
			return false;
	return at_once_write_heard(s);
}

/* Runs the cases that wait until no other runs, one at a time. */
static bool run_later(struct schedule *s)
{
	struct later_case *late;

	at_once_drain(s);
	s->later.soon = false;
	while (!at_once_is_over(s) && (late = later_take(&s->later))) {
		if (!late->again && is_time_over(s))
			s->left_out++;
		else if (!at_once_spares(s, late) &&
			 at_once_begin(s, late->number, &late->c, late))
			at_once_drain(s);
		later_free_case(late);
	}
	return !at_once_is_over(s);
}

static bool needs_alone(const struct schedule *s, const struct test_case *c)
{
	return s->pool.n > 1 &&
	       (so_far_suspects(&s->work->so_far, s->number) ||
		(s->run->live && case_needs_alone(c->program, &s->run->info)));
}

/* Returns true if the case ran beside others when the machine went down. */
static bool was_lost(const struct schedule *s)
{
	const struct progress_so_far *so_far = &s->work->so_far;

	return so_far_suspects(so_far, s->number) &&
	       strcmp(so_far->boot, s->boot) != 0;
}

/* --- The cases ------------------------------------------------------------ */

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
static bool end_lost(struct schedule *s, const struct test_case *c)
{
	struct judgement judged = {.verdict = VERDICT_HOST_LOST, .call = -1};

	snprintf(judged.expected, sizeof(judged.expected),
		 "the case comes to its end");
	snprintf(judged.observed, sizeof(judged.observed),
		 "ibvet or the machine stopped inside the case");
	mention_dump(judged.observed, sizeof(judged.observed));
	recorder_begin(s->own, s->number, c);
	return at_once_write_end(s, s->own, &judged, NULL);
}

/* With one worker the journal has the cases in their order. */
static bool end_unsupported(struct schedule *s, const struct test_case *c)
{
	struct judgement judged = {.verdict = VERDICT_UNSUPPORTED, .call = -1};

	if (s->pool.n == 1)
		at_once_drain(s);
	if (at_once_is_over(s))
		return false;
	recorder_begin(s->own, s->number, c);
	return at_once_write_end(s, s->own, &judged, NULL);
}

static bool fail_other_cases(struct schedule *s, const char *id)
{
	char why[2 * CASE_ID_LEN + 128];

	snprintf(why, sizeof(why),
		 "case %llu is now %s and was %s: device or ibvet have "
		 "changed, start a new run",
		 (unsigned long long)s->number, id, s->work->so_far.last_id);
	s->run->exit = RUN_USAGE;
	return at_once_fail(s, why);
}

static bool run_case(struct schedule *s, const struct test_case *c)
{
	if (c->claim != CLAIM_NONE)
		return end_unsupported(s, c);
	bool lost = was_lost(s);

	if (!lost && !needs_alone(s, c))
		return at_once_begin(s, s->number, c, NULL);
	if (!later_add(&s->later, s->number, c, lost))
		return at_once_fail(s, "no memory");
	return true;
}

/* Even after the deadline a target gets one case. */
static bool time_is_over(struct schedule *s)
{
	s->out_of_time =
		so_far_wants(&s->work->so_far, s->number) && is_time_over(s);
	return s->out_of_time;
}

/* Suspects run before any case that is new. */
static bool should_run_later(const struct schedule *s)
{
	return s->later.n >= LATER_MAX || s->later.soon ||
	       (s->later.n && s->number == s->work->so_far.next);
}

static bool wants_case(void *arg)
{
	const struct schedule *s = arg;

	return so_far_wants(&s->work->so_far, s->number);
}

static bool visit_case(const struct test_case *c, void *arg)
{
	struct schedule *s = arg;
	const struct progress_so_far *so_far = &s->work->so_far;
	bool go_on = true;

	if (!(s->number % SIGNALS_EVERY))
		watch_read_signals(s->watch);
	if (at_once_is_over(s) || time_is_over(s) ||
	    (should_run_later(s) && !run_later(s)))
		return false;
	if (s->number + 1 == so_far->next && so_far->last_id[0] &&
	    strcmp(c->id, so_far->last_id) != 0)
		go_on = fail_other_cases(s, c->id);
	else if (so_far_wants(so_far, s->number))
		go_on = run_case(s, c);
	else if (s->number == so_far->lost)
		go_on = end_lost(s, c);
	s->number++;
	return go_on;
}

/* Writes the lines of the profile that no case met. */
static bool end_profile(struct schedule *s)
{
	struct case_writer *e = s->writer;
	struct recorder *r = s->run;
	int ret = 0;

	e->recorder = s->own;
	if (!gathered_write(s, false))
		return false;
	if (s->work->resumed)
		ret = past_recall(e->dir, e->t, &e->expect, r->error,
				  sizeof(r->error));
	if (!ret)
		ret = stale_write(e, s->work->options, &r->info, r->error,
				  sizeof(r->error));
	return !ret || at_once_fail(s, "no memory");
}

static uint64_t not_run(const struct schedule *s)
{
	return s->out_of_time ? s->run->cases - s->number + s->left_out
			      : s->left_out;
}

static struct run_done what_is_done(const struct schedule *s)
{
	struct run_done done = {
		.visited = s->number,
		.not_run = not_run(s),
		.ends = s->work->so_far.ended + s->writer->ends,
		.times = s->times,
	};

	done.round_trip_us = patience_round_trip(&s->patience);
	if (done.round_trip_us)
		done.quiet_ms = patience_quiet(&s->patience);
	done.times.run = now_us() - s->times.run;
	done.times.ibvet = processor_us() - s->times.ibvet;
	return done;
}

static void run_all(struct schedule *s)
{
	struct run_options o = *s->work->options;
	struct recorder *r = s->run;
	struct run_done done;
	int ret;

	o.selection.wants = wants_case;
	o.selection.wants_arg = s;
	o.selection.tick = NULL; /* nobody watches the supervisor */
	ret = run_cases(&o, &r->info, false, visit_case, s, r->error,
			sizeof(r->error));
	if (ret) {
		r->exit = run_exit_of_open_error(ret);
		at_once_fail(s, "cannot make the cases");
	}
	run_later(s);
	at_once_drain(s);
	if (at_once_is_over(s) || !end_company(s))
		return;
	if (!not_run(s) && !end_profile(s))
		return;
	done = what_is_done(s);
	if (at_once_write(s, event_done(s->writer->t, &done)))
		s->work->so_far.done = true;
}

/* --- Start and end -------------------------------------------------------- */

/* Hears what the kernel reports while no worker looks. A single worker hears
 * all. */
static void open_own_log(struct schedule *s)
{
	struct recorder *r = s->own;

	if (s->pool.n < 2 || s->run->kernel.fd < 0)
		return;
	kernel_log_open(&r->kernel, r->kernel_unread, sizeof(r->kernel_unread));
}

static void ignore_lines(struct kernel_log *log)
{
	kernel_log_read(log);
	kernel_log_forget(log);
}

static void run_workers(struct schedule *s)
{
	open_own_log(s);
	if (at_once_start(s))
		run_all(s);
	gathered_write(s, false);
	if (s->here.target)
		worker_close(&s->here);
	/* What others reported while worker 0 had nothing to do is told. */
	if (s->pool.n > 1)
		ignore_lines(&s->run->kernel);
}

static struct judgement judge_closing(const struct pool *p)
{
	struct judgement judged = {.verdict = VERDICT_PASS, .call = -1};

	if (!p->bad_close[0])
		return judged;
	judged.verdict = p->hung_close ? VERDICT_HUNG : VERDICT_CRASHED;
	snprintf(judged.expected, sizeof(judged.expected),
		 "ibv_close_device returns");
	snprintf(judged.observed, sizeof(judged.observed), "%.500s",
		 p->bad_close);
	return judged;
}

int schedule_run(struct watch *w, struct work *work)
{
	struct schedule *s = calloc(1, sizeof(*s));
	int ret = 0;

	if (!s)
		return recorder_broken(w->recorder, "no memory");
	s->work = work;
	s->times.run = now_us();
	s->times.ibvet = processor_us();
	s->watch = w;
	s->writer = work->writer;
	s->run = w->recorder;
	s->pool.news = -1;
	clock_boot(s->boot, sizeof(s->boot));
	beside_recall(&s->company, &work->so_far);
	s->own = recorder_new();
	if (!s->own)
		at_once_fail(s, "no memory");
	else if (at_once_open(s))
		run_workers(s);
	if (s->own)
		kernel_log_close(&s->own->kernel);
	pool_close(&s->pool, s->failed);
	work->closing = judge_closing(&s->pool);
	if (s->failed)
		ret = recorder_broken(s->run, "ibvet gave up");
	later_free(&s->later);
	recorder_free(s->own);
	free(s);
	return ret;
}

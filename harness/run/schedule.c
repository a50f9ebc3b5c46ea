/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Takes the cases in the order of the generators and gives each to a worker
 * that is free. Writes the journal, which no worker does: on a live target the
 * case and its program are on disk before the first call, so that a machine
 * that goes down leaves the reason behind.
 *
 * A verdict never depends on what else was running. A case that fails beside
 * others runs again alone, and so does a case that needs the device for itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expect/stale.h"
#include "journal/resume.h"
#include "run/beside.h"
#include "run/later.h"
#include "run/schedule.h"
#include "run/worker.h"
#include "supervise/pool.h"

#define LATER_MAX 32 /* as many wait before they run alone */

/* The case that a worker runs */
struct slot {
	off_t at, end;		 /* of its begin event in the journal */
	bool beside;		 /* others ran at the same time */
	struct later_case *late; /* the case ran alone, or NULL */
};

struct schedule {
	struct work *work;
	struct watch *watch;
	struct case_writer *writer;
	struct recorder *run, *own; /* own: of cases that no worker runs */
	struct pool pool;
	struct worker here; /* with --no-fork */
	struct slot slot[POOL_MAX];
	unsigned int busy;
	struct later later;
	struct beside company; /* cases of a kernel report */
	uint64_t number;       /* of the case that the generators hand over */
	uint64_t left_out;     /* before `number`, for want of time */
	uint64_t ended;	       /* cases, when a worker died last */
	struct run_times times;
	char boot[40];	/* of the machine */
	bool announced; /* the target event is written */
	bool failed;	/* s->run has the reason */
	bool out_of_time;
};

/* --- Errors --------------------------------------------------------------- */

static bool fail(struct schedule *s, const char *why)
{
	s->failed = true;
	recorder_broken(s->run, "%s", why);
	return false;
}

/* Takes the case under way out of the journal, so that a later worker runs it
 * again. */
static void forget_case(struct schedule *s, unsigned int i)
{
	struct slot *slot = &s->slot[i];

	journal_blank(s->writer->journal, slot->at, slot->end);
	slot->end = slot->at;
}

/* The journal cannot be written. */
static bool stop_here(struct schedule *s)
{
	for (unsigned int i = 0; i < s->pool.n; i++)
		forget_case(s, i);
	return fail(s, "no memory");
}

static bool is_over(const struct schedule *s)
{
	return s->failed || s->run->stop;
}

static bool write_event(struct schedule *s, json_t *event)
{
	struct journal *j = s->writer->journal;

	if (!journal_add(j, event) &&
	    !journal_flush(j, s->run->live, s->run->error,
			   sizeof(s->run->error)))
		return true;
	return stop_here(s);
}

/* --- The end of a case ---------------------------------------------------- */

static bool write_end(struct schedule *s, struct recorder *r,
		      struct judgement *judged, const struct judgement *beside)
{
	s->writer->recorder = r;
	s->writer->beside = beside;
	if (case_end_write(s->writer, judged, s->run->error,
			   sizeof(s->run->error)))
		return stop_here(s);
	return true;
}

/* Moves a case that failed beside others to those that run alone. */
static bool run_again(struct schedule *s, struct recorder *r,
		      const struct judgement *judged)
{
	struct journal *j = s->writer->journal;

	if (!later_add_again(&s->later, r, judged))
		return fail(s, "no memory");
	if (event_again(j, s->writer->t, r, judged) ||
	    journal_flush(j, false, s->run->error, sizeof(s->run->error)))
		return stop_here(s);
	return true;
}

static bool end_alone(struct schedule *s, struct recorder *r,
		      const struct later_case *late, struct judgement *judged)
{
	if (late->heard || late->lost)
		beside_note(&s->company, late,
			    verdict_is_death(judged->verdict));
	return write_end(s, r, judged, late->again ? &late->seen : NULL);
}

/* A worker that died is pinned on its case. A report of the kernel, a hang and
 * any other failure may come from what else was running. */
static bool is_doubtful(const struct schedule *s, const struct recorder *r,
			const struct judgement *judged, bool died)
{
	if (died)
		return judged->verdict == VERDICT_HUNG && !r->kernel.found;
	return r->kernel.found || case_end_fails(s->writer, r, judged);
}

static bool decide_end(struct schedule *s, const struct slot *slot,
		       struct recorder *r, struct judgement *judged, bool died)
{
	if (slot->late)
		return end_alone(s, r, slot->late, judged);
	if (slot->beside && is_doubtful(s, r, judged, died))
		return run_again(s, r, judged);
	if (r->kernel.found)
		beside_pin(&s->company, r->kernel.what);
	return write_end(s, r, judged, NULL);
}

static bool end_case(struct schedule *s, unsigned int i,
		     struct judgement *judged, bool died)
{
	bool good = decide_end(s, &s->slot[i], pool_recorder(&s->pool, i),
			       judged, died);

	s->slot[i] = (struct slot){0};
	s->busy--;
	return good;
}

/* --- Workers -------------------------------------------------------------- */

/* Gives a kernel report of the opening a case of its own. It does not count as
 * the one case that a target gets after the deadline. */
static bool end_opening(struct schedule *s, struct recorder *r)
{
	struct judgement judged = {.verdict = VERDICT_PASS, .call = -1};
	const struct test_case opening = {
		.id = OPEN_ID,
		.sentence = "When the device is opened, the kernel has "
			    "nothing to report.",
	};

	recorder_begin(r, NO_NUMBER, &opening);
	if (s->work->opening)
		kernel_log_recall(&r->kernel, s->work->opening);
	child_hear_kernel(r, &judged);
	if (r->kernel.found) {
		beside_pin(&s->company, r->kernel.what);
		if (!write_end(s, r, &judged, NULL))
			return false;
	}
	s->writer->done = 0;
	return true;
}

static bool announce(struct schedule *s, struct recorder *r)
{
	const struct case_writer *e = s->writer;

	if (s->announced)
		return true;
	s->announced = true;
	return write_event(s, event_target(e->t, e->target, s->run,
					   s->work->jobs, s->boot)) &&
	       (!s->run->live || s->work->so_far.first_open ||
		end_opening(s, r));
}

static bool worker_ended(struct schedule *s, unsigned int i)
{
	struct recorder *r = pool_recorder(&s->pool, i);
	struct judgement judged = r->judged;
	char why[RUN_PATH_LEN];

	beside_hear(&s->company, &s->own->kernel);
	s->times.cases += now_us() - r->began_us;
	s->times.calls += r->processor_us;
	if (!end_case(s, i, &judged, false))
		return false;
	if (!r->broken[0])
		return true;
	snprintf(why, sizeof(why), "%s: %s", s->writer->target, r->broken);
	return fail(s, why);
}

/* A user who stops ibvet at once has learned nothing about the cases under
 * way. */
static bool end_dead(struct schedule *s, const struct pool_event *event)
{
	const struct watch *w = &s->pool.worker[event->worker].watch;
	struct judgement judged;

	if (!event->busy)
		return true;
	if (s->watch->at_once) {
		forget_case(s, event->worker);
		s->busy--;
		return true;
	}
	child_judge(w, event->end, &judged);
	child_hear_kernel(w->recorder, &judged);
	return end_case(s, event->worker, &judged, event->end != WATCH_STALLED);
}

static bool worker_died(struct schedule *s, const struct pool_event *event)
{
	struct recorder *r = pool_recorder(&s->pool, event->worker);
	bool achieved;

	if (event->end == WATCH_GAVE_UP) {
		s->run->exit = r->exit;
		return fail(s, r->error[0] ? r->error : "the worker gave up");
	}
	if (!end_dead(s, event))
		return false;
	achieved = s->writer->done != s->ended;
	s->ended = s->writer->done;
	if (is_over(s))
		return true;
	if (pool_forgive(&s->pool, event, achieved) ||
	    pool_start(&s->pool, event->worker)) {
		s->failed = true;
		return false;
	}
	return true;
}

/* Waits for news of a worker. Returns false if the run is at an end. */
static bool wait_for_news(struct schedule *s)
{
	struct pool_event event = pool_wait(&s->pool);

	switch (event.news) {
	case POOL_OPENED:
		return announce(s, pool_recorder(&s->pool, event.worker));
	case POOL_ENDED:
		return worker_ended(s, event.worker);
	case POOL_DIED:
		return worker_died(s, &event);
	default:
		return false;
	}
}

static void drain(struct schedule *s)
{
	while (s->busy && wait_for_news(s))
		;
}

/* Returns a worker that is free, or -1 if the run is at an end. */
static int free_worker(struct schedule *s)
{
	do
		for (unsigned int i = 0; i < s->pool.n; i++)
			if (s->pool.worker[i].state == POOL_FREE)
				return (int)i;
	while (!is_over(s) && wait_for_news(s));
	return -1;
}

/* --- The beginning of a case ---------------------------------------------- */

/* Writes the begin event of the recorder's case. */
static bool write_begin(struct schedule *s, struct recorder *r,
			struct slot *slot)
{
	struct journal *j = s->writer->journal;

	slot->at = slot->end = j->size;
	if (event_begin(j, s->writer->t, r, r->live, s->busy) ||
	    journal_flush(j, r->live, s->run->error, sizeof(s->run->error)))
		return stop_here(s);
	slot->end = j->size;
	return true;
}

static void note_company(struct schedule *s, unsigned int i)
{
	s->slot[i].beside = s->busy > 0;
	for (unsigned int k = 0; s->busy && k < s->pool.n; k++)
		s->slot[k].beside = true;
}

static bool run_here(struct schedule *s)
{
	s->busy++;
	worker_run_case(&s->here);
	return worker_ended(s, 0);
}

/* Gives a case to a free worker. */
static bool begin_case(struct schedule *s, uint64_t number,
		       const struct test_case *c, struct later_case *late)
{
	int i = s->here.target ? 0 : free_worker(s);
	struct recorder *r;

	if (i < 0)
		return false;
	r = pool_recorder(&s->pool, (unsigned int)i);
	recorder_begin(r, number, c);
	note_company(s, (unsigned int)i);
	s->slot[i].late = late;
	if (!write_begin(s, r, &s->slot[i]))
		return false;
	if (s->here.target)
		return run_here(s);
	s->busy++;
	pool_give(&s->pool, (unsigned int)i);
	return true;
}

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
	while (beside_take(&s->company, s->own, &judged))
		if (!write_end(s, s->own, &judged, NULL))
			return false;
	return true;
}

/* Runs those that wait, one at a time. */
static bool run_later(struct schedule *s)
{
	struct later_case *late;

	drain(s);
	while (!is_over(s) && (late = later_take(&s->later))) {
		if (!late->again && is_time_over(s))
			s->left_out++;
		else if (begin_case(s, late->number, &late->c, late))
			drain(s);
		later_free_case(late);
	}
	return !is_over(s);
}

static bool needs_alone(const struct schedule *s, const struct test_case *c)
{
	return s->pool.n > 1 &&
	       (so_far_suspects(&s->work->so_far, s->number) ||
		(s->run->live && case_needs_alone(c->program)));
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
	return write_end(s, s->own, &judged, NULL);
}

/* With one worker the journal has the cases in their order. */
static bool end_unsupported(struct schedule *s, const struct test_case *c)
{
	struct judgement judged = {.verdict = VERDICT_UNSUPPORTED, .call = -1};

	if (s->pool.n == 1)
		drain(s);
	if (is_over(s))
		return false;
	recorder_begin(s->own, s->number, c);
	return write_end(s, s->own, &judged, NULL);
}

static bool fail_other_cases(struct schedule *s, const char *id)
{
	char why[2 * CASE_ID_LEN + 128];

	snprintf(why, sizeof(why),
		 "case %llu is now %s and was %s: device or ibvet have "
		 "changed, start a new run",
		 (unsigned long long)s->number, id, s->work->so_far.last_id);
	s->run->exit = RUN_USAGE;
	return fail(s, why);
}

static bool run_case(struct schedule *s, const struct test_case *c)
{
	if (c->claim != CLAIM_NONE)
		return end_unsupported(s, c);
	bool lost = was_lost(s);

	if (!lost && !needs_alone(s, c))
		return begin_case(s, s->number, c, NULL);
	if (!later_add(&s->later, s->number, c, lost))
		return fail(s, "no memory");
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
	return s->later.n >= LATER_MAX ||
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

	if (is_over(s) || time_is_over(s) ||
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
	if (s->work->resumed)
		ret = past_recall(e->dir, e->t, &e->expect, r->error,
				  sizeof(r->error));
	if (!ret)
		ret = stale_write(e, s->work->options, &r->info, r->error,
				  sizeof(r->error));
	return !ret || fail(s, "no memory");
}

static uint64_t not_run(const struct schedule *s)
{
	return s->out_of_time ? s->run->cases - s->number + s->left_out
			      : s->left_out;
}

static void run_all(struct schedule *s)
{
	struct run_options o = *s->work->options;
	struct recorder *r = s->run;
	int ret;

	o.selection.wants = wants_case;
	o.selection.wants_arg = s;
	ret = run_cases(&o, &r->info, false, visit_case, s, r->error,
			sizeof(r->error));
	if (ret) {
		r->exit = run_exit_of_open_error(ret);
		fail(s, "cannot make the cases");
	}
	run_later(s);
	drain(s);
	if (s->failed || !end_company(s) || is_over(s))
		return;
	if (!not_run(s) && !end_profile(s))
		return;
	s->times.run = now_us() - s->times.run;
	s->times.ibvet = processor_us() - s->times.ibvet;
	if (write_event(s, event_done(s->writer->t, s->number, not_run(s),
				      &s->times)))
		s->work->so_far.done = true;
}

/* --- Start and end -------------------------------------------------------- */

static int work_in_process(struct recorder *r, void *arg)
{
	const struct work *work = arg;
	struct worker w;
	int ret = worker_open(&w, r, work->writer->target,
			      &work->options->target);

	if (ret != CHILD_DONE)
		return ret;
	while (pool_next(r))
		worker_run_case(&w);
	worker_close(&w);
	return CHILD_DONE;
}

/* For debuggers: nobody notices a case that hangs, and a case that crashes ends
 * ibvet. */
static bool open_here(struct schedule *s)
{
	if (worker_open(&s->here, s->run, s->writer->target,
			&s->work->options->target) == CHILD_DONE)
		return announce(s, s->run);
	s->here.target = NULL;
	return fail(s, "ibvet gave up");
}

static bool start_workers(struct schedule *s)
{
	for (unsigned int i = 0; i < s->pool.n; i++)
		if (pool_start(&s->pool, i))
			return fail(s, "no worker");
	while (!s->announced)
		if (is_over(s) || !wait_for_news(s))
			return false;
	return true;
}

/* Hears what the kernel reports while no worker looks. A single worker hears
 * all. */
static void open_own_log(struct schedule *s)
{
	struct recorder *r = s->own;

	if (s->pool.n > 1 && s->run->kernel.fd >= 0)
		kernel_log_open(&r->kernel, r->kernel_unread,
				sizeof(r->kernel_unread));
}

static void run_workers(struct schedule *s)
{
	bool open;

	open_own_log(s);
	open = s->work->options->no_fork ? open_here(s) : start_workers(s);
	if (open)
		run_all(s);
	if (s->here.target)
		worker_close(&s->here);
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
	s->pool = (struct pool){
		.watch = w, .work = work_in_process, .arg = work, .news = -1};
	clock_boot(s->boot, sizeof(s->boot));
	s->own = recorder_new();
	if (!s->own)
		fail(s, "no memory");
	else if (pool_open(&s->pool, work->jobs))
		s->failed = true;
	else
		run_workers(s);
	if (s->own)
		kernel_log_close(&s->own->kernel);
	pool_close(&s->pool, s->failed);
	if (s->failed)
		ret = recorder_broken(s->run, "ibvet gave up");
	later_free(&s->later);
	recorder_free(s->own);
	free(s);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs cases at once: gives each to a worker that is free, and decides what the
 * end of a case or of a worker means. Writes the journal, which no worker does:
 * on a live target the case and its program are on disk before the first call,
 * so that a machine that goes down leaves the reason behind.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "run/state.h"

/* --- The end of a case ---------------------------------------------------- */

bool at_once_write_end(struct schedule *s, struct recorder *r,
		       struct judgement *judged, const struct judgement *beside)
{
	s->writer->recorder = r;
	s->writer->beside = beside;
	if (case_end_write(s->writer, judged, s->run->error,
			   sizeof(s->run->error)))
		return gathered_lost(s);
	return gathered_enough(s);
}

bool at_once_write_heard(struct schedule *s)
{
	return !beside_write(&s->company, s->writer->journal, s->writer->t) ||
	       gathered_lost(s);
}

/* Returns true for a case whose calls were as expected beside a report of the
 * kernel that the profile expects of it. */
static bool is_expected_report(const struct schedule *s,
			       const struct recorder *r,
			       const struct judgement *judged)
{
	return r->kernel.found && judged->report_alone &&
	       !case_end_fails(s->writer, r, judged);
}

/* Moves a case that failed beside others to those that run alone. */
static bool run_again(struct schedule *s, struct recorder *r,
		      const struct judgement *judged)
{
	if (!later_add_again(&s->later, r, judged))
		return at_once_fail(s, "no memory");
	s->later.soon |= is_expected_report(s, r, judged);
	if (event_again(s->writer->journal, s->writer->t, r, judged))
		return gathered_lost(s);
	return gathered_enough(s);
}

bool at_once_spares(struct schedule *s, struct later_case *late)
{
	struct recorder *r = s->own;
	bool spares;

	if (!late->heard || !beside_has_shown(&s->company, late->heard))
		return false;
	recorder_begin(r, late->number, &late->c);
	kernel_log_recall(&r->kernel, late->heard);
	spares = is_expected_report(s, r, &late->seen);
	if (spares)
		at_once_write_end(s, r, &late->seen, NULL);
	kernel_log_forget(&r->kernel);
	return spares;
}

static bool end_alone(struct schedule *s, struct recorder *r,
		      const struct later_case *late, struct judgement *judged)
{
	if (late->heard || late->lost)
		beside_note(&s->company, late,
			    verdict_is_death(judged->verdict));
	return at_once_write_end(s, r, judged,
				 late->again ? &late->seen : NULL);
}

/* A worker that died is pinned on its case, unless the kernel may have killed
 * it for want of memory. A report of the kernel, a hang and any other failure
 * may come from what else was running. A case that is expected to bring a
 * report about need not show alone what another one has shown. */
static bool is_doubtful(const struct schedule *s, const struct recorder *r,
			const struct judgement *judged, bool own_death)
{
	if (own_death || (is_expected_report(s, r, judged) &&
			  beside_has_shown(&s->company, &r->kernel)))
		return false;
	return r->kernel.found || case_end_fails(s->writer, r, judged);
}

/* Returns true if a case has to run again alone before its failure counts:
 * others ran beside it, or its waits may have been shortened. */
static bool must_run_again(const struct schedule *s, const struct slot *slot,
			   const struct recorder *r,
			   const struct judgement *judged, bool own_death)
{
	if (slot->late || !is_doubtful(s, r, judged, own_death))
		return false;
	if (judged->peer_lost) /* perhaps by what is between the hosts */
		return !so_far_suspects(&s->work->so_far, r->number);
	return slot->beside || (!r->patience.lengthens && !r->kernel.found &&
				!verdict_is_death(judged->verdict));
}

static bool decide_end(struct schedule *s, const struct slot *slot,
		       struct recorder *r, struct judgement *judged,
		       bool own_death)
{
	if (must_run_again(s, slot, r, judged, own_death))
		return run_again(s, r, judged);
	if (r->kernel.found)
		beside_pin(&s->company, &r->kernel);
	return slot->late ? end_alone(s, r, slot->late, judged)
			  : at_once_write_end(s, r, judged, NULL);
}

static bool end_case(struct schedule *s, unsigned int i,
		     struct judgement *judged, bool own_death)
{
	bool good = decide_end(s, &s->slot[i], pool_recorder(&s->pool, i),
			       judged, own_death);

	if (good)
		gathered_end(s, &s->slot[i]);
	s->slot[i] = (struct slot){0};
	s->busy--;
	return good && at_once_write_heard(s);
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
		beside_pin(&s->company, &r->kernel);
		if (!at_once_write_end(s, r, &judged, NULL))
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
	return at_once_write(s, event_target(e->t, e->target, s->run,
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
	patience_add_since(&s->patience, &r->patience, s->slot[i].round_trips);
	s->times.cases += now_us() - r->began_us;
	s->times.calls += r->processor_us;
	if (!end_case(s, i, &judged, false))
		return false;
	if (!r->broken[0])
		return true;
	snprintf(why, sizeof(why), "%s: %s", s->writer->target, r->broken);
	return at_once_fail(s, why);
}

/* Returns true if somebody else than the supervisor sent SIGKILL. After an oops
 * the kernel does so, too, and its log tells. */
static bool was_killed(const struct watch *w, enum watch_end end)
{
	return end == WATCH_SIGNALLED && w->status == SIGKILL &&
	       !w->recorder->kernel.found;
}

/* A user who stops ibvet at once has learned nothing about the cases under way.
 * Neither has a job that is ended by SIGTERM and then by SIGKILL for all of its
 * processes, of which a worker may be the first. */
static bool is_stopped(const struct schedule *s, const struct watch *w,
		       enum watch_end end)
{
	return s->watch->at_once ||
	       (s->watch->interrupted && was_killed(w, end));
}

static bool end_dead(struct schedule *s, const struct pool_event *event)
{
	const struct watch *w = &s->pool.worker[event->worker].watch;
	struct judgement judged;

	if (!event->busy)
		return true;
	if (is_stopped(s, w, event->end)) {
		gathered_forget(s, event->worker);
		s->busy--;
		return true;
	}
	beside_hear(&s->company, &s->own->kernel);
	child_judge(w, event->end, &judged);
	child_hear_kernel(w->recorder, &judged);
	return end_case(s, event->worker, &judged,
			event->end != WATCH_STALLED &&
				!was_killed(w, event->end));
}

/* The kernel reports later that a process is blocked which SIGKILL did not end.
 * That report belongs to no later case. */
static void leave_behind(struct schedule *s, const struct pool_event *event)
{
	beside_hear(&s->company, &s->own->kernel);
	kernel_log_leave(s->pool.worker[event->worker].watch.pid);
}

/* A device may have fewer contexts than there are workers: the others go on. */
static bool worker_gave_up(struct schedule *s, const struct recorder *r)
{
	for (unsigned int i = 0; s->announced && i < s->pool.n; i++)
		if (s->pool.worker[i].state != POOL_OFF)
			return true;
	s->run->exit = r->exit;
	return at_once_fail(s, r->error[0] ? r->error : "the worker gave up");
}

/* Returns false if too many workers have died in vain. */
static bool may_follow(struct schedule *s, const struct pool_event *event)
{
	bool achieved = event->busy || s->writer->done != s->ended;

	if (event->end == WATCH_DONE)
		return true;
	s->ended = s->writer->done;
	return !pool_forgive(&s->pool, event, achieved);
}

static bool worker_died(struct schedule *s, const struct pool_event *event)
{
	if (event->end == WATCH_GAVE_UP)
		return worker_gave_up(s,
				      pool_recorder(&s->pool, event->worker));
	if (event->end == WATCH_STUCK)
		leave_behind(s, event);
	if (!end_dead(s, event))
		return false;
	if (at_once_is_over(s))
		return true;
	if (may_follow(s, event) && !pool_start(&s->pool, event->worker))
		return true;
	s->failed = true;
	return false;
}

/* Waits for news of a worker. Returns false if the run is at an end. The file
 * has all events before the supervisor sleeps. */
static bool wait_for_news(struct schedule *s)
{
	struct pool_event event;

	if (!pool_has_news(&s->pool) && !gathered_write(s, false))
		return false;
	event = pool_wait(&s->pool);
	switch (event.news) {
	case POOL_OPENED:
		return announce(s, pool_recorder(&s->pool, event.worker));
	case POOL_ENDED:
		return worker_ended(s, event.worker);
	case POOL_DIED:
		return worker_died(s, &event);
	default:
		s->quiet = true;
		return false;
	}
}

static bool opens_or_closes(const struct schedule *s)
{
	for (unsigned int i = 0; i < s->pool.n; i++)
		if (s->pool.worker[i].state == POOL_OPENING ||
		    s->pool.worker[i].state == POOL_CLOSING)
			return true;
	return false;
}

/* Also at the end of a run each case under way gets its end. */
void at_once_drain(struct schedule *s)
{
	while (!s->quiet &&
	       (s->busy || (!at_once_is_over(s) && opens_or_closes(s))))
		wait_for_news(s);
}

/* Returns a worker that is free, or -1 if the run is at an end. */
static int free_worker(struct schedule *s)
{
	do
		for (unsigned int i = 0; i < s->pool.n; i++)
			if (s->pool.worker[i].state == POOL_FREE)
				return (int)i;
	while (!at_once_is_over(s) && wait_for_news(s));
	return -1;
}

/* --- The beginning of a case ---------------------------------------------- */

/* Writes the begin event of the recorder's case. */
static bool write_begin(struct schedule *s, struct recorder *r,
			struct slot *slot)
{
	struct journal *j = s->writer->journal;

	slot->at = slot->end = j->size + (off_t)j->len;
	if (event_begin(j, s->writer->t, r, r->live, s->busy))
		return gathered_lost(s);
	slot->end = j->size + (off_t)j->len;
	return gathered_write(s, r->live);
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

/* Returns a worker with a new process, which remembers nothing of the cases
 * before; or one that is free if the device does not open again. */
static int fresh_worker(struct schedule *s)
{
	int i = free_worker(s);
	const struct pool_worker *w = i < 0 ? NULL : &s->pool.worker[i];

	if (!w)
		return -1;
	pool_dismiss(&s->pool, (unsigned int)i);
	while (w->state == POOL_CLOSING || w->state == POOL_OPENING)
		if (at_once_is_over(s) || !wait_for_news(s))
			return -1;
	return w->state == POOL_FREE ? i : free_worker(s);
}

static int worker_for(struct schedule *s, const struct later_case *late)
{
	if (s->here.target)
		return 0;
	return late && late->again ? fresh_worker(s) : free_worker(s);
}

bool at_once_begin(struct schedule *s, uint64_t number,
		   const struct test_case *c, const struct later_case *late)
{
	int i = worker_for(s, late);
	struct recorder *r;

	if (i < 0)
		return false;
	r = pool_recorder(&s->pool, (unsigned int)i);
	recorder_begin(r, number, c);
	note_company(s, (unsigned int)i);
	s->slot[i].late = late;
	s->slot[i].round_trips = s->patience.n;
	r->patience = s->patience;
	/* No failure that counts rests on a wait that was shortened. */
	r->patience.lengthens = late || s->pool.n == 1;
	if (!write_begin(s, r, &s->slot[i]))
		return false;
	if (s->here.target)
		return run_here(s);
	s->busy++;
	pool_give(&s->pool, (unsigned int)i);
	return true;
}

/* --- The start ------------------------------------------------------------ */

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
	return at_once_fail(s, "ibvet gave up");
}

static bool start_workers(struct schedule *s)
{
	for (unsigned int i = 0; i < s->pool.n; i++)
		if (pool_start(&s->pool, i))
			return at_once_fail(s, "no worker");
	while (!s->announced)
		if (at_once_is_over(s) || !wait_for_news(s))
			return false;
	return true;
}

bool at_once_open(struct schedule *s)
{
	s->pool = (struct pool){
		.watch = s->watch, .work = work_in_process, .arg = s->work};
	s->failed = pool_open(&s->pool, s->work->jobs) != 0;
	return !s->failed;
}

bool at_once_start(struct schedule *s)
{
	return s->work->options->no_fork ? open_here(s) : start_workers(s);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Examines a finding. The program that showed it runs again by itself, and
 * then, if it does not show the finding, with more and more of the calls before
 * it. A finding that can be reproduced is shrunk. The program runs once more
 * for the record, and the finding is written as a case, which the device's
 * profile may expect.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fire/fire.h"
#include "fuzz/hunt/known_deviation.h"
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/state.h"
#include "supervise/child.h"

enum {
	REPEAT = 2,
	THREADS_RUNS = 40,
	SHRINK_US = 20 * 1000000,
	AFTER_US = 5 * 1000000
};

/* A finding that is being examined. */
struct examination {
	struct hunt *h;
	struct hunt_lane *lane;	     /* of the worker that found it */
	const struct recorder *from; /* of that worker */
	bool has_twin;		     /* see hunt_examine_finding() */
	bool died;	 /* the worker died, and left no judgement */
	bool verb_known; /* when it died: which verb was under way */
	struct judgement seen;
	char key[FINDING_KEY_LEN];
	struct kernel_log heard; /* the log while the worker ran */
	struct finding finding;
	struct program shown, small; /* before and while it is shrunk */
	bool stable;		     /* the finding can be reproduced */
	bool lost;		 /* the run for the record does not show it */
	char how[RUN_ERROR_LEN]; /* why it is not stable */
};

/* --- Reproducing ---------------------------------------------------------- */

static bool shows_the_same(const struct examination *c)
{
	const struct judgement *now = &c->finding.shown.judged;

	return now->verdict == c->seen.verdict && now->row == c->seen.row;
}

static void key_of_attempt(const struct examination *c,
			   char key[FINDING_KEY_LEN])
{
	const struct judgement *j = &c->finding.shown.judged;
	unsigned int verb = VERB_NR;

	if (j->call >= 0 && j->call < c->small.ncalls)
		verb = c->small.call[j->call].verb;
	finding_key(j, verb, 0, key);
	finding_key_add_class(&c->small, j, key);
}

/* Copies the calls and outcomes from the recorder, which may be used again. */
static void copy_recorded_calls(struct examination *c)
{
	struct observed *observed = &c->lane->observed;
	const struct recorder *r = c->from;

	for (int i = 0; i < r->begun; i++) {
		const struct recorded_call *call = &r->call[i];

		if (call->bound.verb == VERB_NR)
			continue;
		observed_add_call(observed, &r->program, i);
		if (i < r->returned)
			observed_add_outcome(observed, &r->program,
					     call->bound.verb, &call->outcome);
	}
}

static int try_program(struct examination *c, const struct program *p)
{
	struct hunt *h = c->h;

	c->finding = (struct finding){
		.attempts = h->attempts,
		.repeat = REPEAT,
		.strict = h->options->run.strict,
	};
	prog_copy(&c->small, p);
	switch (finding_establish(&c->finding, &c->small)) {
	case FINDING_BROKEN:
		snprintf(h->err, sizeof(h->err), "%s", c->finding.err);
		return RUN_BROKEN;
	case FINDING_STABLE:
		c->stable = shows_the_same(c);
		break;
	case FINDING_NONE:
	case FINDING_FLAKY:
		snprintf(c->how, sizeof(c->how), "%s", c->finding.err);
		break;
	}
	return 0;
}

/* Tries the last plan alone, then with more and more of the plans before. */
static int try_session(struct examination *c)
{
	const struct session *s = &c->lane->session;
	struct stepper *stepper = &c->h->stepper;
	unsigned int last = s->n ? 1 : 0;
	int ret = 0;

	while (session_program(stepper, s, last)) {
		ret = try_program(c, &stepper->program);
		if (ret || c->stable || last == s->n)
			return ret;
		last = 2 * last < s->n ? 2 * last : s->n;
	}
	return ret;
}

/* Tries the last call of a walk, with more and more of the calls before. */
static int try_history(struct examination *c)
{
	const struct history *t = &c->lane->history;
	int ret = 0;

	for (unsigned int n = 0; n <= 2 * HISTORY_FAR + 1; n++) {
		if (!history_program(t, n / 2, n % 2, &c->shown))
			continue;
		ret = try_program(c, &c->shown);
		if (ret || c->stable)
			break;
	}
	return ret;
}

static int reproduce(struct examination *c)
{
	if (c->lane->history.n)
		return try_history(c);
	if (c->lane->session.kind < QK_NR)
		return try_session(c);
	return try_program(c, &c->from->program);
}

/* Returns the longest program that may show the finding, or NULL if that does
 * not fit into a program. */
static const struct program *longest_program(struct examination *c)
{
	const struct session *session = &c->lane->session;
	struct stepper *stepper = &c->h->stepper;

	if (c->lane->history.n)
		return history_program(&c->lane->history, HISTORY_FAR, true,
				       &c->shown)
			       ? &c->shown
			       : NULL;
	if (session->kind < QK_NR)
		return session_program(stepper, session, session->n)
			       ? &stepper->program
			       : NULL;
	return &c->from->program;
}

static int save_under_way(struct examination *c)
{
	const struct program *p = longest_program(c);

	return p ? hunt_save_under_way(c->h, p) : 0;
}

/* --- For the record ------------------------------------------------------- */

static int run_child(void *arg)
{
	const struct hunt *h = arg;
	const struct run_options *o = &h->options->run;
	struct recorder *r = h->recorder;
	const struct judge_trace trace = recorder_trace(r);
	struct target *t;
	struct judge *j;

	if (target_open(o->device[0], &o->target, &t, r->error,
			sizeof(r->error)))
		return CHILD_GAVE_UP;
	j = judge_new(&t->info);
	if (!j) {
		snprintf(r->error, sizeof(r->error), "no memory");
		return CHILD_GAVE_UP;
	}
	kernel_log_begin(&r->kernel);
	judge_program(t, j, &r->program, &trace, &h->shared->said);
	judge_free(j);
	t->ops->close(t);
	return CHILD_DONE;
}

/* Runs the program and records every call. */
static int record_once(struct examination *c, struct judgement *judged)
{
	struct hunt *h = c->h;
	struct recorder *r = h->recorder;
	struct test_case as = {.program = &c->small, .anywhere = true};
	enum watch_end end;

	kernel_log_read(&r->kernel); /* skip what earlier attempts left */
	recorder_begin(r, h->findings, &as);
	end = child_run(&h->watch, run_child, h);
	if (end == WATCH_GAVE_UP)
		return hunt_fail(h, RUN_BROKEN, r->error);
	*judged = h->shared->said;
	if (end != WATCH_DONE)
		child_judge(&h->watch, end, judged);
	return 0;
}

/* What threads show depends on time, so that such a program runs until it shows
 * the finding. */
static int record(struct examination *c, struct judgement *judged)
{
	unsigned int runs = program_has_threads(&c->small) ? THREADS_RUNS : 1;
	int ret;

	do {
		ret = record_once(c, judged);
	} while (!ret && --runs && !c->h->watch.interrupted &&
		 (judged->verdict != c->seen.verdict ||
		  judged->row != c->seen.row));
	return ret;
}

static const char *not_again(const struct examination *c)
{
	return c->h->worker.shares_device
		       ? "it was not reproduced alone, without the programs "
			 "that ran beside it"
		       : "it was not reproduced";
}

/* Restores the first judgement if the run for the record did not show it. */
static void restore_judgement(struct examination *c, struct judgement *judged)
{
	struct kernel_log *log = &c->h->recorder->kernel;
	char note[600];

	if (judged->verdict == c->seen.verdict && judged->row == c->seen.row)
		return;
	if (log->found != KERNEL_QUIET)
		return; /* the case then is about the kernel's report */
	c->lost = true;
	*judged = c->seen;
	judged->call = -1;
	if (c->heard.found != KERNEL_QUIET) {
		kernel_log_recall(log, &c->heard);
		snprintf(judged->observed, sizeof(judged->observed), "%s",
			 not_again(c));
		return;
	}
	snprintf(note, sizeof(note), "%.300s; %s: %.150s%s", c->seen.observed,
		 not_again(c), c->how[0] ? c->how : "the last run passed",
		 observed_any(&c->lane->observed)
			 ? "; found/ has the outcome of each call"
			 : "");
	snprintf(judged->observed, sizeof(judged->observed), "%.511s", note);
}

static void set_case(struct examination *c, const struct judgement *judged)
{
	struct test_case *is = &c->h->recorder->current;

	known_deviation_set_case(c->h->recorder, judged, c->key);
	if (judged->row != ROW_NONE)
		snprintf(is->sentence, sizeof(is->sentence), "%.319s",
			 rule(judged->row)->text);
	else
		snprintf(is->sentence, sizeof(is->sentence),
			 "Every call of a program returns, and the kernel has "
			 "nothing to report.");
}

/* Returns true if the profile has a line about the finding. */
static bool is_expected(struct examination *c, const struct judgement *judged)
{
	set_case(c, judged);
	return is_known_deviation(&c->h->writer.expect, c->h->recorder, judged);
}

/* Writes the program before it was shrunk; for a finding that was not
 * reproduced also the outcome of each call. */
static void write_found(const struct examination *c)
{
	char name[CASE_ID_LEN], path[HUNT_FOUND_LEN];
	FILE *file;

	snprintf(name, sizeof(name), "%s", c->h->recorder->current.id);
	for (char *at = name; *at; at++)
		*at = *at == '/' ? '.' : *at;
	if (c->lost && observed_any(&c->lane->observed)) {
		hunt_found_path(c->h, name, HUNT_OBSERVED, path);
		observed_write(&c->lane->observed, path);
	}
	hunt_found_path(c->h, name, HUNT_PROGRAM_FILE, path);
	file = fopen(path, "we");
	if (!file)
		return;
	prog_print(&c->shown, file);
	fclose(file);
}

static struct hunt_known *add_known(struct hunt *h, const char *key)
{
	struct hunt_shared *s = h->shared;
	struct hunt_known *k = &s->known[s->nknown];

	snprintf(k->key, sizeof(k->key), "%s", key);
	snprintf(k->id, sizeof(k->id), "%s", h->recorder->current.id);
	k->times = 1;
	k->expected = false;
	s->nknown++;
	return k;
}

/* Returns true if the run for the record has another key, which then counts as
 * known, too. A shrunk program may break the rule by another call. */
static bool has_another_key(const struct examination *c,
			    const struct judgement *recorded, const char *key)
{
	const struct hunt *h = c->h;

	return c->stable && h->recorder->kernel.found == KERNEL_QUIET &&
	       verdict_accuses(recorded->verdict, h->options->run.strict) &&
	       strcmp(key, c->key) != 0;
}

static int write_case(struct examination *c, struct judgement *judged)
{
	struct hunt *h = c->h;
	struct hunt_known *k, *other;
	char recorded[FINDING_KEY_LEN];
	bool another;

	kernel_log_read(&h->recorder->kernel);
	finding_key_recorded(h->recorder, judged, recorded);
	another = has_another_key(c, judged, recorded);
	restore_judgement(c, judged);
	set_case(c, judged);
	k = add_known(h, c->key);
	if (hunt_journal_known(h, k))
		return hunt_fail(h, RUN_BROKEN, "no memory");
	if (another && h->shared->nknown < HUNT_KNOWN_MAX &&
	    !hunt_count_if_known(h->shared, recorded)) {
		other = add_known(h, recorded);
		other->times = 0;
		if (hunt_journal_known(h, other))
			return hunt_fail(h, RUN_BROKEN, "no memory");
	}
	write_found(c);
	child_hear_kernel(h->recorder, judged);
	if (case_end_write(&h->writer, judged, h->err, sizeof(h->err)) ||
	    journal_flush(h->writer.journal, false, h->err, sizeof(h->err)))
		return RUN_BROKEN;
	k->expected = judged->verdict == VERDICT_EXPECTED;
	h->findings++;
	return 0;
}

/* --- One finding ---------------------------------------------------------- */

/* Returns the deadline for shrinking. A hunt that is over allows its last
 * finding a little time. */
static uint64_t shrink_until(const struct hunt *h)
{
	uint64_t until = now_us() + SHRINK_US;
	uint64_t over = h->worker.deadline_us + AFTER_US;

	return until < over ? until : over;
}

static int shrink(struct examination *c)
{
	struct hunt *h = c->h;

	if (attempts_live(h->attempts))
		c->finding.until_us = shrink_until(h);
	if (!finding_shrink(&c->finding, &c->small))
		return 0;
	snprintf(h->err, sizeof(h->err), "%s", c->finding.err);
	return RUN_BROKEN;
}

/* Keeps the program of a worker that ended with the same report of the kernel
 * as another one, and does not show it alone. */
static int keep_twin(struct examination *c)
{
	const struct program *p = longest_program(c);

	return p ? hunt_save_twin(c->h, p) : 0;
}

static int record_and_shrink(struct examination *c)
{
	struct judgement judged;
	int ret;

	prog_copy(&c->shown, &c->small);
	ret = record(c, &judged);
	/* A finding that the profile expects is not shrunk. */
	if (!ret && c->stable && !is_expected(c, &judged)) {
		ret = shrink(c);
		if (!ret)
			ret = record(c, &judged);
	}
	return ret ? ret : write_case(c, &judged);
}

static int examine(struct examination *c)
{
	struct hunt *h = c->h;
	int ret = save_under_way(c);

	if (!ret)
		ret = reproduce(c);
	if (ret || attempts_stopped(h->attempts))
		return ret;
	if (!c->stable && c->has_twin)
		return keep_twin(c);
	if (c->died && c->stable)
		key_of_attempt(c, c->key);
	if (c->died && hunt_count_if_known(h->shared, c->key))
		return 0;
	return record_and_shrink(c);
}

/* Sets judgement and key of a worker that died, from the call under way. */
static void judge_death(struct examination *c, const struct watch *w,
			enum watch_end end)
{
	struct recorder *r = w->recorder;
	unsigned int verb = VERB_NR;

	child_judge(w, end, &c->seen);
	if (c->lane->session.kind < QK_NR)
		verb = c->lane->session.under_way;
	else if (c->lane->history.n)
		verb = c->lane->history.under_way;
	else if (c->seen.call >= 0)
		verb = r->call[c->seen.call].bound.verb;
	c->verb_known = verb < VERB_NR;
	child_hear_kernel(r, &c->seen);
	if (r->kernel.found != KERNEL_QUIET) {
		finding_key_recorded(r, &c->seen, c->key);
		return;
	}
	finding_key(&c->seen, verb, 0, c->key);
	finding_key_add_class(&r->program, &c->seen, c->key);
}

/* Takes judgement and key from the worker. Returns true if the finding is known
 * by now: a worker that did not die has looked for it before it ended. A worker
 * for which there was no memory has found nothing. */
static bool is_known(struct examination *c, const struct watch *w,
		     enum watch_end end)
{
	struct hunt_shared *s = c->h->shared;

	c->died = end != WATCH_EXITED || w->status != HUNT_FOUND;
	if (c->died) {
		judge_death(c, w, end);
		if (c->seen.verdict == VERDICT_INCONCLUSIVE)
			return true;
		return c->verb_known && hunt_count_if_known(s, c->key);
	}
	c->seen = c->lane->said;
	snprintf(c->key, sizeof(c->key), "%s", c->lane->key);
	return hunt_count_if_known(s, c->key);
}

static void copy_observed(struct examination *c)
{
	if (c->lane->history.n)
		return; /* a walk has written them */
	observed_begin(&c->lane->observed);
	if (c->lane->session.kind == QK_NR)
		copy_recorded_calls(c);
}

int hunt_examine_finding(struct hunt *h, unsigned int lane, bool has_twin)
{
	const struct watch *w = &h->pool.worker[lane].watch;
	struct examination *c = calloc(1, sizeof(*c));
	int ret = 0;

	if (!c)
		return hunt_fail(h, RUN_BROKEN, "no memory");
	c->h = h;
	c->lane = &h->lane[lane];
	c->from = w->recorder;
	c->has_twin = has_twin;
	if (!is_known(c, w, h->end[lane].how)) {
		copy_observed(c);
		memcpy(&c->heard, &c->from->kernel, sizeof(c->heard));
		ret = examine(c);
	}
	if (attempts_stopped(h->attempts))
		h->watch.interrupted = true;
	else if (!ret)
		hunt_remove_under_way(h);
	c->lane->session.kind = QK_NR;
	history_begin(&c->lane->history);
	free(c);
	return ret;
}

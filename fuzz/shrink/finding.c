/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides whether a candidate shows the finding. A candidate runs on the model
 * first. If it cannot be called there, it does not run on the device. If the
 * finding is that the program's own expectation failed, the model has to meet
 * that expectation.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "fire/fire.h"
#include "fuzz/shrink/finding.h"
#include "fuzz/shrink/shrink.h"
#include "supervise/recorder.h"
#include "run/plural.h"

#define TEXT_LEN 240

enum { THREADS_TRIES = 40 };

/* Prints "VERDICT, rule ID". */
static void print_verdict(const struct attempt *a, char *buf, size_t len)
{
	const struct judgement *j = &a->judged;

	if (j->row != ROW_NONE)
		snprintf(buf, len, "%s, rule %s", verdict_name(j->verdict),
			 rule(j->row)->id);
	else if (j->observed[0])
		snprintf(buf, len, "%s, %.160s", verdict_name(j->verdict),
			 j->observed);
	else
		snprintf(buf, len, "%s", verdict_name(j->verdict));
}

static int try_once(struct finding *f, const struct program *p,
		    struct attempt *shown)
{
	f->tries++;
	f->failure =
		attempts_try(f->attempts, p, shown, f->err, sizeof(f->err));
	return f->failure;
}

/* Returns true if the program can be called, and a conforming device meets its
 * expectations. */
static bool passes_on_model(struct finding *f, const struct program *p)
{
	struct judgement j;

	f->failure =
		attempts_rehearse(f->attempts, p, &j, f->err, sizeof(f->err));
	if (f->failure || verdict_is_death(j.verdict))
		return false;
	if (j.verdict == VERDICT_DEVIATES && j.row == ROW_NONE)
		return f->shown.judged.verdict != VERDICT_DEVIATES ||
		       f->shown.judged.row != ROW_NONE;
	return j.call < 0 || (j.verdict != VERDICT_INCONCLUSIVE &&
			      j.verdict != VERDICT_UNSUPPORTED);
}

/* What threads show depends on time: a program shows the finding if one run of
 * several does. */
static unsigned int runs_at_most(const struct finding *f,
				 const struct program *p)
{
	return program_has_threads(p) && attempts_live(f->attempts)
		       ? THREADS_TRIES
		       : 1;
}

/* The first run may crash or hang, so that it is a process of its own. */
static int try_first(struct finding *f, const struct program *p)
{
	attempts_apart(f->attempts, true);
	for (unsigned int n = runs_at_most(f, p); n; n--) {
		if (try_once(f, p, &f->shown))
			return f->failure;
		if (verdict_accuses(f->shown.judged.verdict, f->strict))
			break;
	}
	attempts_apart(f->attempts, verdict_is_death(f->shown.judged.verdict));
	return 0;
}

/* The model shows the same each time, so that one run is enough. */
static unsigned int runs_needed(const struct finding *f)
{
	return attempts_live(f->attempts) ? f->repeat : 1;
}

static enum finding_is flaky(struct finding *f, const struct attempt *other,
			     unsigned int n)
{
	char first[TEXT_LEN], second[TEXT_LEN];

	print_verdict(&f->shown, first, sizeof(first));
	print_verdict(other, second, sizeof(second));
	snprintf(f->err, sizeof(f->err),
		 "it is flaky: run 1 is %s; run %u is %s", first, n, second);
	return FINDING_FLAKY;
}

static enum finding_is repeat(struct finding *f, const struct program *p)
{
	struct attempt other;

	if (program_has_threads(p))
		return FINDING_STABLE;
	for (unsigned int n = 2; n <= runs_needed(f); n++) {
		if (try_once(f, p, &other))
			return FINDING_BROKEN;
		if (!attempt_same(&f->shown, &other))
			return flaky(f, &other, n);
	}
	return FINDING_STABLE;
}

enum finding_is finding_establish(struct finding *f, const struct program *p)
{
	enum finding_is is;
	char text[TEXT_LEN];

	if (try_first(f, p))
		return FINDING_BROKEN;
	is = repeat(f, p);
	if (is == FINDING_STABLE &&
	    !verdict_accuses(f->shown.judged.verdict, f->strict)) {
		print_verdict(&f->shown, text, sizeof(text));
		snprintf(f->err, sizeof(f->err),
			 "nothing deviates: the verdict is %s", text);
		return FINDING_NONE;
	}
	if (is == FINDING_STABLE)
		f->rehearsed = passes_on_model(f, p);
	return f->failure ? FINDING_BROKEN : is;
}

/* If waits are long enough, shrinking must not make them too short: a poll that
 * is too early breaks the same rule. The model has no clock. */
static int check_waits(struct finding *f, const struct program *p)
{
	if (attempts_on_model(f->attempts))
		return 0;
	if (waits_open(&f->waits, attempts_info(f->attempts)))
		return -ENOMEM;
	f->patient = waits_are_long(&f->waits, p);
	return 0;
}

static bool is_over(const struct finding *f)
{
	return f->failure || attempts_stopped(f->attempts) ||
	       (f->until_us && now_us() >= f->until_us);
}

static bool shows_once(struct finding *f, const struct program *p)
{
	struct attempt shown;

	for (unsigned int n = runs_at_most(f, p); n && !is_over(f); n--) {
		if (try_once(f, p, &shown))
			return false;
		if (attempt_same(&f->shown, &shown)) {
			f->shown = shown;
			return true;
		}
	}
	return false;
}

static bool shows(const struct program *p, void *arg)
{
	struct finding *f = arg;
	struct attempt shown;

	if (is_over(f) || (f->rehearsed && !passes_on_model(f, p)) ||
	    (f->patient && !waits_are_long(&f->waits, p)))
		return false;
	if (program_has_threads(p))
		return shows_once(f, p);
	for (unsigned int n = runs_needed(f); n; n--)
		if (try_once(f, p, &shown) || !attempt_same(&f->shown, &shown))
			return false;
	f->shown = shown;
	return true;
}

static void describe(const struct finding *f, struct program *p,
		     unsigned int before)
{
	const struct judgement *j = &f->shown.judged;
	char text[TEXT_LEN];

	program_cut_to_deviation(p, j);
	print_verdict(&f->shown, text, sizeof(text));
	/* A text that is too long is cut off. */
	if (snprintf(p->about, sizeof(p->about),
		     "%s; %u call%s of %u\nexpected: %s\nobserved: %s", text,
		     p->ncalls, plural(p->ncalls), before, j->expected,
		     j->observed) < 0)
		p->about[0] = '\0';
}

int finding_shrink(struct finding *f, struct program *p)
{
	struct shrink s = {
		.shows = shows,
		.arg = f,
		.info = attempts_info(f->attempts),
	};
	unsigned int before = p->ncalls;

	if (check_waits(f, p) || shrink_program(p, &s)) {
		snprintf(f->err, sizeof(f->err), "no memory");
		f->failure = -ENOMEM;
	}
	waits_close(&f->waits);
	if (!f->failure)
		describe(f, p, before);
	return f->failure;
}

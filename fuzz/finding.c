/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Whether a candidate shows what the whole program showed. It is rehearsed on
 * the model first: what cannot be called at all is not tried on a device, and
 * where a program's own expectation is what failed, it has to be one that a
 * conforming device meets.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "fuzz/finding.h"
#include "fuzz/shrink.h"
#include "run/recorder.h"

#define TEXT_LEN 240

static bool counts(const struct finding *f, enum verdict v)
{
	return v == VERDICT_DEVIATES || v == VERDICT_CRASHED ||
	       v == VERDICT_HUNG || (f->strict && v == VERDICT_NON_STRICT);
}

/* "deviates, rule ID" */
static void tell(const struct attempt *a, char *buf, size_t len)
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

/* Can it be called, and are its expectations those of the contract? */
static bool does_well(struct finding *f, const struct program *p)
{
	struct judgement j;

	exec_program(f->own, f->judge, p, NULL, &j);
	if (j.verdict == VERDICT_DEVIATES && j.row == ROW_NONE)
		return f->shown.judged.verdict != VERDICT_DEVIATES ||
		       f->shown.judged.row != ROW_NONE;
	return j.call < 0 || (j.verdict != VERDICT_INCONCLUSIVE &&
			      j.verdict != VERDICT_UNSUPPORTED);
}

static int open_rehearsal(struct finding *f, const struct program *p)
{
	f->failure = model_target_like(attempts_info(f->attempts), &f->own);
	if (!f->failure)
		f->judge = judge_new(&f->own->info);
	if (f->failure || !f->judge) {
		snprintf(f->err, sizeof(f->err), "no memory");
		return f->failure = -ENOMEM;
	}
	f->rehearsed = does_well(f, p);
	return 0;
}

static enum finding_is flaky(struct finding *f, const struct attempt *other,
			     unsigned int n)
{
	char first[TEXT_LEN], second[TEXT_LEN];

	tell(&f->shown, first, sizeof(first));
	tell(other, second, sizeof(second));
	snprintf(f->err, sizeof(f->err),
		 "it is flaky: run 1 is %s; run %u is %s", first, n, second);
	return FINDING_FLAKY;
}

static enum finding_is again(struct finding *f, const struct program *p)
{
	struct attempt other;

	for (unsigned int n = 2; n <= f->repeat; n++) {
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

	if (try_once(f, p, &f->shown))
		return FINDING_BROKEN;
	is = again(f, p);
	if (is == FINDING_STABLE && !counts(f, f->shown.judged.verdict)) {
		tell(&f->shown, text, sizeof(text));
		snprintf(f->err, sizeof(f->err),
			 "nothing deviates: the verdict is %s", text);
		return FINDING_NONE;
	}
	if (is == FINDING_STABLE && open_rehearsal(f, p))
		return FINDING_BROKEN;
	return is;
}

/* On the model what came once comes always. */
static bool shows(const struct program *p, void *arg)
{
	struct finding *f = arg;
	unsigned int times = attempts_live(f->attempts) ? f->repeat : 1;
	struct attempt shown;

	if (f->failure || attempts_stopped(f->attempts) ||
	    (f->until_us && now_us() >= f->until_us) ||
	    (f->rehearsed && !does_well(f, p)))
		return false;
	while (times--)
		if (try_once(f, p, &shown) || !attempt_same(&f->shown, &shown))
			return false;
	f->shown = shown;
	return true;
}

static void tell_about(const struct finding *f, struct program *p,
		       unsigned int before)
{
	const struct judgement *j = &f->shown.judged;
	char text[TEXT_LEN];

	program_show(p, j);
	tell(&f->shown, text, sizeof(text));
	snprintf(p->about, sizeof(p->about),
		 "%s; %u calls of %u\nexpected: %s\nobserved: %s", text,
		 p->ncalls, before, j->expected, j->observed);
}

int finding_shrink(struct finding *f, struct program *p)
{
	struct shrink s = {
		.shows = shows,
		.arg = f,
		.info = attempts_info(f->attempts),
	};
	unsigned int before = p->ncalls;

	if (shrink_program(p, &s)) {
		snprintf(f->err, sizeof(f->err), "no memory");
		f->failure = -ENOMEM;
	}
	if (!f->failure)
		tell_about(f, p, before);
	return f->failure;
}

void finding_free(struct finding *f)
{
	if (f->own)
		f->own->ops->close(f->own);
	judge_free(f->judge);
}

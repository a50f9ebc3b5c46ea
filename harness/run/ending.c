/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what the end of a case leaves behind: its verdict after the
 * profile of expected deviations, the calls that led to it, a reproducer.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "run/ending.h"

bool call_under_way(const struct recorder *r, char *buf, size_t len)
{
	int begun = r->begun;

	if (begun == r->returned || begun == 0)
		return false;
	bound_print(&r->program, &r->call[begun - 1].bound, buf, len);
	return true;
}

static bool deserves_repro(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_DEVIATES:
	case VERDICT_EXPECTED:
	case VERDICT_INCONCLUSIVE:
	case VERDICT_CRASHED:
	case VERDICT_HUNG:
	case VERDICT_HOST_LOST:
		return true;
	default:
		return false;
	}
}

/* What the call that decided came back with: 0, an errno, -1. */
static int deciding_error(const struct recorder *r, const struct judgement *j)
{
	if (j->call < 0 || j->call >= r->returned)
		return -1;
	return outcome_error(r->call[j->call].bound.verb,
			     &r->call[j->call].outcome);
}

static void cover(struct ending *e, const struct judgement *judged)
{
	const struct recorder *r = e->recorder;
	struct qp_states states;

	if (judged->verdict == VERDICT_UNSUPPORTED)
		return;
	qp_states_init(&states);
	for (int i = 0; i < r->begun; i++)
		coverage_call(&e->coverage, &states, &r->program, i,
			      &r->call[i].bound,
			      i < r->returned ? &r->call[i].outcome : NULL);
	coverage_row(&e->coverage, r->current.row);
	coverage_row(&e->coverage, judged->row);
}

static int add_coverage(struct ending *e)
{
	json_t *points = coverage_fresh(&e->coverage);

	return points ? journal_add(e->journal, event_coverage(e->t, points))
		      : 0;
}

static int add_calls(struct ending *e)
{
	const struct recorder *r = e->recorder;
	int ret = 0;

	for (int i = 0; i < r->begun && !ret; i++) {
		ret = journal_add(e->journal, event_call(e->t, r, i));
		if (!ret && i < r->returned)
			ret = journal_add(e->journal,
					  event_outcome(e->t, r, i));
	}
	return ret;
}

static int add_events(struct ending *e, const struct case_end *end)
{
	enum verdict verdict = end->judged->verdict;
	int ret = 0;

	if (verdict != VERDICT_PASS && verdict != VERDICT_UNSUPPORTED)
		ret = add_calls(e);
	if (!ret)
		ret = add_coverage(e);
	if (!ret)
		ret = journal_add(e->journal,
				  event_end(e->t, e->recorder, end));
	return ret;
}

static int keep_repro(struct ending *e, struct case_end *end, char *path,
		      size_t pathlen, char *err, size_t errlen)
{
	struct recorder *r = e->recorder;
	int ret;

	if (!deserves_repro(end->judged->verdict) || !r->program.ncalls)
		return 0;
	if (r->repros >= REPRO_MAX) {
		end->omitted = true;
		r->omitted++;
		return 0;
	}
	ret = repro_write(e->dir, e->only_target ? NULL : e->target, r,
			  end->judged, path, pathlen, err, errlen);
	end->repro = path;
	r->repros += !ret;
	return ret;
}

/* A report of the kernel decides, whatever the calls came back with. */
static void convict(struct judgement *judged, enum kernel_class found,
		    const char *says)
{
	char own[300] = "";

	if (judged->verdict == VERDICT_DEVIATES)
		snprintf(own, sizeof(own),
			 "; and the calls deviate: expected %.100s, observed "
			 "%.100s",
			 judged->expected, judged->observed);
	judged->verdict = found == KERNEL_HANG ? VERDICT_HUNG : VERDICT_CRASHED;
	judged->call = -1;
	snprintf(judged->expected, sizeof(judged->expected),
		 "nothing to report in the kernel log");
	snprintf(judged->observed, sizeof(judged->observed), "%.200s%s", says,
		 own);
}

static void hear_kernel(struct recorder *r, struct judgement *judged)
{
	char says[KERNEL_LINE + 64], own[200];

	if (judged->verdict == VERDICT_UNSUPPORTED ||
	    judged->verdict == VERDICT_HOST_LOST)
		return;
	kernel_log_read(&r->kernel);
	kernel_log_says(&r->kernel, says, sizeof(says));
	if (!says[0])
		return;
	snprintf(own, sizeof(own), "%.199s", judged->observed);
	if (judged->verdict == VERDICT_CRASHED ||
	    judged->verdict == VERDICT_HUNG)
		snprintf(judged->observed, sizeof(judged->observed), "%s; %s",
			 says, own);
	else
		convict(judged, r->kernel.found, says);
}

int ending_write(struct ending *e, struct judgement *judged, char *err,
		 size_t errlen)
{
	struct recorder *r = e->recorder;
	struct case_end end = {.judged = judged};
	struct expect_seen seen;
	char path[RUN_PATH_LEN] = "";
	int ret;

	hear_kernel(r, judged);
	seen = (struct expect_seen){
		.error = deciding_error(r, judged),
		.row = judged->row ? judged->row : r->current.row,
	};
	end.expectation = expect_apply(&e->expect, r->current.id, &seen,
				       e->strict, &judged->verdict);
	if (judged->verdict == VERDICT_FIXED)
		expect_tell_fixed(&e->expect, end.expectation, judged);
	end.with_program = judged->verdict != VERDICT_PASS &&
			   judged->verdict != VERDICT_UNSUPPORTED;
	cover(e, judged);
	ret = keep_repro(e, &end, path, sizeof(path), err, errlen);
	if (ret)
		return ret;
	ret = add_events(e, &end);
	if (ret) {
		snprintf(err, errlen, "%s: %s", e->journal->path,
			 strerror(-ret));
		return ret;
	}
	ret = journal_flush(e->journal, false, err, errlen);
	if (ret)
		return ret;
	r->failures += verdict_fails(judged->verdict, e->strict);
	recorder_end(r);
	return 0;
}

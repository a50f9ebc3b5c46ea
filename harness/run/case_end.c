/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what is kept of a case that ended: the verdict after the profile of
 * expected deviations was applied, the calls, and a reproducer.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "program/which_device.h"
#include "run/case_end.h"

static bool deserves_repro(enum verdict verdict, bool strict)
{
	switch (verdict) {
	case VERDICT_DEVIATES:
	case VERDICT_EXPECTED:
	case VERDICT_INCONCLUSIVE:
	case VERDICT_CRASHED:
	case VERDICT_HUNG:
	case VERDICT_HOST_LOST:
		return true;
	case VERDICT_NON_STRICT:
		return strict;
	default:
		return false;
	}
}

int case_end_deciding_error(const struct recorder *r, const struct judgement *j)
{
	if (j->call < 0 || j->call >= r->returned)
		return -1;
	return outcome_error(r->call[j->call].bound.verb,
			     &r->call[j->call].outcome);
}

static void cover(struct case_writer *e, const struct judgement *judged)
{
	const struct recorder *r = e->recorder;
	struct qp_states states;

	if (judged->verdict == VERDICT_UNSUPPORTED)
		return;
	qp_states_init(&states);
	for (int i = 0; i < r->begun; i++)
		if (r->call[i].bound.verb != VERB_NR)
			coverage_call(&e->coverage, &states, &r->program, i,
				      &r->call[i].bound,
				      i < r->returned ? &r->call[i].outcome
						      : NULL);
	coverage_row(&e->coverage, r->current.row);
	coverage_row(&e->coverage, judged->row);
}

static int add_calls(struct case_writer *e)
{
	const struct recorder *r = e->recorder;
	int ret = 0;

	for (int i = 0; i < r->begun && !ret; i++) {
		if (r->call[i].bound.verb == VERB_NR)
			continue;
		ret = event_call(e->journal, e->t, r, i);
		if (!ret && i < r->returned)
			ret = event_outcome(e->journal, e->t, r, i);
	}
	return ret;
}

static int add_events(struct case_writer *e, const struct case_end *end)
{
	enum verdict verdict = end->judged->verdict;
	int ret = 0;

	if (verdict != VERDICT_PASS && verdict != VERDICT_UNSUPPORTED)
		ret = add_calls(e);
	return ret ? ret : event_end(e->journal, e->t, e->recorder, end);
}

static int keep_repro(struct case_writer *e, struct case_end *end, char *path,
		      size_t pathlen, char *err, size_t errlen)
{
	struct recorder *r = e->recorder;
	int ret;

	if (!deserves_repro(end->judged->verdict, e->strict) ||
	    !r->program.ncalls)
		return 0;
	if (e->repros >= REPRO_MAX) {
		end->omitted = true;
		e->omitted++;
		return 0;
	}
	ret = case_end_write_repro(e->dir, e->only_target ? NULL : e->target, r,
				   end->judged, path, pathlen, err, errlen);
	end->repro = path;
	e->repros += !ret;
	return ret;
}

static struct expect_seen what_is_seen(const struct recorder *r,
				       const struct judgement *judged)
{
	return (struct expect_seen){
		.error = case_end_deciding_error(r, judged),
		.row = judged->row ? judged->row : r->current.row,
		.anywhere = r->current.anywhere,
	};
}

/* Returns true if a second device that differs from the first one alone is to
 * blame. */
static bool is_of_second(const struct case_writer *e,
			 const struct judgement *judged)
{
	return e->expect.second_differs && judged->whose == WHOSE_SECOND;
}

/* Returns the line about the second device that excuses the failure, or NULL.
 */
static const struct expectation *second_excuse(const struct case_writer *e,
					       const struct recorder *r,
					       const struct judgement *judged)
{
	struct expect_seen seen = what_is_seen(r, judged);

	if (judged->whose == WHOSE_FIRST ||
	    !program_has_two_devices(&r->program))
		return NULL;
	return expect_excuse(&e->second_expect, r->current.id, &seen,
			     judged->verdict);
}

bool case_end_fails(const struct case_writer *e, const struct recorder *r,
		    const struct judgement *judged)
{
	struct expect_seen seen = what_is_seen(r, judged);

	seen.of_other = is_of_second(e, judged);
	return verdict_fails(judged->verdict, e->strict) &&
	       !expect_excuse(&e->expect, r->current.id, &seen,
			      judged->verdict) &&
	       !second_excuse(e, r, judged);
}

/* Returns the line that changed the verdict, or NULL. */
static const struct expectation *find_expectation(struct case_writer *e,
						  struct judgement *judged)
{
	const struct recorder *r = e->recorder;
	struct expect_seen seen = what_is_seen(r, judged);
	const struct expectation *x;

	seen.of_other = is_of_second(e, judged);
	x = expect_apply(&e->expect, r->current.id, &seen, e->strict,
			 &judged->verdict);
	if (x || !verdict_fails(judged->verdict, e->strict))
		return x;
	x = second_excuse(e, r, judged);
	if (x)
		judged->verdict = VERDICT_EXPECTED;
	return x;
}

int case_end_write(struct case_writer *e, struct judgement *judged, char *err,
		   size_t errlen)
{
	struct recorder *r = e->recorder;
	struct case_end end = {.judged = judged, .beside = e->beside};
	char path[RUN_PATH_LEN] = "", line[RUN_PATH_LEN + 256] = "";
	int ret;

	end.expectation = find_expectation(e, judged);
	if (judged->verdict == VERDICT_FIXED)
		expect_tell_fixed(&e->expect, end.expectation, judged);
	else if (verdict_fails(judged->verdict, e->strict))
		expect_tell_unexpected(&e->expect, r->current.id, line,
				       sizeof(line));
	end.profile = line;
	end.with_program = judged->verdict != VERDICT_PASS &&
			   judged->verdict != VERDICT_UNSUPPORTED;
	cover(e, judged);
	ret = keep_repro(e, &end, path, sizeof(path), err, errlen);
	if (ret)
		return ret;
	end.reached = coverage_fresh(&e->coverage);
	ret = add_events(e, &end);
	json_decref(end.reached);
	if (ret) {
		snprintf(err, errlen, "%s: %s", e->journal->path,
			 strerror(-ret));
		return ret;
	}
	e->failures += verdict_fails(judged->verdict, e->strict);
	e->done++;
	e->ends++;
	recorder_tick(r);
	return 0;
}

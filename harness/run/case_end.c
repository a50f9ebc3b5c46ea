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

static bool is_of_other_driver(const struct recorder *r, int call)
{
	const struct device_info *second = r->info.second;
	const struct program *p = &r->program;

	return second && strcmp(second->driver, r->info.driver) != 0 &&
	       call >= 0 && call < p->ncalls &&
	       call_is_on_second(p, &p->call[call]);
}

static struct expect_seen what_is_seen(const struct recorder *r,
				       const struct judgement *judged)
{
	return (struct expect_seen){
		.error = case_end_deciding_error(r, judged),
		.row = judged->row ? judged->row : r->current.row,
		.anywhere = r->current.anywhere,
		.of_other_driver = is_of_other_driver(r, judged->call),
	};
}

bool case_end_fails(const struct case_writer *e, const struct recorder *r,
		    const struct judgement *judged)
{
	struct expect_seen seen = what_is_seen(r, judged);

	return verdict_fails(judged->verdict, e->strict) &&
	       !expect_excuses(&e->expect, r->current.id, &seen,
			       judged->verdict);
}

int case_end_write(struct case_writer *e, struct judgement *judged, char *err,
		   size_t errlen)
{
	struct recorder *r = e->recorder;
	struct case_end end = {.judged = judged, .beside = e->beside};
	struct expect_seen seen;
	char path[RUN_PATH_LEN] = "", line[RUN_PATH_LEN + 256] = "";
	int ret;

	seen = what_is_seen(r, judged);
	end.expectation = expect_apply(&e->expect, r->current.id, &seen,
				       e->strict, &judged->verdict);
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

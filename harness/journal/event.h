/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kinds of events and what each holds:
 *
 *	run	 environment, options, seed, names of the targets
 *	target	 what a device says about itself, how many cases there are
 *	begin	 a case is about to run (with its program on live targets)
 *	call	 a call of it is about to be made
 *	outcome	 what the call came back with
 *	end	 the verdict of a case, and all that a report says of it
 *	coverage what a hunt tried for the first time (a case: in its end)
 *	done	 a target has no more cases, or no more time for them
 *	finish	 counts and coverage of the whole run
 *
 * Targets are numbered as in the run event ("t"), cases from 0 in the order
 * of the generator ("n"; what stands as a case and is none has no number).
 * What returns an event returns NULL when memory ends.
 */
#ifndef IBVET_EVENT_H
#define IBVET_EVENT_H

#include <jansson.h>
#include "judge/judge.h"
#include "expect/expect.h"
#include "journal/journal.h"
#include "supervise/recorder.h"
#include "run/run.h"

#define JOURNAL_SCHEMA 1

json_t *event_run(const struct run_options *o);
json_t *event_target(int t, const char *name, const struct target *target,
		     const struct recorder *r);
json_t *event_coverage(int t, json_t *points);
json_t *event_done(int t, uint64_t not_run);

struct case_end {
	const struct judgement *judged;
	const struct expectation *expectation; /* or NULL */
	const char *profile; /* of a failure that it does not explain, or "" */
	const char *repro;   /* path in the run's folder */
	bool omitted;	     /* there were too many reproducers already */
	bool with_program;
	json_t *reached; /* for the first time: points, or NULL */
};

/* Those of a case are gathered in the journal at once: 0 or -ENOMEM. */
int event_begin(struct journal *j, int t, const struct recorder *r,
		bool with_program);
int event_call(struct journal *j, int t, const struct recorder *r, int index);
int event_outcome(struct journal *j, int t, const struct recorder *r,
		  int index);
int event_end(struct journal *j, int t, const struct recorder *r,
	      const struct case_end *e);

/* The options of a run back from its run event, whose strings they borrow;
 * the arrays of them are freed by options_drop(). */
int options_of_event(const json_t *event, struct run_options *o);
void options_drop(struct run_options *o);

#endif

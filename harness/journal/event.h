/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kinds of events and what each holds:
 *
 *	run	 environment, options, seed, names of the targets
 *	target	 what the device says about itself, number of cases
 *	begin	 a case is about to run (with its program on live targets)
 *	again	 a case failed beside others: it will run alone
 *	call	 a call of a case, for cases that did not pass
 *	outcome	 what that call returned
 *	end	 the verdict of a case, and all that reports say about it
 *	coverage what a hunt tried for the first time (for a case: in its end)
 *	done	 a target has no more cases, or no more time for them
 *	finish	 counts and coverage of the whole run
 *
 * "t" is the number of the target in the run event. "n" is the number of the
 * case, from 0 in the order of the generator. OPEN_ID, CLOSE_ID and lines of a
 * profile stand as cases without a number. Functions that return an event
 * return NULL without memory.
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
json_t *event_target(int t, const char *name, const struct recorder *r,
		     unsigned int jobs, const char *boot);
json_t *event_coverage(int t, json_t *points);
/* The time of a target, in microseconds */
struct run_times {
	uint64_t run;	/* by the clock */
	uint64_t cases; /* of all cases, added up */
	uint64_t calls; /* processor time of the cases */
	uint64_t ibvet; /* processor time of the supervisor */
};

struct run_done {
	uint64_t visited; /* cases, which have the numbers from 0 on */
	uint64_t not_run;
	uint64_t ends; /* end events of the target in the journal */
	struct run_times times;
	/* How long nothing was waited for in the end, and the round trip that
	 * this follows from, or 0 and 0 */
	uint32_t quiet_ms, round_trip_us;
};

json_t *event_done(int t, const struct run_done *done);

struct case_end {
	const struct judgement *judged;
	/* What the case did beside others before it ran alone, or NULL */
	const struct judgement *beside;
	const struct expectation *expectation; /* or NULL */
	const char *profile; /* names a line about this case that does not
			      * explain the failure, or "" */
	const char *repro;   /* path in the run's folder */
	bool omitted;	     /* there were too many reproducers already */
	bool with_program;
	json_t *reached; /* coverage points reached for the first time, or NULL
			  */
};

/* Gather an event of a case in the journal. Return 0 or -ENOMEM. `beside` is
 * the number of other cases under way. */
int event_begin(struct journal *j, int t, const struct recorder *r,
		bool with_program, unsigned int beside);
int event_again(struct journal *j, int t, const struct recorder *r,
		const struct judgement *judged);
int event_heard(struct journal *j, int t, const struct heard_report *heard);
int event_call(struct journal *j, int t, const struct recorder *r, int index);
int event_outcome(struct journal *j, int t, const struct recorder *r,
		  int index);
int event_end(struct journal *j, int t, const struct recorder *r,
	      const struct case_end *e);

/* Restores the options of a run from its run event. They point to the event's
 * strings. event_options_drop() frees the arrays. */
int event_options(const json_t *event, struct run_options *o);
void event_options_drop(struct run_options *o);

#endif

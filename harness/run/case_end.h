/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the end of a case to the journal, which the supervisor does.
 */
#ifndef IBVET_CASE_END_H
#define IBVET_CASE_END_H

#include "coverage/coverage.h"
#include "journal/event.h"
#include "journal/journal.h"

#define REPRO_MAX 200 /* programs kept for one target */

/* What stays the same for all cases of a target. */
struct case_writer {
	struct journal *journal;
	struct recorder *recorder; /* of the case that ends */
	/* What the case did beside others before it ran alone, or NULL */
	const struct judgement *beside;
	const char *dir; /* the run's folder */
	const char *target;
	bool only_target; /* the run has no other */
	int t;
	bool strict;
	struct expect_list expect, second_expect; /* see struct found_target */
	struct coverage coverage; /* what this process has covered */
	/* Sums over all cases of the target that this process ended */
	uint64_t done, failures, repros, omitted;
	uint64_t ends; /* end events, also of lines of the profile */
};

/* Returns the errno of the call that decided the verdict, 0 if that call
 * succeeded, -1 if it did not return or no call decided. */
int case_end_deciding_error(const struct recorder *r,
			    const struct judgement *j);
/* Returns true if the case fails and the profile does not excuse it. */
bool case_end_fails(const struct case_writer *e, const struct recorder *r,
		    const struct judgement *judged);
/* Applies the profile of expected deviations to the verdict of the recorder's
 * case, and appends the end of the case to the journal: the calls, unless the
 * case passed, and the end event. The caller flushes the journal. */
int case_end_write(struct case_writer *e, struct judgement *judged, char *err,
		   size_t errlen);

/*
 * Writes DIR/repro/NAME.ibv and, if all calls were made on this host, NAME.c.
 * NAME is the id with dots for slashes, after the target's name unless that is
 * NULL. `path` receives the .ibv file, relative to DIR. Changes the recorder's
 * program to the one that shows the deviation.
 */
int case_end_write_repro(const char *dir, const char *target,
			 struct recorder *r, const struct judgement *judged,
			 char *path, size_t pathlen, char *err, size_t errlen);

#endif

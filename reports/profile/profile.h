/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes a profile of expected deviations from the failures of a run.
 */
#ifndef IBVET_REPORTS_PROFILE_PROFILE_H
#define IBVET_REPORTS_PROFILE_PROFILE_H

#include "reports/reports.h"

/* The link in each line until the user has replaced it */
#define PROFILE_NO_LINK "why://not-explained-yet"

struct profile_sum {
	uint64_t lines, cases;
	uint64_t left; /* failures that no line can expect */
};

/* The section of the profile, and the ids of all cases of the device */
struct profile_scope {
	const char *section; /* the line [CONDITION, ...] */
	/* Calls fn with the id of every case, run or not, because no line may
	 * match a case that was not measured. Returns 0, or -errno. */
	int (*each_id)(void (*fn)(const char *id, void *arg), void *arg,
		       void *context);
	void *context;
};

/* Writes a profile for the first target of the run. Returns 0, or -errno with a
 * line in err. */
int profile_write(const struct report *r, const struct profile_scope *scope,
		  FILE *file, struct profile_sum *sum, char *err,
		  size_t errlen);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A first profile of expected deviations, from a run without one.
 */
#ifndef IBVET_REPORT_PROFILE_H
#define IBVET_REPORT_PROFILE_H

#include "reports/reports.h"

/* What a line that nobody has explained yet ends with. */
#define PROFILE_NO_LINK "why://not-explained-yet"

struct profile_sum {
	uint64_t lines, cases;
	uint64_t left; /* failures that no line can expect */
};

/* What a profile is about, besides the run. */
struct profile_scope {
	const char *section; /* the line in brackets */
	/* Names every case there is, whether the run came to it or not: no line
	 * is to match one that was not measured. 0, or -errno. */
	int (*each_id)(void (*fn)(const char *id, void *arg), void *arg,
		       void *context);
	void *context;
};

/* Of the first target. 0, or -errno with a line in err. */
int profile_write(const struct report *r, const struct profile_scope *scope,
		  FILE *file, struct profile_sum *sum, char *err,
		  size_t errlen);

#endif

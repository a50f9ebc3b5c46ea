/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the journal has of the case under way before its end: the program, on
 * live targets, and of a case that did not pass every call and what it came
 * back with.
 */
#ifndef IBVET_REPORT_TRACE_H
#define IBVET_REPORT_TRACE_H

#include "reports/reports.h"

struct trace {
	int64_t t, n;	 /* whose */
	json_t *calls;	 /* [text, outcome], the outcome only if it returned */
	json_t *program; /* or NULL */
};

/* A begin, call or outcome event */
void trace_follow(struct trace *trace, const struct line *event);
/* Gives an ended case what there is of it, until the next event. */
void trace_end(const struct trace *trace, const struct line *event,
	       struct report_case *c);
void trace_drop(struct trace *trace);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Collects what the journal has about a case before its end event: the program,
 * for live targets, and the calls with their outcomes, if the case did not
 * pass.
 */
#ifndef IBVET_REPORTS_TRACE_H
#define IBVET_REPORTS_TRACE_H

#include "reports/reports.h"

struct trace {
	int64_t t, n;  /* target and case */
	json_t *calls; /* [[text, outcome], …]; no outcome: did not return */
	json_t *program; /* or NULL */
};

/* Takes a begin, call or outcome event. */
void trace_follow(struct trace *trace, const struct line *event);
/* Sets the trace and the program of a case that ended, valid until the next
 * event. */
void trace_end(const struct trace *trace, const struct line *event,
	       struct report_case *c);
void trace_drop(struct trace *trace);

#endif

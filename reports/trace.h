/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Collects the events of a case before its end event. On a live target the
 * begin event has the program. If the case did not pass, there are the calls
 * and their outcomes.
 */
#ifndef IBVET_REPORTS_TRACE_H
#define IBVET_REPORTS_TRACE_H

#include "reports/reports.h"

struct trace {
	int64_t t, n;	 /* target and case */
	json_t *calls;	 /* [[text, outcome], …]; [text]: did not return */
	json_t *program; /* or NULL */
};

/* Takes a begin, call or outcome event. */
void trace_follow(struct trace *trace, const struct line *event);
/* Sets c->trace and c->begun for the case of an end event, if its events were
 * collected. Both are valid until the next event. */
void trace_end(const struct trace *trace, const struct line *event,
	       struct report_case *c);
void trace_drop(struct trace *trace);

#endif

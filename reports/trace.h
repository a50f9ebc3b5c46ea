/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Collects the events of cases before their end events. On a live target the
 * begin event has the program. If a case did not pass, there are the calls and
 * their outcomes. Several cases may be under way.
 */
#ifndef IBVET_REPORTS_TRACE_H
#define IBVET_REPORTS_TRACE_H

#include "reports/reports.h"
#include "supervise/pool.h"

struct trace {
	unsigned int
		n; /* cases under way, the one that began last at the end */
	struct traced_case {
		int64_t t, n;	 /* target and case */
		json_t *calls;	 /* [[text, outcome], …]; [text]: did not
				  * return */
		json_t *program; /* or NULL */
	} open[POOL_MAX];
};

/* Takes a begin, call or outcome event. */
void trace_follow(struct trace *trace, const struct line *event);
/* Sets c->trace and c->begun for the case of an end event, if its events were
 * collected. Both are valid until trace_forget(). */
void trace_end(const struct trace *trace, const struct line *event,
	       struct report_case *c);
/* Forgets the case of an end event. */
void trace_forget(struct trace *trace, const struct line *event);
void trace_drop(struct trace *trace);

#endif

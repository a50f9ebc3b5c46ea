/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Gathers a case's calls, one case at a time.
 */
#include <string.h>
#include "reports/trace.h"

static bool concerns(const struct trace *trace, const json_t *event)
{
	return event_number(event, "t", -1) == trace->t &&
	       event_number(event, "n", -1) == trace->n;
}

static void begin(struct trace *trace, const json_t *event)
{
	trace_drop(trace);
	trace->t = event_number(event, "t", -1);
	trace->n = event_number(event, "n", -1);
	trace->program = json_incref(json_object_get(event, "program"));
}

static void call(struct trace *trace, const json_t *event)
{
	if (!trace->calls)
		trace->calls = json_array();
	json_array_append_new(trace->calls,
			      json_pack("[O]", json_object_get(event, "text")));
}

static void outcome(struct trace *trace, const json_t *event)
{
	int64_t index = event_number(event, "call", -1);

	if (index >= 0)
		json_array_append(json_array_get(trace->calls, (size_t)index),
				  json_object_get(event, "text"));
}

void trace_follow(struct trace *trace, const json_t *event)
{
	const char *kind = event_kind(event);

	if (!strcmp(kind, "begin"))
		begin(trace, event);
	else if (!strcmp(kind, "call") && concerns(trace, event))
		call(trace, event);
	else if (!strcmp(kind, "outcome") && concerns(trace, event))
		outcome(trace, event);
}

void trace_end(const struct trace *trace, const json_t *event,
	       struct report_case *c)
{
	if (!concerns(trace, event))
		return;
	c->trace = trace->calls;
	c->begun = json_string_value(trace->program);
}

void trace_drop(struct trace *trace)
{
	json_decref(trace->calls);
	json_decref(trace->program);
	memset(trace, 0, sizeof(*trace));
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Collects the calls and the program of one case at a time: its begin event
 * drops the case before.
 */
#include <string.h>
#include "reports/trace.h"

/* Returns true if the event is about the case that is being collected. */
static bool is_current(const struct trace *trace, const struct line *event)
{
	return line_number(event, "t", -1) == trace->t &&
	       line_number(event, "n", -1) == trace->n;
}

static void begin(struct trace *trace, const struct line *event)
{
	const char *program = line_text(event, "program");

	trace_drop(trace);
	trace->t = line_number(event, "t", -1);
	trace->n = line_number(event, "n", -1);
	if (program)
		trace->program = json_string(program);
}

static void call(struct trace *trace, const struct line *event)
{
	if (!trace->calls)
		trace->calls = json_array();
	json_array_append_new(trace->calls,
			      json_pack("[s?]", line_text(event, "text")));
}

static void outcome(struct trace *trace, const struct line *event)
{
	int64_t index = line_number(event, "call", -1);

	if (index >= 0)
		json_array_append_new(json_array_get(trace->calls,
						     (size_t)index),
				      json_string(line_text(event, "text")));
}

void trace_follow(struct trace *trace, const struct line *event)
{
	const char *kind = line_kind(event);

	if (!strcmp(kind, "begin"))
		begin(trace, event);
	else if (!strcmp(kind, "call") && is_current(trace, event))
		call(trace, event);
	else if (!strcmp(kind, "outcome") && is_current(trace, event))
		outcome(trace, event);
}

void trace_end(const struct trace *trace, const struct line *event,
	       struct report_case *c)
{
	if (!is_current(trace, event))
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

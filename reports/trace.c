/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Collects the calls and the programs of the cases under way. A case that began
 * while no other was under way drops those before it, whose ends were lost.
 */
#include <string.h>
#include "reports/trace.h"

/* Returns the index of the case that the event is about, or trace->n. */
static unsigned int find(const struct trace *trace, const struct line *event)
{
	int64_t t = line_number(event, "t", -1);
	int64_t n = line_number(event, "n", -1);
	unsigned int i = 0;

	while (i < trace->n && (trace->open[i].t != t || trace->open[i].n != n))
		i++;
	return i;
}

static void drop(struct trace *trace, unsigned int i)
{
	json_decref(trace->open[i].calls);
	json_decref(trace->open[i].program);
	trace->n--;
	memmove(&trace->open[i], &trace->open[i + 1],
		(trace->n - i) * sizeof(trace->open[0]));
}

static void begin(struct trace *trace, const struct line *event)
{
	const char *program = line_text(event, "program");

	if (!line_number(event, "beside", 0))
		trace_drop(trace);
	trace_forget(trace, event);
	if (trace->n == POOL_MAX)
		drop(trace, 0);
	trace->open[trace->n++] = (struct traced_case){
		.t = line_number(event, "t", -1),
		.n = line_number(event, "n", -1),
		.program = program ? json_string(program) : NULL,
	};
}

static void call(struct traced_case *c, const struct line *event)
{
	if (!c->calls)
		c->calls = json_array();
	json_array_append_new(c->calls,
			      json_pack("[s?]", line_text(event, "text")));
}

static void outcome(const struct traced_case *c, const struct line *event)
{
	int64_t index = line_number(event, "call", -1);

	if (index >= 0)
		json_array_append_new(json_array_get(c->calls, (size_t)index),
				      json_string(line_text(event, "text")));
}

void trace_follow(struct trace *trace, const struct line *event)
{
	const char *kind = line_kind(event);
	unsigned int i;

	if (!strcmp(kind, "begin")) {
		begin(trace, event);
		return;
	}
	i = find(trace, event);
	if (i == trace->n)
		return;
	if (!strcmp(kind, "call"))
		call(&trace->open[i], event);
	else if (!strcmp(kind, "outcome"))
		outcome(&trace->open[i], event);
}

void trace_end(const struct trace *trace, const struct line *event,
	       struct report_case *c)
{
	unsigned int i = find(trace, event);

	if (i == trace->n)
		return;
	c->trace = trace->open[i].calls;
	c->begun = json_string_value(trace->open[i].program);
}

void trace_forget(struct trace *trace, const struct line *event)
{
	unsigned int i = find(trace, event);

	if (i < trace->n)
		drop(trace, i);
}

void trace_drop(struct trace *trace)
{
	while (trace->n)
		drop(trace, trace->n - 1);
}

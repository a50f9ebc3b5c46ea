/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the journal for the reports: what a run was, how its cases ended, what
 * they covered. Anything that is not understood is passed over.
 */
#include <stdio.h>
#include <string.h>
#include "reports/fold.h"
#include "reports/trace.h"

static int target_of(const json_t *event)
{
	int64_t t = event_number(event, "t", -1);

	return t >= 0 && t < RUN_MAX_TARGETS ? (int)t : -1;
}

/* False: no end event, or one that is not whole. */
static bool read_case(const json_t *event, const struct report *r,
		      struct report_case *c)
{
	const char *verdict = event_text(event, "verdict");
	int value = verdict ? verdict_by_name(verdict) : -1;

	c->t = target_of(event);
	c->id = event_text(event, "id");
	if (strcmp(event_kind(event), "end") != 0 || value < 0 || c->t < 0 ||
	    !c->id)
		return false;
	c->target = r->target[c->t].name;
	c->verdict = (enum verdict)value;
	c->sentence = event_text(event, "sentence");
	c->expected = event_text(event, "expected");
	c->observed = event_text(event, "observed");
	c->rule_id = event_text(event, "rule");
	c->row = c->rule_id ? row_by_id(c->rule_id) : ROW_NONE;
	c->taken = event_text(event, "taken");
	c->claim = event_text(event, "claim");
	c->reason = event_text(event, "reason");
	c->link = event_text(event, "link");
	c->repro = event_text(event, "repro");
	c->program = event_text(event, "program");
	c->call = (int)event_number(event, "call", -1);
	c->call_text = event_text(event, "call_text");
	c->kernel_log = json_object_get(event, "kernel_log");
	c->us = (uint64_t)event_number(event, "us", 0);
	c->trace = NULL;
	c->begun = NULL;
	return true;
}

struct fold {
	const struct report *report;
	void (*fn)(const struct report_case *c, void *arg);
	void *arg;
	struct trace trace;
};

static bool hand_over(const json_t *event, void *arg)
{
	struct fold *fold = arg;
	struct report_case c;

	if (read_case(event, fold->report, &c)) {
		trace_end(&fold->trace, event, &c);
		fold->fn(&c, fold->arg);
	} else {
		trace_follow(&fold->trace, event);
	}
	return true;
}

int report_each(const struct report *r,
		void (*fn)(const struct report_case *c, void *arg), void *arg,
		char *err, size_t errlen)
{
	static const char *const kinds[] = {"end", "call", "outcome", "begin",
					    NULL};
	struct fold fold = {.report = r, .fn = fn, .arg = arg};
	int ret;

	ret = journal_each_of(kinds, r->dir, hand_over, &fold, NULL, err,
			      errlen);
	trace_drop(&fold.trace);
	return ret;
}

static void count_run(struct report *r, const json_t *event)
{
	const json_t *names = json_object_get(event, "targets");
	size_t n = json_array_size(names);

	if (r->run)
		return;
	r->run = json_deep_copy(event);
	r->strict = json_is_true(json_object_get(event, "strict"));
	r->ntargets = n < RUN_MAX_TARGETS ? (int)n : RUN_MAX_TARGETS;
	for (int t = 0; t < r->ntargets; t++) {
		const char *name =
			json_string_value(json_array_get(names, (size_t)t));

		snprintf(r->target[t].name, sizeof(r->target[t].name), "%s",
			 name ? name : "");
	}
}

static void count_target(struct report_target *target, const json_t *event)
{
	const char *kind = event_text(event, "kind");

	json_decref(target->environment);
	target->environment =
		json_deep_copy(json_object_get(event, "environment"));
	target->selected = (uint64_t)event_number(event, "cases", 0);
	target->live = json_is_true(json_object_get(event, "live"));
	if (kind)
		snprintf(target->kind, sizeof(target->kind), "%s", kind);
	target->not_run = 0;
}

static void count_case(struct report *r, const json_t *event)
{
	struct report_target *target;
	struct report_case c;

	if (!read_case(event, r, &c) || c.t >= r->ntargets)
		return;
	target = &r->target[c.t];
	target->count[c.verdict]++;
	target->total++;
	target->us += c.us;
	target->omitted +=
		json_is_true(json_object_get(event, "repro_omitted"));
	r->count[c.verdict]++;
	r->total++;
	r->failures += report_fails(r, &c);
	if (c.verdict == VERDICT_NON_STRICT)
		r->by_row[c.row]++;
}

static bool count(const json_t *event, void *arg)
{
	const char *kind = event_kind(event);
	struct report *r = arg;
	int t = target_of(event);

	if (!strcmp(kind, "run"))
		count_run(r, event);
	else if (t < 0 || t >= r->ntargets)
		return true;
	else if (!strcmp(kind, "target"))
		count_target(&r->target[t], event);
	else if (!strcmp(kind, "done"))
		r->target[t].not_run =
			(uint64_t)event_number(event, "not_run", 0);
	else if (!strcmp(kind, "coverage"))
		coverage_join(&r->target[t].coverage,
			      json_object_get(event, "points"));
	else if (!strcmp(kind, "end"))
		count_case(r, event);
	return true;
}

int report_open(struct report *r, const char *dir, char *err, size_t errlen)
{
	static const char *const kinds[] = {"run",  "target",	"end",
					    "done", "coverage", NULL};
	int ret;

	memset(r, 0, sizeof(*r));
	r->dir = dir;
	ret = journal_each_of(kinds, dir, count, r, &r->torn, err, errlen);
	if (ret)
		report_close(r);
	return ret;
}

void report_close(struct report *r)
{
	for (int t = 0; t < RUN_MAX_TARGETS; t++) {
		json_decref(r->target[t].environment);
		coverage_free(&r->target[t].coverage);
	}
	json_decref(r->run);
	r->run = NULL;
}

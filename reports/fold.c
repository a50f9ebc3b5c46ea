/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the journal for the reports. report_open() reads the options of the run
 * and counts cases and coverage; report_each() passes on each case. Unknown
 * events are ignored.
 */
#include <stdio.h>
#include <string.h>
#include "reports/fold.h"
#include "reports/trace.h"

/* Returns the index of the target of an event, or -1 if the run does not have
 * the target. */
static int target_of(const struct report *r, const struct line *event)
{
	int64_t t = line_number(event, "t", -1);

	return t >= 0 && t < r->ntargets ? (int)t : -1;
}

_Static_assert(ROW_NR < REPORT_ROWS / 2, "rows have room in their table");

/* Returns the index in row_at[] of the row with the id, or the index of the
 * empty element where the row belongs. */
static size_t row_place(const struct report *r, const char *id)
{
	unsigned int hash = 5381;
	size_t place;

	for (const char *c = id; *c; c++)
		hash = 33 * hash ^ (unsigned char)*c;
	do
		place = hash++ % REPORT_ROWS;
	while (r->row_at[place] &&
	       strcmp(rule((enum row)r->row_at[place])->id, id) != 0);
	return place;
}

static void index_rows(struct report *r)
{
	for (int row = 1; row < ROW_NR; row++)
		r->row_at[row_place(r, rule((enum row)row)->id)] =
			(uint16_t)row;
}

/* Reads an end event. Returns false for any other event and for an incomplete
 * end event. */
static bool read_case(const struct line *event, const struct report *r,
		      struct report_case *c)
{
	const char *verdict = line_text(event, "verdict");
	int value = verdict ? verdict_by_name(verdict) : -1;

	c->t = target_of(r, event);
	c->id = line_text(event, "id");
	if (strcmp(line_kind(event), "end") != 0 || value < 0 || c->t < 0 ||
	    !c->id)
		return false;
	c->target = r->target[c->t].name;
	c->verdict = (enum verdict)value;
	c->sentence = line_text(event, "sentence");
	c->expected = line_text(event, "expected");
	c->observed = line_text(event, "observed");
	c->rule_id = line_text(event, "rule");
	c->row = ROW_NONE;
	if (c->rule_id)
		c->row = (enum row)r->row_at[row_place(r, c->rule_id)];
	c->taken = line_text(event, "taken");
	c->claim = line_text(event, "claim");
	c->reason = line_text(event, "reason");
	c->link = line_text(event, "link");
	c->at_times = line_true(event, "at_times");
	c->profile = line_text(event, "profile");
	c->beside = line_text(event, "beside");
	c->repro = line_text(event, "repro");
	c->program = line_text(event, "program");
	c->call = (int)line_number(event, "call", -1);
	c->call_text = line_text(event, "call_text");
	c->device = line_text(event, "device");
	c->end = line_text(event, "end");
	c->whose = line_text(event, "whose");
	c->kernel_log = line_list(event, "kernel_log");
	c->us = (uint64_t)line_number(event, "us", 0);
	c->trace = NULL;
	c->begun = NULL;
	return true;
}

struct fold {
	const struct report *report;
	void (*fn)(const struct report_case *c, void *arg);
	void *arg;
	int t; /* the target whose cases are wanted; -1: all */
	struct trace trace;
};

static bool pass_case(const struct line *event, void *arg)
{
	struct fold *fold = arg;
	struct report_case c;

	if (!read_case(event, fold->report, &c)) {
		trace_follow(&fold->trace, event);
	} else if (fold->t < 0 || fold->t == c.t) {
		trace_end(&fold->trace, event, &c);
		fold->fn(&c, fold->arg);
		trace_forget(&fold->trace, event);
	}
	return true;
}

/* Calls fn for each case, target by target. The targets are mixed in the
 * journal of a run that was resumed or merged. */
static int each_case(const struct report *r, const char *const *kinds,
		     void (*fn)(const struct report_case *c, void *arg),
		     void *arg, char *err, size_t errlen)
{
	struct fold fold = {.report = r, .fn = fn, .arg = arg, .t = -1};
	int ret = 0;

	if (!r->mixed)
		ret = journal_scan(kinds, r->dir, 0, pass_case, &fold, NULL,
				   err, errlen);
	for (fold.t = 0; r->mixed && fold.t < r->ntargets && !ret; fold.t++)
		ret = journal_scan(kinds, r->dir, 0, pass_case, &fold, NULL,
				   err, errlen);
	trace_drop(&fold.trace);
	return ret;
}

int report_each(const struct report *r,
		void (*fn)(const struct report_case *c, void *arg), void *arg,
		char *err, size_t errlen)
{
	static const char *const kinds[] = {"end", NULL};

	return each_case(r, kinds, fn, arg, err, errlen);
}

int report_each_traced(const struct report *r,
		       void (*fn)(const struct report_case *c, void *arg),
		       void *arg, char *err, size_t errlen)
{
	static const char *const kinds[] = {"end", "call", "outcome", "begin",
					    NULL};

	return each_case(r, kinds, fn, arg, err, errlen);
}

static void count_run(struct report *r, const struct line *event)
{
	const json_t *names = line_list(event, "targets");
	size_t n = json_array_size(names);

	if (r->run)
		return;
	r->run = line_json(event);
	r->strict = line_true(event, "strict");
	r->ntargets = n < RUN_MAX_TARGETS ? (int)n : RUN_MAX_TARGETS;
	for (int t = 0; t < r->ntargets; t++) {
		const char *name =
			json_string_value(json_array_get(names, (size_t)t));

		snprintf(r->target[t].name, sizeof(r->target[t].name), "%s",
			 name ? name : "");
	}
}

static void count_target(struct report_target *target, const struct line *event)
{
	const char *kind = line_text(event, "kind");

	json_decref(target->environment);
	target->environment = json_deep_copy(line_list(event, "environment"));
	target->selected = (uint64_t)line_number(event, "cases", 0);
	target->live = line_true(event, "live");
	target->jobs = (unsigned int)line_number(event, "jobs", 1);
	if (kind)
		snprintf(target->kind, sizeof(target->kind), "%s", kind);
	target->not_run = 0;
}

static void count_case(struct report *r, const struct line *event)
{
	struct report_target *target;
	struct report_case c;

	if (!read_case(event, r, &c))
		return;
	r->mixed |= c.t < r->last;
	r->last = c.t > r->last ? c.t : r->last;
	target = &r->target[c.t];
	target->count[c.verdict]++;
	target->total++;
	target->us += c.us;
	target->beside += c.beside != NULL;
	target->omitted += line_true(event, "repro_omitted");
	coverage_join(&target->coverage, line_list(event, "points"));
	r->count[c.verdict]++;
	r->total++;
	r->failures += report_fails(r, &c);
	if (c.verdict == VERDICT_NON_STRICT)
		r->by_row[c.row]++;
}

/* A run that was resumed has several of these. */
static void count_done(struct report_target *target, const struct line *event)
{
	struct run_times *t = &target->times;

	if (line_number(event, "quiet_ms", 0)) {
		target->quiet_ms = (uint32_t)line_number(event, "quiet_ms", 0);
		target->round_trip_us =
			(uint32_t)line_number(event, "round_trip_us", 0);
	}
	target->not_run = (uint64_t)line_number(event, "not_run", 0);
	t->run += (uint64_t)line_number(event, "run_us", 0);
	t->cases += (uint64_t)line_number(event, "cases_us", 0);
	t->calls += (uint64_t)line_number(event, "calls_us", 0);
	t->ibvet += (uint64_t)line_number(event, "ibvet_us", 0);
}

static bool count_event(const struct line *event, void *arg)
{
	const char *kind = line_kind(event);
	struct report *r = arg;
	int t = target_of(r, event);

	if (!strcmp(kind, "run"))
		count_run(r, event);
	else if (t < 0)
		return true;
	else if (!strcmp(kind, "target"))
		count_target(&r->target[t], event);
	else if (!strcmp(kind, "done"))
		count_done(&r->target[t], event);
	else if (!strcmp(kind, "coverage"))
		coverage_join(&r->target[t].coverage,
			      line_list(event, "points"));
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
	index_rows(r);
	ret = journal_scan(kinds, dir, 0, count_event, r, &r->torn, err,
			   errlen);
	if (ret)
		report_close(r);
	return ret;
}

int report_open_run(struct report *r, const char *dir, char *err, size_t errlen)
{
	int ret = report_open(r, dir, err, errlen);

	if (ret || r->run)
		return ret;
	report_close(r);
	snprintf(err, errlen,
		 "%s/" JOURNAL_NAME ": the journal does not begin with a run",
		 dir);
	return -EINVAL;
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

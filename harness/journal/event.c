/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which members each event of a case and of a target has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "journal/utf8_json.h"
#include "run/environment.h"
#include "journal/event.h"
#include "program/which_device.h"
#include "journal/event_writer.h"

#define TEXT_LEN 2048

static json_t *environment_of(const struct recorder *r)
{
	json_t *all = environment_of_device(&r->info);

	if (r->live && r->kernel_unread[0])
		json_object_set_new(all, "kernel_log",
				    json_sprintf("not readable: %s",
						 r->kernel_unread));
	else if (r->live)
		json_object_set_new(all, "kernel_log", json_string("read"));
	if (r->info.is_virtual)
		json_object_set_new(
			all, "virtual",
			json_string("a virtual device: this shows libibverbs, "
				    "the library of the device's vendor and a "
				    "model of all below, not silicon"));
	return all;
}

json_t *event_target(int t, const char *name, const struct recorder *r,
		     unsigned int jobs, const char *boot)
{
	return json_pack("{s:s,s:i,s:o,s:s,s:b,s:i,s:s,s:I,s:o}", "event",
			 "target", "t", t, "name", utf8_json(name), "kind",
			 r->kind, "live", r->live, "jobs", (int)jobs, "boot",
			 boot, "cases", (json_int_t)r->cases, "environment",
			 environment_of(r));
}

static void write_program(struct writer *w, const struct recorder *r)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (file && prog_print(&r->program, file)) {
		fclose(file);
		file = NULL;
	}
	writer_text(w, "program", file && !fclose(file) ? text : NULL);
	free(text);
}

static void open_event(struct writer *w, struct journal *j, const char *kind,
		       int t, const struct recorder *r)
{
	writer_open(w, j, kind);
	writer_number(w, "t", t);
	if (r->number != NO_NUMBER)
		writer_number(w, "n", (int64_t)r->number);
}

int event_begin(struct journal *j, int t, const struct recorder *r,
		bool with_program, unsigned int beside)
{
	struct writer w;

	open_event(&w, j, "begin", t, r);
	writer_text(&w, "id", r->current.id);
	if (beside)
		writer_number(&w, "beside", beside);
	if (with_program)
		write_program(&w, r);
	return writer_close(&w);
}

int event_again(struct journal *j, int t, const struct recorder *r,
		const struct judgement *judged)
{
	struct writer w;

	open_event(&w, j, "again", t, r);
	writer_text(&w, "id", r->current.id);
	writer_text(&w, "verdict", verdict_name(judged->verdict));
	writer_text(&w, "observed", judged->observed);
	return writer_close(&w);
}

int event_heard(struct journal *j, int t, const struct heard_report *heard)
{
	struct writer w;

	writer_open(&w, j, "heard");
	writer_number(&w, "t", t);
	writer_text(&w, "what", heard->what);
	writer_number(&w, "hang", heard->hang);
	writer_number(&w, "told", heard->told);
	return writer_close(&w);
}

static int write_call(struct journal *j, const char *kind, int t,
		      const struct recorder *r, int index, const char *text)
{
	struct writer w;

	open_event(&w, j, kind, t, r);
	writer_number(&w, "call", index);
	writer_text(&w, "text", text);
	return writer_close(&w);
}

int event_call(struct journal *j, int t, const struct recorder *r, int index)
{
	char text[TEXT_LEN] = "";

	bound_print(&r->program, &r->call[index].bound, text, sizeof(text));
	return write_call(j, "call", t, r, index, text);
}

/* Returns the fields that the mask of a query asks for. */
static struct bits asked_fields(const struct bound *b)
{
	enum field first = family_first(FAM_QP_ATTR);
	struct bits fields = {0};

	if (b->verb != V_query_qp)
		return fields;
	for (unsigned int i = 0; i < family_count(FAM_QP_ATTR); i++) {
		int bit = field_attr(first + i);

		if (bit >= 0 && (b->in.qp_attr.mask >> bit) & 1)
			bits_add(&fields, i);
	}
	return fields;
}

int event_outcome(struct journal *j, int t, const struct recorder *r, int index)
{
	const struct recorded_call *call = &r->call[index];
	struct bits fields = asked_fields(&call->bound);
	char text[TEXT_LEN] = "";

	outcome_print(&r->program, call->bound.verb, &call->outcome, &fields,
		      NULL, text, sizeof(text));
	return write_call(j, "outcome", t, r, index, text);
}

json_t *event_coverage(int t, json_t *points)
{
	return json_pack("{s:s,s:i,s:o}", "event", "coverage", "t", t, "points",
			 points);
}

json_t *event_done(int t, const struct run_done *done)
{
	const struct run_times *times = &done->times;

	return json_pack(
		"{s:s,s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "event",
		"done", "t", t, "visited", (json_int_t)done->visited, "not_run",
		(json_int_t)done->not_run, "ends", (json_int_t)done->ends,
		"run_us", (json_int_t)times->run, "cases_us",
		(json_int_t)times->cases, "calls_us", (json_int_t)times->calls,
		"ibvet_us", (json_int_t)times->ibvet, "quiet_ms",
		(json_int_t)done->quiet_ms, "round_trip_us",
		(json_int_t)done->round_trip_us);
}

static void write_any(struct writer *w, const char *key, const char *text)
{
	if (text && *text)
		writer_text(w, key, text);
}

/* Writes which of two devices made the call. */
static void write_device(struct writer *w, const struct recorder *r, int index)
{
	const struct program *p = &r->program;
	const struct device_info *second = r->info.second;

	if (!second || index >= p->ncalls || !program_has_two_devices(p))
		return;
	if (!call_is_on_second(p, &p->call[index])) {
		writer_text(w, "device", r->info.name);
		return;
	}
	writer_text(w, "device", second->name);
	writer_text(w, "end", r->info.apart ? "peer" : "second");
}

/* Writes the number, from 0, and the text of the call that decided. */
static void write_deciding(struct writer *w, const struct recorder *r,
			   int index)
{
	char text[TEXT_LEN] = "";

	if (index < 0)
		return;
	writer_number(w, "call", index);
	write_device(w, r, index);
	if (index >= r->begun)
		return;
	bound_print(&r->program, &r->call[index].bound, text, sizeof(text));
	write_any(w, "call_text", text);
}

static void write_expectation(struct writer *w, const struct expectation *e)
{
	write_any(w, "reason", e->reason);
	write_any(w, "link", e->link);
	if (e->at_times)
		writer_true(w, "at_times");
}

/* Writes what a report shows of a case that did not simply pass. */
static void write_findings(struct writer *w, const struct recorder *r,
			   const struct case_end *e)
{
	const struct judgement *judged = e->judged;

	write_any(w, "expected", judged->expected);
	write_any(w, "observed", judged->observed);
	if (e->beside && e->beside->verdict != judged->verdict)
		writer_text(w, "beside", verdict_name(e->beside->verdict));
	if (judged->verdict == VERDICT_NON_STRICT)
		write_any(w, "taken", out_name(judged->taken));
	if (judged->verdict == VERDICT_UNSUPPORTED)
		write_any(w, "claim", claim_text(r->current.claim));
	write_deciding(w, r, judged->call);
	write_any(w, "whose", whose_name(judged->whose));
	if (e->expectation)
		write_expectation(w, e->expectation);
	write_any(w, "profile", e->profile);
	write_any(w, "repro", e->repro);
	if (e->omitted)
		writer_true(w, "repro_omitted");
	if (e->with_program)
		write_program(w, r);
}

static void write_kernel_log(struct writer *w, const struct kernel_log *log)
{
	char more[40];

	writer_list(w, "kernel_log");
	for (unsigned int i = 0; i < log->n; i++)
		writer_item(w, log->line[i]);
	snprintf(more, sizeof(more), "(%u more lines)", log->left_out);
	if (log->left_out)
		writer_item(w, more);
	writer_list_end(w);
}

static void write_points(struct writer *w, const json_t *points)
{
	writer_list(w, "points");
	for (size_t i = 0; i < json_array_size(points); i++)
		writer_item(w, json_string_value(json_array_get(points, i)));
	writer_list_end(w);
}

int event_end(struct journal *j, int t, const struct recorder *r,
	      const struct case_end *e)
{
	enum row row = e->judged->row ? e->judged->row : r->current.row;
	struct writer w;

	open_event(&w, j, "end", t, r);
	writer_text(&w, "id", r->current.id);
	writer_text(&w, "verdict", verdict_name(e->judged->verdict));
	writer_text(&w, "sentence", r->current.sentence);
	writer_number(&w, "us", (int64_t)(now_us() - r->began_us));
	if (row != ROW_NONE)
		writer_text(&w, "rule", rule(row)->id);
	write_findings(&w, r, e);
	if (r->kernel.n)
		write_kernel_log(&w, &r->kernel);
	if (e->reached)
		write_points(&w, e->reached);
	return writer_close(&w);
}

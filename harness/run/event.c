/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what each event of a case and of a target holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/environment.h"
#include "run/event.h"

#define TEXT_LEN 2048

static json_t *environment_of(const struct target *target,
			      const struct recorder *r)
{
	json_t *all = environment_of_device(&target->info);

	if (target->live && r->kernel_unread[0])
		json_object_set_new(all, "kernel_log",
				    json_sprintf("not readable: %s",
						 r->kernel_unread));
	else if (target->live)
		json_object_set_new(all, "kernel_log", json_string("read"));
	if (target->info.is_virtual)
		json_object_set_new(
			all, "virtual",
			json_string("a virtual device: this shows libibverbs, "
				    "the library of the device's vendor and a "
				    "model of all below, not silicon"));
	return all;
}

json_t *event_target(int t, const char *name, const struct target *target,
		     const struct recorder *r)
{
	return json_pack("{s:s,s:i,s:o,s:s,s:b,s:I,s:o}", "event", "target",
			 "t", t, "name", json_text(name), "kind",
			 target->ops->kind, "live", target->live, "cases",
			 (json_int_t)r->cases, "environment",
			 environment_of(target, r));
}

static json_t *program_json(const struct recorder *r)
{
	json_t *value = NULL;
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		return NULL;
	if (!prog_print(&r->program, file) && !fclose(file))
		value = json_text(text);
	free(text);
	return value;
}

json_t *event_begin(int t, const struct recorder *r, bool with_program)
{
	return json_pack("{s:s,s:i,s:I,s:o,s:o*}", "event", "begin", "t", t,
			 "n", (json_int_t)r->number, "id",
			 json_text(r->current.id), "program",
			 with_program ? program_json(r) : NULL);
}

json_t *event_call(int t, const struct recorder *r, int index)
{
	char text[TEXT_LEN] = "";

	bound_print(&r->program, &r->call[index].bound, text, sizeof(text));
	return json_pack("{s:s,s:i,s:I,s:i,s:o}", "event", "call", "t", t, "n",
			 (json_int_t)r->number, "call", index, "text",
			 json_text(text));
}

/* Of a query's outputs, the fields that its mask asks for. */
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

json_t *event_outcome(int t, const struct recorder *r, int index)
{
	const struct recorded_call *call = &r->call[index];
	struct bits fields = asked_fields(&call->bound);
	char text[TEXT_LEN] = "";

	outcome_print(&r->program, call->bound.verb, &call->outcome, &fields,
		      NULL, text, sizeof(text));
	return json_pack("{s:s,s:i,s:I,s:i,s:o}", "event", "outcome", "t", t,
			 "n", (json_int_t)r->number, "call", index, "text",
			 json_text(text));
}

json_t *event_coverage(int t, json_t *points)
{
	return json_pack("{s:s,s:i,s:o}", "event", "coverage", "t", t, "points",
			 points);
}

json_t *event_done(int t, uint64_t not_run)
{
	return json_pack("{s:s,s:i,s:I}", "event", "done", "t", t, "not_run",
			 (json_int_t)not_run);
}

static void set(json_t *event, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(event, key, json_text(text));
}

/* The call that decided: its number from 0, and its text. */
static void add_call(json_t *event, const struct recorder *r, int index)
{
	char text[TEXT_LEN] = "";

	if (index < 0)
		return;
	json_object_set_new(event, "call", json_integer(index));
	if (index >= r->begun)
		return;
	bound_print(&r->program, &r->call[index].bound, text, sizeof(text));
	set(event, "call_text", text);
}

/* What a case that is no plain pass has to show. */
static void add_findings(json_t *event, const struct recorder *r,
			 const struct case_end *e)
{
	const struct judgement *judged = e->judged;

	set(event, "expected", judged->expected);
	set(event, "observed", judged->observed);
	if (judged->verdict == VERDICT_NON_STRICT)
		set(event, "taken", out_name(judged->taken));
	if (judged->verdict == VERDICT_UNSUPPORTED)
		set(event, "claim", claim_text(r->current.claim));
	add_call(event, r, judged->call);
	if (e->expectation) {
		set(event, "reason", e->expectation->reason);
		set(event, "link", e->expectation->link);
		if (e->expectation->at_times)
			json_object_set_new(event, "at_times", json_true());
	}
	set(event, "profile", e->profile);
	set(event, "repro", e->repro);
	if (e->omitted)
		json_object_set_new(event, "repro_omitted", json_true());
	if (e->with_program)
		json_object_set_new(event, "program", program_json(r));
}

static void add_kernel_log(json_t *event, const struct kernel_log *log)
{
	json_t *lines = json_array();

	for (unsigned int i = 0; i < log->n; i++)
		json_array_append_new(lines, json_text(log->line[i]));
	if (log->left_out)
		json_array_append_new(lines, json_sprintf("(%u more lines)",
							  log->left_out));
	json_object_set_new(event, "kernel_log", lines);
}

json_t *event_end(int t, const struct recorder *r, const struct case_end *e)
{
	enum row row = e->judged->row ? e->judged->row : r->current.row;
	json_t *event = json_pack("{s:s,s:i,s:I,s:o,s:s,s:o,s:I}", "event",
				  "end", "t", t, "n", (json_int_t)r->number,
				  "id", json_text(r->current.id), "verdict",
				  verdict_name(e->judged->verdict), "sentence",
				  json_text(r->current.sentence), "us",
				  (json_int_t)(now_us() - r->began_us));

	if (!event)
		return NULL;
	if (r->number == NO_NUMBER)
		json_object_del(event, "n");
	if (row != ROW_NONE)
		set(event, "rule", rule(row)->id);
	add_findings(event, r, e);
	if (r->kernel.n)
		add_kernel_log(event, &r->kernel);
	return event;
}

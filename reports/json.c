/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes results.json, case by case. results.schema.json describes the file.
 */
#include <string.h>
#include "reports/reports.h"
#include "reports/text.h"

void report_dump(FILE *file, json_t *value, size_t flags, bool *failed)
{
	*failed |= json_dumpf(value, file, flags | JSON_ENCODE_ANY) != 0;
	json_decref(value);
}

void report_member(FILE *file, const char *key, json_t *value, bool *failed)
{
	fprintf(file, "\"%s\": ", key);
	report_dump(file, value, JSON_INDENT(1), failed);
	fputs(",\n", file);
}

static void member(struct report_out *out, const char *key, json_t *value)
{
	report_member(out->file, key, value, &out->failed);
}

static json_t *times(const struct report_target *target)
{
	const struct run_times *t = &target->times;

	return json_pack("{s:I,s:I,s:I,s:I}", "run_us", (json_int_t)t->run,
			 "cases_us", (json_int_t)t->cases, "calls_us",
			 (json_int_t)t->calls, "ibvet_us",
			 (json_int_t)t->ibvet);
}

/* Returns NULL if the device showed no round trip. */
static json_t *waits(const struct report_target *target)
{
	if (!target->quiet_ms)
		return NULL;
	return json_pack("{s:i,s:i}", "quiet_ms", (int)target->quiet_ms,
			 "round_trip_us", (int)target->round_trip_us);
}

static json_t *target(const struct report *r, int t)
{
	const struct report_target *target = &r->target[t];

	return json_pack("{s:s,s:o,s:o,s:I,s:i,s:o,s:o*,s:o,s:I}", "target",
			 target->name, "environment", report_environment(r, t),
			 "summary", report_counts(target->count, target->total),
			 "not_run", (json_int_t)target->not_run, "jobs",
			 (int)target->jobs, "times", times(target), "waits",
			 waits(target), "coverage",
			 coverage_json(&target->coverage), "repros_omitted",
			 (json_int_t)target->omitted);
}

static void head(struct report_out *out)
{
	const struct report *r = out->report;
	json_t *targets = json_array();

	for (int t = 0; t < r->ntargets; t++)
		json_array_append_new(targets, target(r, t));
	fputs("{\n", out->file);
	member(out, "schema_version", json_string(REPORT_SCHEMA));
	member(out, "environment", report_environment(r, 0));
	member(out, "summary", report_counts(r->count, r->total));
	member(out, "coverage", report_coverage(r));
	member(out, "targets", targets);
	fputs("\"cases\": [", out->file);
}

/* Prints a text or null. `key` has its quotes, comma and colon. */
static void text_or_null(FILE *file, const char *key, const char *text)
{
	fputs(key, file);
	if (text)
		text_json(file, text);
	else
		fputs("null", file);
}

static void text_if(FILE *file, const char *key, const char *text)
{
	if (text)
		text_or_null(file, key, text);
}

static void sources(FILE *file, enum row row)
{
	fputs(",\"sources\":[", file);
	for (int i = 0; row != ROW_NONE && i < ROW_MAX_SRCS; i++) {
		if (!rule(row)->src[i])
			break;
		if (i)
			fputc(',', file);
		text_json(file, source_text(rule(row)->src[i]));
	}
	fputc(']', file);
}

static void kernel_lines(FILE *file, const struct report_case *c)
{
	const char *text;

	if (!c->kernel_log)
		return;
	fputs(",\"kernel_log\":[", file);
	for (size_t i = 0; (text = report_kernel_line(c, i)); i++) {
		if (i)
			fputc(',', file);
		text_json(file, text);
	}
	fputc(']', file);
}

/* Prints a case without building JSON objects, because there may be millions.
 */
static void add_case(struct report_out *out, const struct report_case *c)
{
	FILE *file = out->file;

	fputs(out->n ? ",\n{\"id\":" : "\n{\"id\":", file);
	text_json(file, c->id);
	text_or_null(file, ",\"target\":", c->target);
	text_or_null(file, ",\"verdict\":", verdict_name(c->verdict));
	text_or_null(file, ",\"rule\":", c->rule_id);
	sources(file, c->row);
	text_or_null(file, ",\"sentence\":", c->sentence ? c->sentence : "");
	text_or_null(file, ",\"expected\":", c->expected);
	text_or_null(file, ",\"observed\":", c->observed);
	text_or_null(file, ",\"repro\":", c->repro);
	fputs(",\"duration_us\":", file);
	text_digits(file, c->us);
	text_if(file, ",\"taken\":", c->taken);
	text_if(file, ",\"claim\":", c->claim);
	text_if(file, ",\"reason\":", c->reason);
	text_if(file, ",\"link\":", c->link);
	text_if(file, ",\"profile\":", c->profile);
	text_if(file, ",\"beside\":", c->beside);
	if (c->at_times)
		fputs(",\"at_times\":true", file);
	text_if(file, ",\"program\":", c->program);
	text_if(file, ",\"call_text\":", c->call_text);
	text_if(file, ",\"device\":", c->device);
	text_if(file, ",\"end\":", c->end);
	text_if(file, ",\"whose\":", c->whose);
	kernel_lines(file, c);
	if (c->call >= 0)
		fprintf(file, ",\"call\":%d", c->call);
	fputc('}', file);
}

static void tail(struct report_out *out)
{
	fputs("\n]\n}\n", out->file);
}

const struct report_writer report_json = {
	.name = "results.json",
	.head = head,
	.add_case = add_case,
	.tail = tail,
};

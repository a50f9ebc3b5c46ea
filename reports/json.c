/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * results.json, by results.schema.json. It is written case by case.
 */
#include <string.h>
#include "reports/reports.h"

static void dump(struct report_out *out, json_t *value, size_t flags)
{
	if (json_dumpf(value, out->file, flags | JSON_ENCODE_ANY))
		out->failed = true;
	json_decref(value);
}

static void member(struct report_out *out, const char *key, json_t *value)
{
	fprintf(out->file, "\"%s\": ", key);
	dump(out, value, JSON_INDENT(1));
	fputs(",\n", out->file);
}

static json_t *target(const struct report *r, int t)
{
	const struct report_target *target = &r->target[t];

	return json_pack("{s:s,s:o,s:o,s:I,s:o,s:I}", "target", target->name,
			 "environment", report_environment(r, t), "summary",
			 report_counts(target->count, target->total), "not_run",
			 (json_int_t)target->not_run, "coverage",
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

static json_t *sources(enum row row)
{
	json_t *list = json_array();

	if (row == ROW_NONE)
		return list;
	for (int i = 0; i < ROW_MAX_SRCS && rule(row)->src[i]; i++)
		json_array_append_new(
			list, json_string(source_text(rule(row)->src[i])));
	return list;
}

static void set(json_t *json, const char *key, const char *text)
{
	if (text)
		json_object_set_new(json, key, json_string(text));
}

static json_t *case_json(const struct report_case *c)
{
	json_t *json =
		json_pack("{s:s,s:s,s:s,s:s?,s:o,s:s,s:s?,s:s?,s:s?,s:I}", "id",
			  c->id, "target", c->target, "verdict",
			  verdict_name(c->verdict), "rule", c->rule_id,
			  "sources", sources(c->row), "sentence",
			  c->sentence ? c->sentence : "", "expected",
			  c->expected, "observed", c->observed, "repro",
			  c->repro, "duration_us", (json_int_t)c->us);

	if (!json)
		return NULL;
	set(json, "taken", c->taken);
	set(json, "claim", c->claim);
	set(json, "reason", c->reason);
	set(json, "link", c->link);
	set(json, "program", c->program);
	set(json, "call_text", c->call_text);
	if (c->kernel_log)
		json_object_set_new(json, "kernel_log",
				    json_deep_copy(c->kernel_log));
	if (c->call >= 0)
		json_object_set_new(json, "call", json_integer(c->call));
	return json;
}

static void one(struct report_out *out, const struct report_case *c)
{
	fputs(out->n ? ",\n" : "\n", out->file);
	dump(out, case_json(c), JSON_COMPACT);
}

static void tail(struct report_out *out)
{
	fputs("\n]\n}\n", out->file);
}

const struct report_writer report_json = {
	.name = "results.json",
	.head = head,
	.one = one,
	.tail = tail,
};

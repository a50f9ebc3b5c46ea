/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes a comparison as JSON, change by change. diff.schema.json describes the
 * JSON.
 */
#include <errno.h>
#include <string.h>
#include "reports/diff/item.h"

struct json_out {
	FILE *file;
	uint64_t n;
	bool failed;
};

static void member(struct json_out *out, const char *key, json_t *value)
{
	report_member(out->file, key, value, &out->failed);
}

static json_t *run_json(const struct report *r)
{
	const char *time = event_text(r->run, "time");

	return json_pack("{s:o,s:s,s:I}", "dir", json_string(r->dir), "time",
			 time ? time : "", "cases", (json_int_t)r->total);
}

static json_t *name_json(const struct report *r, int t)
{
	return t < 0 ? json_null() : json_string(r->target[t].name);
}

static json_t *targets_json(const struct diff *d)
{
	json_t *list = json_array();

	for (int i = 0; i < d->npairs; i++) {
		const struct diff_pair *p = &d->pair[i];

		json_array_append_new(
			list, json_pack("{s:o,s:o,s:o,s:I,s:I,s:I}", "was",
					name_json(d->was, p->was), "is",
					name_json(d->is, p->is), "environment",
					diff_environment(d, p), "same",
					(json_int_t)p->same, "only_was",
					(json_int_t)p->only_was, "only_is",
					(json_int_t)p->only_is));
	}
	return list;
}

static json_t *summary_json(const struct diff *d)
{
	json_t *counts = json_object();

	for (enum diff_kind k = 0; k < DIFF_NR; k++)
		json_object_set_new(counts, diff_kind_name(k),
				    json_integer((json_int_t)d->count[k]));
	return counts;
}

struct rules {
	json_t *list, *last; /* `last` is the last element of the list */
};

/* Counts a change in the last element, or appends an element. All changes of a
 * kind and rule follow each other, because the changes are sorted. */
static void count_rule(const struct diff_change *c, void *arg)
{
	struct rules *r = arg;
	const char *kind = diff_kind_name(c->kind);
	const char *rule = c->rule ? c->rule : "";
	const char *last = event_text(r->last, "rule");

	if (!r->last || strcmp(event_text(r->last, "kind"), kind) != 0 ||
	    strcmp(last ? last : "", rule) != 0) {
		r->last = json_pack("{s:s,s:s?,s:i}", "kind", kind, "rule",
				    c->rule, "cases", 0);
		json_array_append_new(r->list, r->last);
	}
	json_object_set_new(
		r->last, "cases",
		json_integer(event_number(r->last, "cases", 0) + 1));
}

static json_t *rules_json(const struct diff *d)
{
	struct rules r = {.list = json_array()};

	diff_each(d, count_rule, &r);
	return r.list;
}

static json_t *side_json(const struct diff_side *side)
{
	if (!side->there)
		return json_null();
	return json_pack("{s:s,s:s?,s:s?,s:s?}", "verdict",
			 verdict_name(side->verdict), "rule", side->rule,
			 "expected", side->expected, "observed",
			 side->observed);
}

static void change_json(const struct diff_change *c, void *arg)
{
	struct json_out *out = arg;

	fputs(out->n++ ? ",\n" : "\n", out->file);
	report_dump(out->file,
		    json_pack("{s:s,s:s,s:s,s:s,s:s?,s:o,s:o}", "kind",
			      diff_kind_name(c->kind), "id", c->id,
			      "was_target", c->was_target, "target", c->target,
			      "rule", c->rule, "was", side_json(&c->was), "is",
			      side_json(&c->is)),
		    JSON_COMPACT, &out->failed);
}

int diff_print_json(const struct diff *d, FILE *file)
{
	struct json_out out = {.file = file};

	fputs("{\n", file);
	member(&out, "schema_version", json_string(DIFF_SCHEMA));
	member(&out, "changed", json_boolean(diff_any(d)));
	member(&out, "was", run_json(d->was));
	member(&out, "is", run_json(d->is));
	member(&out, "targets", targets_json(d));
	member(&out, "summary", summary_json(d));
	member(&out, "rules", rules_json(d));
	fputs("\"changes\": [", file);
	diff_each(d, change_json, &out);
	fputs("\n]\n}\n", file);
	return out.failed ? -ENOMEM : 0;
}

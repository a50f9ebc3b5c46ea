/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes JSON by version 5 of KCIDB's schema (kcidb-io, v05_00.py to
 * v05_03.py). Ids are made from what the journal says of the run, so that a
 * second submission of a run names the same rows.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cases/generate/case.h"
#include "reports/fold.h"
#include "reports/rules/by_rule.h"
#include "reports/rules/kcidb.h"

#define MAJOR	   5
#define MINOR	   0
#define MOST_CASES 100 /* of a rule that are told */

struct kcidb {
	struct report_out out; /* for by_rule.h; stays first */
	const struct kcidb_options *o;
	json_t *tests, *incidents;
	json_t *checkouts, *builds, *issues; /* by id */
	/* Cases of the target that did not pass, and its issues, by rule */
	json_t *cases[ROW_NR + 1], *known[ROW_NR + 1];
	char run[128]; /* what ids of the run begin with, after the origin */
	bool failed;
};

static bool is_origin(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!islower((unsigned char)text[i]) &&
		    !isdigit((unsigned char)text[i]) && text[i] != '_')
			return false;
	return len > 0;
}

bool kcidb_is_origin(const char *text)
{
	return is_origin(text, strlen(text));
}

bool kcidb_is_id(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && is_origin(text, (size_t)(colon - text));
}

/* --- Ids --------------------------------------------------------------------
 */

/* The hash of the run event tells apart runs of the same second. */
static void name_run(struct kcidb *k, const struct report *r)
{
	char *text = json_dumps(r->run, JSON_COMPACT | JSON_SORT_KEYS);

	snprintf(k->run, sizeof(k->run), "ibvet-%.30s-%016llx",
		 event_text(r->run, "time") ? event_text(r->run, "time") : "",
		 (unsigned long long)text_hash(text ? text : ""));
	k->failed |= !text;
	free(text);
}

static json_t *test_id(const struct kcidb *k, int t, const char *what)
{
	return json_sprintf("%s:%s/%s/%s", k->o->origin, k->run,
			    k->out.report->target[t].name, what);
}

static const char *text_of(const json_t *environment, const char *key)
{
	const char *text = event_text(environment, key);

	return text ? text : "unknown";
}

static json_t *checkout_id(const struct kcidb *k, const json_t *environment)
{
	return json_sprintf("%s:kernel-%s", k->o->origin,
			    text_of(environment, "kernel"));
}

static json_t *build_id(const struct kcidb *k, const json_t *environment)
{
	if (k->o->build)
		return json_string(k->o->build);
	return json_sprintf("%s:kernel-%s-%s", k->o->origin,
			    text_of(environment, "kernel"),
			    text_of(environment, "machine"));
}

/* --- The kernel, if no build was named
 * ---------------------------------------
 */

/* Adds an object unless its id is there. */
static void add_once(json_t *objects, json_t *object)
{
	json_object_set_new(objects, event_text(object, "id"), object);
}

static void add_kernel(struct kcidb *k, const json_t *environment)
{
	json_t *checkout = checkout_id(k, environment);

	add_once(k->checkouts,
		 json_pack("{s:O, s:s, s:o}", "id", checkout, "origin",
			   k->o->origin, "comment",
			   json_sprintf("The running kernel, Linux %s",
					text_of(environment, "kernel"))));
	add_once(k->builds,
		 json_pack("{s:o, s:o, s:s, s:s}", "id",
			   build_id(k, environment), "checkout_id", checkout,
			   "origin", k->o->origin, "architecture",
			   text_of(environment, "machine")));
}

/* --- Cases ------------------------------------------------------------------
 */

static json_t *case_json(const struct report_case *c)
{
	return json_pack("{s:s, s:s, s:s*, s:s*, s:s*}", "id", c->id, "verdict",
			 verdict_name(c->verdict), "expected", c->expected,
			 "observed", c->observed, "claim", c->claim);
}

/* A known deviation is an issue: its reason and link are in the profile. */
static void add_issue(struct kcidb *k, const struct report_case *c,
		      json_t *known)
{
	const char *reason = c->reason ? c->reason : "";
	const char *link = c->link ? c->link : "";
	char text[2048];
	json_t *id;

	snprintf(text, sizeof(text), "%s %s %s", c->rule_id ? c->rule_id : "",
		 reason, link);
	id = json_sprintf("%s:ibvet-%016llx", k->o->origin,
			  (unsigned long long)text_hash(text));
	json_object_set_new(known, json_string_value(id), json_true());
	add_once(k->issues,
		 json_pack("{s:o, s:i, s:s, s:s, s:{s:b}, s:o*}", "id", id,
			   "version", 1, "origin", k->o->origin, "comment",
			   reason, "culprit", "code", 1, "report_url",
			   !strncmp(link, "http", 4) ? json_string(link)
						     : NULL));
}

static json_t *list_of(json_t **list, json_t *(*make)(void))
{
	if (!*list)
		*list = make();
	return *list;
}

static void add_case(const struct report_case *c, void *arg)
{
	struct kcidb *k = arg;
	unsigned int row = by_rule_row(c);

	by_rule_add(&k->out, c); /* ends the target before */
	if (c->verdict == VERDICT_EXPECTED)
		add_issue(k, c, list_of(&k->known[row], json_object));
	if (c->verdict != VERDICT_PASS &&
	    json_array_size(list_of(&k->cases[row], json_array)) < MOST_CASES)
		json_array_append_new(k->cases[row], case_json(c));
}

/* --- Tests ------------------------------------------------------------------
 */

static uint64_t accusing(const struct rule_sum *s, bool strict)
{
	uint64_t n = 0;

	for (enum verdict v = 0; v < VERDICT_NR; v++)
		n += verdict_accuses(v, strict) ? s->count[v] : 0;
	return n;
}

/* A known deviation is a failure with an issue: the schema has no other word
 * for it. A case that could not be judged, or a stale line of the profile, is
 * an error of the test. */
static const char *status_of(const struct rule_sum *s, bool strict)
{
	if (accusing(s, strict) || s->count[VERDICT_HOST_LOST] ||
	    s->count[VERDICT_EXPECTED])
		return "FAIL";
	if (s->count[VERDICT_INCONCLUSIVE] || s->count[VERDICT_FIXED])
		return "ERROR";
	if (s->count[VERDICT_PASS] || s->count[VERDICT_NON_STRICT])
		return "PASS";
	return "SKIP";
}

/* "modify/table/missing" is ibvet.modify.table.missing. */
static json_t *path_of(const char *rule)
{
	char text[256];

	snprintf(text, sizeof(text), "ibvet.%s", rule);
	for (char *c = text; *c; c++)
		if (*c == '/')
			*c = '.';
		else if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	return json_string(text);
}

static json_t *sources_of(unsigned int row)
{
	json_t *list = json_array();

	for (int i = 0; row < ROW_NR && i < ROW_MAX_SRCS; i++)
		if (rule((enum row)row)->src[i])
			json_array_append_new(
				list, json_string(source_text(
					      rule((enum row)row)->src[i])));
	return list;
}

static json_t *misc_of(const struct kcidb *k, unsigned int row,
		       const struct rule_sum *s)
{
	const json_t *cases = k->cases[row];
	uint64_t other = s->total - s->count[VERDICT_PASS];

	return json_pack("{s:s, s:o, s:o, s:o, s:I, s:s*}", "rule",
			 by_rule_id(row), "sources", sources_of(row), "counts",
			 report_counts(s->count, s->total), "not_passed",
			 cases ? json_incref((json_t *)cases) : json_array(),
			 "not_passed_and_not_listed",
			 (json_int_t)(other - json_array_size(cases)), "again",
			 s->told.again);
}

static json_t *excerpt_of(const struct rule_sum *s)
{
	char why[3000];

	if (!s->told.id)
		return NULL;
	by_rule_why(s, why, sizeof(why));
	return json_string(why);
}

static json_t *environment_of(const struct kcidb *k, int t)
{
	json_t *all = report_environment(k->out.report, t);

	return json_pack("{s:o, s:o}", "comment",
			 json_sprintf("%s of %s, driver %s, firmware %s",
				      k->out.report->target[t].name,
				      text_of(all, "host"),
				      text_of(all, "driver"),
				      text_of(all, "firmware")),
			 "misc", all);
}

/* Returns a test with the members that all have. Takes id, path, comment. */
static json_t *test_of(const struct kcidb *k, int t, json_t *id, json_t *path,
		       const char *status, json_t *comment)
{
	const struct report *r = k->out.report;
	json_t *environment = report_environment(r, t);
	json_t *test = json_pack("{s:o, s:o, s:s, s:o, s:s, s:o, s:o, s:s*}",
				 "id", id, "build_id", build_id(k, environment),
				 "origin", k->o->origin, "path", path, "status",
				 status, "comment", comment, "environment",
				 environment_of(k, t), "start_time",
				 event_text(r->run, "time"));

	json_decref(environment);
	return test;
}

static void add_incidents(struct kcidb *k, const json_t *test, json_t *known)
{
	const char *id, *test_id = event_text(test, "id");
	json_t *value;

	json_object_foreach(known, id, value)
	{
		json_array_append_new(
			k->incidents,
			json_pack("{s:o, s:s, s:s, s:i, s:s, s:b}", "id",
				  json_sprintf("%s/%s", test_id,
					       strchr(id, ':') + 1),
				  "origin", k->o->origin, "issue_id", id,
				  "issue_version", 1, "test_id", test_id,
				  "present", 1));
	}
}

static void add_rule(struct kcidb *k, int t, unsigned int row)
{
	const struct rule_sum *s = by_rule_sum(&k->out, row);
	const char *id = by_rule_id(row);
	json_t *excerpt = excerpt_of(s), *test;

	test = test_of(k, t, test_id(k, t, id), path_of(id),
		       status_of(s, k->out.report->strict),
		       json_string(by_rule_text(row)));
	json_object_set_new(test, "duration", json_real((double)s->us / 1e6));
	json_object_set_new(test, "misc", misc_of(k, row, s));
	if (excerpt)
		json_object_set_new(test, "log_excerpt", excerpt);
	add_incidents(k, test, k->known[row]);
	k->failed |= json_array_append_new(k->tests, test) != 0;
}

/* One more test says whether all cases ran. */
static void add_whole(struct kcidb *k, int t)
{
	const struct report_target *target = &k->out.report->target[t];
	char text[RUN_PATH_LEN + 128] = "All chosen cases ran.";
	bool whole = !report_cut_off(k->out.report, t, text, sizeof(text)) &&
		     target->environment;
	json_t *test;

	if (!target->environment)
		snprintf(text, sizeof(text), "The device was not opened.");
	test = test_of(k, t, test_id(k, t, "complete"), path_of("complete"),
		       whole ? "PASS" : "MISS", json_string(text));
	json_object_set_new(
		test, "misc",
		json_pack("{s:o, s:I}", "counts",
			  report_counts(target->count, target->total),
			  "not_run",
			  (json_int_t)report_unrun(k->out.report, t)));
	k->failed |= json_array_append_new(k->tests, test) != 0;
}

static void clear_target(struct kcidb *k)
{
	for (unsigned int row = 0; row <= NO_RULE; row++) {
		json_decref(k->cases[row]);
		json_decref(k->known[row]);
		k->cases[row] = NULL;
		k->known[row] = NULL;
	}
}

static void add_target(struct report_out *out, int t)
{
	struct kcidb *k = (struct kcidb *)out;
	json_t *environment = report_environment(out->report, t);

	if (!k->o->build)
		add_kernel(k, environment);
	for (unsigned int row = 0; row <= NO_RULE; row++)
		if (by_rule_sum(out, row))
			add_rule(k, t, row);
	add_whole(k, t);
	clear_target(k);
	json_decref(environment);
}

/* --- Runs -------------------------------------------------------------------
 */

static int add_cases(struct kcidb *k, char *err, size_t errlen)
{
	int ret;

	by_rule_begin(&k->out, add_target);
	ret = report_each(k->out.report, add_case, k, err, errlen);
	if (ret)
		by_rule_drop(&k->out);
	else
		by_rule_end(&k->out);
	clear_target(k);
	return ret;
}

static int add_run(struct kcidb *k, const char *dir, char *err, size_t errlen)
{
	struct report *r = calloc(1, sizeof(*r));
	int ret;

	if (!r) {
		snprintf(err, errlen, "%.700s: no memory", dir);
		return -ENOMEM;
	}
	ret = report_open_run(r, dir, err, errlen);
	if (!ret) {
		k->out = (struct report_out){.report = r, .t = -1};
		name_run(k, r);
		ret = add_cases(k, err, errlen);
		k->failed |= k->out.failed;
		report_close(r);
	}
	free(r);
	return ret;
}

static json_t *values_of(json_t *objects)
{
	json_t *list = json_array(), *value;
	const char *id;

	json_object_foreach(objects, id, value)
	{
		json_array_append(list, value);
	}
	return list;
}

/* Returns false without memory. The caller finds errors of the file. */
static bool write_all(const struct kcidb *k, FILE *file)
{
	json_t *all =
		json_pack("{s:{s:i, s:i}, s:o, s:o, s:O, s:o, s:O}", "version",
			  "major", MAJOR, "minor", MINOR, "checkouts",
			  values_of(k->checkouts), "builds",
			  values_of(k->builds), "tests", k->tests, "issues",
			  values_of(k->issues), "incidents", k->incidents);
	bool whole =
		all && (!json_dumpf(all, file,
				    JSON_COMPACT | JSON_REAL_PRECISION(9)) ||
			ferror(file));

	fputc('\n', file);
	json_decref(all);
	return whole;
}

int kcidb_of_runs(const char *const *dirs, int n, const struct kcidb_options *o,
		  FILE *file, char *err, size_t errlen)
{
	struct kcidb *k = calloc(1, sizeof(*k));
	int ret = 0;

	if (k) {
		k->o = o;
		k->tests = json_array();
		k->incidents = json_array();
		k->checkouts = json_object();
		k->builds = json_object();
		k->issues = json_object();
	}
	for (int i = 0; k && i < n && !ret; i++)
		ret = add_run(k, dirs[i], err, errlen);
	if (!ret && (!k || k->failed || !write_all(k, file))) {
		snprintf(err, errlen, "no memory for the submission");
		ret = -ENOMEM;
	}
	if (k) {
		json_decref(k->tests);
		json_decref(k->incidents);
		json_decref(k->checkouts);
		json_decref(k->builds);
		json_decref(k->issues);
	}
	free(k);
	return ret;
}

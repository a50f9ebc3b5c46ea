/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds where a rule begins to fail. For each device: the two nights between
 * which it began, and what changed in the environment. Over all runs: the parts
 * of the environment whose values tell failing runs from passing ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "reports/history/ask.h"
#include "reports/history/environment.h"

struct bisect {
	struct asking *a;
	int64_t rule;
	json_t *values; /* {what: {value: [failing runs, passing runs]}} */
	bool any;	/* a run failed */
	/* The run before: its device, whether it failed, and what it had */
	int64_t device;
	bool failed;
	json_t *environment, *night;
};

/* Returns a value as text: "6.1.0-56-amd64", "3". */
static json_t *text_of(const json_t *value)
{
	char *dump;
	json_t *text;

	if (json_is_string(value))
		return json_string(json_string_value(value));
	dump = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
	text = dump ? json_string(dump) : json_null();
	free(dump);
	return text;
}

/* Returns the member of an object, which it adds if there is none. */
static json_t *member_of(json_t *object, const char *key, json_t *fresh)
{
	json_t *member = json_object_get(object, key);

	if (member)
		json_decref(fresh);
	else
		json_object_set_new(object, key, fresh);
	return json_object_get(object, key);
}

/* Counts a run under each value of its environment. */
static void count(struct bisect *b, const json_t *environment, bool fails)
{
	const char *what;
	json_t *value;

	json_object_foreach((json_t *)environment, what, value)
	{
		json_t *text, *n;

		if (environment_is_left_out(what))
			continue;
		text = text_of(value);
		n = member_of(member_of(b->values, what, json_object()),
			      json_is_null(text) ? "null"
						 : json_string_value(text),
			      json_pack("[i, i]", 0, 0));
		json_array_set_new(
			n, !fails,
			json_integer(1 + json_integer_value(
						 json_array_get(n, !fails))));
		json_decref(text);
	}
}

/* Returns [{"what", "was", "is"}, …]. */
static json_t *changes(const json_t *was, const json_t *is)
{
	json_t *all = json_object(), *list = json_array(), *value;
	const char *what;

	json_object_update(all, (json_t *)was);
	json_object_update_missing(all, (json_t *)is);
	json_object_foreach(all, what, value)
	{
		const json_t *a = json_object_get(was, what);
		const json_t *b = json_object_get(is, what);

		if (!environment_is_left_out(what) && !json_equal(a, b))
			json_array_append_new(
				list,
				json_pack("{s:s, s:o, s:o}", "what", what,
					  "was", text_of(a), "is", text_of(b)));
	}
	json_decref(all);
	return list;
}

/* Adds a row if the rule began to fail between the run before, on the same
 * device, and this one. */
static void add_run(struct bisect *b, sqlite3_stmt *s)
{
	int64_t device = column_int(s, 0);
	bool fails = column_int(s, 3);
	json_t *environment = json_loads(column_text(s, 4), 0, NULL);
	json_t *night = json_string(column_text(s, 5));

	count(b, environment, fails);
	b->any |= fails;
	if (b->device == device && fails && !b->failed)
		json_array_append_new(
			b->a->rows,
			json_pack("{s:s, s:s, s:O, s:O, s:o}", "host",
				  column_text(s, 1), "device",
				  column_text(s, 2), "passed", b->night,
				  "failed", night, "changed",
				  changes(b->environment, environment)));
	json_decref(b->environment);
	json_decref(b->night);
	b->environment = environment;
	b->night = night;
	b->device = device;
	b->failed = fails;
}

/* Reads the runs in which a case ran that the rule has failed somewhere. */
static void read_runs(struct bisect *b)
{
	sqlite3_stmt *s = store_prepare(
		b->a->h,
		"WITH suspect AS (SELECT DISTINCT id FROM span WHERE rule = ?1 "
		"AND fails), part AS (SELECT device, first, last, fails AND "
		"rule IS ?1 AS fails FROM span WHERE id IN suspect) "
		"SELECT run.device, host, device.name, max(fails), "
		"environment, night.name FROM part JOIN run ON run.device = "
		"part.device AND run.id >= first AND (last IS NULL OR run.id "
		"<= last) JOIN device ON device.id = run.device JOIN night ON "
		"night.id = night WHERE night <= ?2 GROUP BY run.id ORDER BY "
		"run.device, run.id");

	store_bind(b->a->h, s, "ii", b->rule, b->a->night);
	while (store_step(b->a->h, s))
		add_run(b, s);
	sqlite3_finalize(s);
}

/* Returns true if each value has failing runs only, or passing runs only, and
 * there are both. */
static bool separates(const json_t *values)
{
	bool fails = false, passes = false;
	const char *value;
	json_t *n;

	json_object_foreach((json_t *)values, value, n)
	{
		bool bad = json_integer_value(json_array_get(n, 0));
		bool good = json_integer_value(json_array_get(n, 1));

		if (bad && good)
			return false;
		fails |= bad;
		passes |= good;
	}
	return fails && passes;
}

static json_t *separating(const struct bisect *b)
{
	json_t *list = json_array(), *values, *n;
	const char *what, *value;

	json_object_foreach(b->values, what, values)
	{
		json_t *each;

		if (!separates(values))
			continue;
		each = json_array();
		json_object_foreach(values, value, n)
		{
			json_array_append_new(
				each,
				json_pack("{s:s, s:O, s:O}", "value", value,
					  "fails", json_array_get(n, 0),
					  "passes", json_array_get(n, 1)));
		}
		json_array_append_new(list, json_pack("{s:s, s:o}", "what",
						      what, "values", each));
	}
	return list;
}

static int find_rule(struct bisect *b, const char *rule, char *err,
		     size_t errlen)
{
	sqlite3_stmt *s =
		store_prepare(b->a->h, "SELECT id FROM text WHERE text = ?");

	store_bind(b->a->h, s, "s", rule);
	b->rule = store_number(b->a->h, s);
	sqlite3_finalize(s);
	if (b->rule || b->a->h->error[0])
		return 0;
	snprintf(err, errlen,
		 "--bisect: no case of %.500s names the rule %.200s",
		 b->a->h->path, rule);
	return -ENOENT;
}

json_t *history_bisect(struct history *h, const char *rule,
		       const struct history_choice *c, char *err, size_t errlen)
{
	struct asking a;
	struct bisect b = {.a = &a, .values = json_object()};
	json_t *answer, *separate;
	int ret = ask_begin(&a, h, c, err, errlen);

	if (ret) {
		json_decref(b.values);
		return NULL;
	}
	ret = find_rule(&b, rule, err, errlen);
	if (!ret)
		read_runs(&b);
	separate = separating(&b);
	answer = ask_end(&a, "bisect", err, errlen);
	if (answer) {
		json_object_set_new(answer, "rule", json_string(rule));
		json_object_set_new(answer, "fails", json_boolean(b.any));
		json_object_set(answer, "separates", separate);
	}
	json_decref(separate);
	json_decref(b.values);
	json_decref(b.environment);
	json_decref(b.night);
	if (!ret)
		return answer;
	json_decref(answer);
	return NULL;
}

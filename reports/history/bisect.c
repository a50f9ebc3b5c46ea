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
#include "reports/history/times.h"

/* A span of a case that has failed by the rule somewhere */
struct suspect {
	int64_t device, id, first, last;
	bool fails; /* by the rule */
};

struct bisect {
	struct asking *a;
	struct suspect *suspect; /* by device, then by case */
	size_t nsuspects, room;
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
static void add_run(struct bisect *b, sqlite3_stmt *s, bool fails)
{
	int64_t device = column_int(s, 0);
	json_t *environment = json_loads(column_text(s, 3), 0, NULL);
	json_t *night = json_string(column_text(s, 4));

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

/* The function is_chosen() of SQL: whether --case names the case */
static void is_chosen(sqlite3_context *context, int n, sqlite3_value **values)
{
	json_t *id = n == 1 ? json_string((const char *)sqlite3_value_text(
				      values[0]))
			    : NULL;

	sqlite3_result_int(context,
			   ask_id_is_chosen(sqlite3_user_data(context), id));
	json_decref(id);
}

static bool keep_suspect(struct bisect *b, sqlite3_stmt *s)
{
	size_t room = b->room ? 2 * b->room : 1024;
	struct suspect *grown = b->suspect;

	if (b->nsuspects == b->room) {
		grown = realloc(grown, room * sizeof(*grown));
		if (!grown)
			return false;
		b->suspect = grown;
		b->room = room;
	}
	b->suspect[b->nsuspects++] = (struct suspect){
		.device = column_int(s, 0),
		.id = column_int(s, 1),
		.first = column_int(s, 2),
		.last = column_int(s, 3),
		.fails = column_int(s, 4),
	};
	return true;
}

/* Reads all spans of the cases that the rule, or the verdict, has failed
 * somewhere. */
static int read_suspects(struct bisect *b, char *err, size_t errlen)
{
	sqlite3_stmt *s;
	bool kept = true;

	sqlite3_create_function(b->a->h->db, "is_chosen", 1, SQLITE_UTF8, b->a,
				is_chosen, NULL, NULL);
	s = store_prepare(
		b->a->h,
		"SELECT device, id, first, ifnull(last, 9223372036854775807), "
		"fails AND ?1 IN "
		"(ifnull(rule, 0), verdict) FROM span WHERE id IN (SELECT "
		"span.id FROM span JOIN text ON text.id = span.id WHERE fails "
		"AND ?1 IN (rule, verdict) AND is_chosen(text)) ORDER BY "
		"device, id, first");
	store_bind(b->a->h, s, "i", b->rule);
	while (kept && store_step(b->a->h, s))
		kept = keep_suspect(b, s);
	sqlite3_finalize(s);
	if (kept)
		return 0;
	snprintf(err, errlen, "no memory for the cases of the rule");
	return -ENOMEM;
}

/* Looks at the suspects from `i` on, which are the device's, that ran in a run.
 * Returns false if none did. */
static bool judge_run(const struct bisect *b, const struct asked_run *r,
		      size_t i, struct times_reader times, bool *fails)
{
	uint32_t id = 0;
	uint8_t level;
	bool more = times_next(&times, &id, &level), ran = false;

	*fails = false;
	for (; i < b->nsuspects && b->suspect[i].device == r->device; i++) {
		const struct suspect *s = &b->suspect[i];

		if (r->run < s->first || r->run > s->last)
			continue;
		while (more && id < s->id)
			more = times_next(&times, &id, &level);
		if (!more || id != s->id)
			continue;
		ran = true;
		*fails |= s->fails;
	}
	return ran;
}

/* Reads the runs in which a suspect ran. Both are in the order of the devices.
 */
static void read_runs(struct bisect *b)
{
	sqlite3_stmt *s = store_prepare(
		b->a->h,
		"SELECT run.device, host, device.name, environment, "
		"night.name, run.id, took FROM run JOIN device ON device.id = "
		"run.device JOIN night ON night.id = night WHERE night <= ? "
		"ORDER BY run.device, run.id");
	size_t i = 0;
	bool fails;

	store_bind(b->a->h, s, "i", b->a->night);
	while (store_step(b->a->h, s)) {
		const struct asked_run r = {
			.run = column_int(s, 5),
			.device = column_int(s, 0),
			.host = column_text(s, 1),
			.name = column_text(s, 2),
		};

		while (i < b->nsuspects && b->suspect[i].device < r.device)
			i++;
		if (ask_device_is_chosen(b->a, &r) &&
		    judge_run(b, &r, i, times_of(s, 6), &fails))
			add_run(b, s, fails);
	}
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
		 "--bisect: no case of %.500s has the rule or the "
		 "verdict %.200s",
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
		ret = read_suspects(&b, err, errlen);
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
	free(b.suspect);
	if (!ret)
		return answer;
	json_decref(answer);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Answers questions about a night. A case fails *since* the first run of the
 * failing spans that follow each other; it *flips* where a failing span follows
 * a passing one, or the other way round.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "reports/history/ask.h"

static const struct {
	const char *word, *rows;
} questions[HISTORY_NR] = {
#define X(id, word, rows) {word, rows},
	HISTORY_QUESTIONS(X)
#undef X
};

const char *history_word(enum history_question q)
{
	return questions[q].word;
}

const char *history_rows(enum history_question q)
{
	return questions[q].rows;
}

/* --- What answers have in common ---------------------------------------------
 */

static bool is_chosen(const char *pattern, const char *text)
{
	return !pattern || !fnmatch(pattern, text, 0);
}

bool ask_id_is_chosen(const struct asking *a, const json_t *id)
{
	return is_chosen(a->choice->id, json_string_value(id));
}

bool ask_device_is_chosen(const struct asking *a, const struct asked_run *r)
{
	char both[512];

	snprintf(both, sizeof(both), "%s %s", r->host, r->name);
	return is_chosen(a->choice->device, both);
}

void ask_each_run(struct asking *a,
		  void (*fn)(struct asking *a, const struct asked_run *r))
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT run.id, device, ifnull((SELECT max(id) FROM run "
		      "AS r WHERE r.device = run.device AND r.id < run.id), "
		      "0), host, name FROM run JOIN device ON device.id = "
		      "device WHERE night = ? ORDER BY host, name");

	store_bind(a->h, s, "i", a->night);
	while (store_step(a->h, s)) {
		const struct asked_run r = {
			.run = column_int(s, 0),
			.device = column_int(s, 1),
			.before = column_int(s, 2),
			.host = column_text(s, 3),
			.name = column_text(s, 4),
		};

		if (ask_device_is_chosen(a, &r))
			fn(a, &r);
	}
	sqlite3_finalize(s);
}

/* Reads the spans of the case from the latest one back, as far as needed. */
struct past ask_past(struct asking *a, int64_t device, int64_t id, int64_t run)
{
	struct past past = {.since = run};
	int64_t later = 0; /* the first run of the span read before */
	bool fails = false;

	store_bind(a->h, a->spans, "iii", device, id, run);
	while (store_step(a->h, a->spans)) {
		bool was = column_int(a->spans, 1);

		if (later && was != fails) {
			if (!past.known)
				past.failed_before = was;
			past.known = true;
			past.flips += later >= a->window;
		} else if (!past.known) {
			past.since = column_int(a->spans, 0);
		}
		if (past.known && later < a->window)
			break;
		fails = was;
		later = column_int(a->spans, 0);
	}
	sqlite3_reset(a->spans);
	return past;
}

bool past_is_new(const struct asked_run *r, const struct past *past)
{
	return r->before && past->since == r->run;
}

bool past_is_flaky(const struct past *past)
{
	return past->flips >= FLAKY;
}

json_t *ask_absent(struct asking *a)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT host, device.name, night.name FROM (SELECT "
		      "device, max(night) AS night FROM run WHERE night "
		      "BETWEEN ?1 AND ?2 GROUP BY device) AS run JOIN device "
		      "ON device.id = device JOIN night ON night.id = night "
		      "WHERE night <> ?2 ORDER BY host, device.name");
	json_t *list = json_array();

	store_bind(a->h, s, "ii", a->night - WINDOW + 1, a->night);
	while (store_step(a->h, s)) {
		const struct asked_run r = {
			.host = column_text(s, 0),
			.name = column_text(s, 1),
		};

		if (ask_device_is_chosen(a, &r))
			json_array_append_new(
				list, json_pack("{s:s, s:s, s:s}", "host",
						r.host, "device", r.name,
						"last", column_text(s, 2)));
	}
	sqlite3_finalize(s);
	return list;
}

json_t *ask_text(struct asking *a, int64_t number)
{
	json_t *text;

	store_bind(a->h, a->text, "i", number);
	text = store_step(a->h, a->text) ? json_string(column_text(a->text, 0))
					 : json_null();
	sqlite3_reset(a->text);
	return text;
}

json_t *ask_night_of(struct asking *a, int64_t run)
{
	json_t *name;

	store_bind(a->h, a->night_of, "i", run);
	name = store_step(a->h, a->night_of)
		       ? json_string(column_text(a->night_of, 0))
		       : json_null();
	sqlite3_reset(a->night_of);
	return name;
}

static int choose_night(struct asking *a, char *err, size_t errlen)
{
	const char *wanted = a->choice->night;
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT id, name FROM night WHERE name = ?1 OR ?1 IS "
		      "NULL ORDER BY id DESC LIMIT 1");

	store_bind(a->h, s, "s", wanted);
	if (store_step(a->h, s)) {
		a->night = column_int(s, 0);
		snprintf(a->name, sizeof(a->name), "%s", column_text(s, 1));
	}
	sqlite3_finalize(s);
	if (store_failed(a->h, err, errlen))
		return -EIO;
	if (a->night)
		return 0;
	if (wanted)
		snprintf(err, errlen,
			 "%.500s has no night %.200s: \"ibvet history FILE "
			 "nights\" lists them",
			 a->h->path, wanted);
	else
		snprintf(err, errlen, "%.700s has no night yet", a->h->path);
	return -ENOENT;
}

int ask_begin(struct asking *a, struct history *h,
	      const struct history_choice *c, char *err, size_t errlen)
{
	sqlite3_stmt *s;
	int ret;

	*a = (struct asking){.h = h, .choice = c};
	ret = choose_night(a, err, errlen);
	if (ret)
		return ret;
	s = store_prepare(h, "SELECT min(id) FROM run WHERE night > ?");
	store_bind(h, s, "i", a->night - WINDOW);
	a->window = store_number(h, s);
	sqlite3_finalize(s);
	a->spans = store_prepare(
		h, "SELECT first, fails FROM span WHERE device = ? AND id = ? "
		   "AND first <= ? ORDER BY first DESC");
	a->text = store_prepare(h, "SELECT text FROM text WHERE id = ?");
	a->night_of = store_prepare(h, "SELECT name FROM night WHERE id = "
				       "(SELECT night FROM run WHERE id = ?)");
	a->rows = json_array();
	return 0;
}

json_t *ask_end(struct asking *a, const char *question, char *err,
		size_t errlen)
{
	sqlite3_finalize(a->spans);
	sqlite3_finalize(a->text);
	sqlite3_finalize(a->night_of);
	if (!store_failed(a->h, err, errlen))
		return json_pack("{s:s, s:s, s:s, s:o}", "history",
				 HISTORY_SCHEMA, "question", question, "night",
				 a->name, "rows", a->rows);
	json_decref(a->rows);
	return NULL;
}

/* --- Failing, new, fixed, flaky
 * -----------------------------------------------
 */

/* Returns a row about the span that the statement gives: id, verdict, rule,
 * observed. NULL if the case is not chosen. */
static json_t *row_of(struct asking *a, const struct asked_run *r,
		      sqlite3_stmt *s, const struct past *past)
{
	json_t *id = ask_text(a, column_int(s, 0));

	if (!ask_id_is_chosen(a, id)) {
		json_decref(id);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:b}",
			 "host", r->host, "device", r->name, "id", id,
			 "verdict", ask_text(a, column_int(s, 1)), "rule",
			 ask_text(a, column_int(s, 2)), "observed",
			 ask_text(a, column_int(s, 3)), "since",
			 ask_night_of(a, past->since), "flips", past->flips,
			 "flaky", past_is_flaky(past));
}

/* Calls take() for each row of a statement about a run: id, verdict, rule,
 * observed. Keeps the rows for which it is true. */
static void
add_rows(struct asking *a, const struct asked_run *r, sqlite3_stmt *s,
	 bool (*take)(const struct asked_run *r, const struct past *past))
{
	while (store_step(a->h, s)) {
		struct past past =
			ask_past(a, r->device, column_int(s, 0), r->run);
		json_t *row = take(r, &past) ? row_of(a, r, s, &past) : NULL;

		if (row)
			json_array_append_new(a->rows, row);
	}
	sqlite3_finalize(s);
}

static sqlite3_stmt *failing_of(struct asking *a, const struct asked_run *r)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT id, verdict, rule, observed FROM span WHERE "
		      "device = ?1 AND fails AND first <= ?2 AND (last IS "
		      "NULL OR last >= ?2) ORDER BY id");

	store_bind(a->h, s, "ii", r->device, r->run);
	return s;
}

/* The failing cases of a run, by number, and when they ran last */
struct failing {
	int64_t *id, *last;
	size_t n;
};

static struct failing failing_cases(struct asking *a, const struct asked_run *r)
{
	sqlite3_stmt *s = failing_of(a, r);
	struct failing f = {NULL, NULL, 0};
	size_t n = 0;

	while (store_step(a->h, s))
		n++;
	f.id = calloc(n + 1, sizeof(*f.id));
	f.last = calloc(n + 1, sizeof(*f.last));
	if (s)
		sqlite3_reset(s);
	while (f.id && f.last && f.n < n && store_step(a->h, s))
		f.id[f.n++] = column_int(s, 0);
	sqlite3_finalize(s);
	if (f.n)
		ask_last_ran(a, r, f.id, f.last, f.n);
	return f;
}

/* A case that ran on no night of the window is no longer told: perhaps it does
 * not exist any more. */
static void add_failing(struct asking *a, const struct asked_run *r)
{
	struct failing f = failing_cases(a, r);
	sqlite3_stmt *s = failing_of(a, r);

	for (size_t i = 0; i < f.n && store_step(a->h, s); i++) {
		struct past past = ask_past(a, r->device, f.id[i], r->run);
		json_t *row = f.last[i] ? row_of(a, r, s, &past) : NULL;

		if (row && f.last[i] != r->run)
			json_object_set_new(row, "ran",
					    ask_night_of(a, f.last[i]));
		if (row)
			json_array_append_new(a->rows, row);
	}
	sqlite3_finalize(s);
	free(f.id);
	free(f.last);
}

static void add_new(struct asking *a, const struct asked_run *r)
{
	add_rows(a, r, failing_of(a, r), past_is_new);
}

static bool take_fixed(const struct asked_run *r, const struct past *past)
{
	return past->known && past->failed_before && past->since == r->run;
}

static void add_fixed(struct asking *a, const struct asked_run *r)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT id, verdict, rule, observed FROM span WHERE "
		      "first = ? AND device = ? AND NOT fails ORDER BY id");

	store_bind(a->h, s, "ii", r->run, r->device);
	add_rows(a, r, s, take_fixed);
}

static bool take_flaky(const struct asked_run *r, const struct past *past)
{
	(void)r;
	return past_is_flaky(past);
}

/* Only a case that changed twice in the window can have flipped twice. */
static void add_flaky(struct asking *a, const struct asked_run *r)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT id, verdict, rule, observed FROM span AS now "
		      "WHERE device = ?1 AND first <= ?2 AND (last IS NULL OR "
		      "last >= ?2) AND id IN (SELECT id FROM span WHERE first "
		      "BETWEEN ?3 AND ?2 AND device = ?1 GROUP BY id HAVING "
		      "count(*) > 1) ORDER BY id");

	store_bind(a->h, s, "iii", r->device, r->run, a->window);
	add_rows(a, r, s, take_flaky);
}

/* --- Nights
 * --------------------------------------------------------------------
 */

static void add_nights(struct asking *a)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT name, count(*), sum(cases), sum(failing), "
		      "sum(not_run) FROM night JOIN run ON night = night.id "
		      "WHERE night.id <= ? GROUP BY night.id ORDER BY "
		      "night.id");

	store_bind(a->h, s, "i", a->night);
	while (store_step(a->h, s))
		json_array_append_new(
			a->rows,
			json_pack("{s:s, s:I, s:I, s:I, s:I}", "night",
				  column_text(s, 0), "devices",
				  (json_int_t)column_int(s, 1), "cases",
				  (json_int_t)column_int(s, 2), "failing",
				  (json_int_t)column_int(s, 3), "not_run",
				  (json_int_t)column_int(s, 4)));
	sqlite3_finalize(s);
}

json_t *history_ask(struct history *h, enum history_question q,
		    const struct history_choice *c, char *err, size_t errlen)
{
	static void (*const add[HISTORY_NR])(struct asking * a,
					     const struct asked_run *r) = {
		[HISTORY_FAILING] = add_failing, [HISTORY_NEW] = add_new,
		[HISTORY_FIXED] = add_fixed,	 [HISTORY_FLAKY] = add_flaky,
		[HISTORY_SLOWER] = ask_slower,
	};
	json_t *answer, *absent = NULL;
	struct asking a;

	if (ask_begin(&a, h, c, err, errlen))
		return NULL;
	if (add[q])
		ask_each_run(&a, add[q]);
	else
		add_nights(&a);
	if (q == HISTORY_NEW)
		absent = ask_absent(&a);
	answer = ask_end(&a, history_word(q), err, errlen);
	if (answer && absent)
		json_object_set(answer, "absent", absent);
	json_decref(absent);
	return answer;
}

bool history_is_bad(const json_t *answer)
{
	const char *word =
		json_string_value(json_object_get(answer, "question"));
	const json_t *row;
	size_t i;

	if (!word || strcmp(word, history_word(HISTORY_NEW)) != 0)
		return false;
	json_array_foreach(json_object_get(answer, "rows"), i, row)
	{
		if (!json_is_true(json_object_get(row, "flaky")))
			return true;
	}
	return false;
}

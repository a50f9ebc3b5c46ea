/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Adds runs to a night. Sorts the cases of a device by number and goes through
 * them beside the spans that are open: only a result that changed is written.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "reports/fold.h"
#include "reports/history/store.h"
#include "reports/history/times.h"
#include "reports/reports.h"
#include "reports/texts.h"
#include "cases/generate/case.h"

#define DAY_LEN 11 /* "2026-11-27" */

/* The result of a case: the numbers of texts. Only a case that fails has an
 * expectation and a program. */
struct result {
	uint32_t id, verdict, rule, observed, expected, program;
	uint64_t us;
	uint8_t t; /* target of the run */
	bool fails;
};

struct adding {
	struct history *h;
	struct texts texts, programs; /* programs: of the runs to add */
	uint32_t kept; /* texts before this number are in the file */
	struct result *result, *open; /* of a run; of the open spans */
	size_t n, room, nopen;
	const struct report *report;
	int64_t night, device, run;
	sqlite3_stmt *put_span, *end_span, *put_text;
	sqlite3_stmt *find_program, *put_program;
	unsigned int added; /* devices */
	bool failed;	    /* no memory */
};

/* --- The cases of a run -----------------------------------------------------
 */

/* A case that is decided by chance has no outcome of its own. */
static const char *observed_of(const struct report_case *c)
{
	if (c->verdict == VERDICT_UNSUPPORTED)
		return c->claim;
	return report_is_chance(c) ? NULL : c->observed;
}

static const char *program_of(const struct report_case *c)
{
	return c->program ? c->program : c->begun;
}

static void keep_case(const struct report_case *c, void *arg)
{
	struct adding *a = arg;
	bool fails = report_fails(a->report, c);
	struct result *grown;

	if (a->n == a->room) {
		a->room = a->room ? 2 * a->room : 4096;
		grown = realloc(a->result, a->room * sizeof(*grown));
		if (!grown) {
			a->failed = true;
			a->room = a->n;
			return;
		}
		a->result = grown;
	}
	a->result[a->n++] = (struct result){
		.id = texts_keep(&a->texts, c->id),
		.verdict = texts_keep(&a->texts, verdict_name(c->verdict)),
		.rule = texts_keep(&a->texts, c->rule_id),
		.observed = texts_keep(&a->texts, observed_of(c)),
		.expected = texts_keep(&a->texts, fails ? c->expected : NULL),
		.program =
			texts_keep(&a->programs, fails ? program_of(c) : NULL),
		.us = c->us,
		.t = (uint8_t)c->t,
		.fails = fails,
	};
}

/* Sorts by target and case; of two results of a case the failing one is first.
 */
static int by_case(const void *one, const void *other)
{
	const struct result *a = one, *b = other;

	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (int)b->fails - (int)a->fails;
}

/* --- Spans ------------------------------------------------------------------
 */

static void read_open(struct adding *a)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT id, verdict, ifnull(rule, 0), ifnull(observed, "
		      "0), fails FROM span WHERE device = ? AND last IS NULL "
		      "ORDER BY id");
	size_t room = 0;

	a->nopen = 0;
	store_bind(a->h, s, "i", a->device);
	while (store_step(a->h, s)) {
		struct result *grown = a->open;

		if (a->nopen == room) {
			room = room ? 2 * room : 4096;
			grown = realloc(a->open, room * sizeof(*grown));
		}
		if (!grown) {
			a->failed = true;
			break;
		}
		a->open = grown;
		a->open[a->nopen++] = (struct result){
			.id = (uint32_t)column_int(s, 0),
			.verdict = (uint32_t)column_int(s, 1),
			.rule = (uint32_t)column_int(s, 2),
			.observed = (uint32_t)column_int(s, 3),
			.fails = column_int(s, 4),
		};
	}
	sqlite3_finalize(s);
}

static bool same(const struct result *a, const struct result *b)
{
	return a->verdict == b->verdict && a->rule == b->rule &&
	       a->observed == b->observed && a->fails == b->fails;
}

/* A span ends with the run before this one. */
static void end_span(struct adding *a, const struct result *r)
{
	store_bind(a->h, a->end_span, "iii", a->run - 1, a->device,
		   (int64_t)r->id);
	store_run(a->h, a->end_span);
}

/* Returns the id of a program, which is written if the file lacks it; 0 for
 * none. */
static int64_t program_id(struct adding *a, uint32_t program)
{
	const char *text = texts_get(&a->programs, program);
	int64_t hash, id;

	if (!text)
		return 0;
	hash = (int64_t)text_hash(text);
	store_bind(a->h, a->find_program, "is", hash, text);
	id = store_number(a->h, a->find_program);
	if (id)
		return id;
	store_bind(a->h, a->put_program, "is", hash, text);
	store_run(a->h, a->put_program);
	return sqlite3_last_insert_rowid(a->h->db);
}

static void begin_span(struct adding *a, const struct result *r)
{
	store_bind(a->h, a->put_span, "iiiiiiiii", a->device, (int64_t)r->id,
		   a->run, (int64_t)r->fails, (int64_t)r->verdict,
		   (int64_t)r->rule, (int64_t)r->observed, (int64_t)r->expected,
		   program_id(a, r->program));
	store_run(a->h, a->put_span);
}

/* Goes through the results of a device, without doubles, and its open spans. */
static void change_spans(struct adding *a, const struct result *r, size_t n)
{
	size_t o = 0;

	for (size_t i = 0; i < n; i++) {
		while (o < a->nopen && a->open[o].id < r[i].id)
			o++;
		if (o == a->nopen || a->open[o].id != r[i].id) {
			begin_span(a, &r[i]);
		} else if (!same(&a->open[o], &r[i])) {
			end_span(a, &r[i]);
			begin_span(a, &r[i]);
		}
	}
}

/* --- Devices and nights ------------------------------------------------------
 */

static int64_t device_of(struct history *h, const char *host, const char *name)
{
	sqlite3_stmt *s = store_prepare(
		h, "INSERT OR IGNORE INTO device (host, name) VALUES (?, ?)");
	int64_t id;

	store_bind(h, s, "ss", host, name);
	store_run(h, s);
	sqlite3_finalize(s);
	s = store_prepare(h,
			  "SELECT id FROM device WHERE host = ? AND name = ?");
	store_bind(h, s, "ss", host, name);
	id = store_number(h, s);
	sqlite3_finalize(s);
	return id;
}

static const char *host_of(const json_t *environment)
{
	const char *host = event_text(environment, "host");

	return host ? host : "unknown";
}

/* Writes the command that runs the case CASE again. */
static void write_again(const struct adding *a, int t, char *buf, size_t len)
{
	const struct report_case c = {
		.id = "CASE",
		.target = a->report->target[t].name,
	};

	report_rerun(a->report, &c, buf, len);
}

static void write_run(struct adding *a, int t, const json_t *environment,
		      const struct result *r, size_t n)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "INSERT INTO run (night, device, cases, failing, "
		      "not_run, target, folder, environment, again, took) "
		      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	char *text = json_dumps(environment, JSON_COMPACT | JSON_SORT_KEYS);
	char *folder = realpath(a->report->dir, NULL);
	char again[1400];
	struct times_writer w = {0};
	int64_t failing = 0;

	for (size_t i = 0; i < n; i++) {
		times_add(&w, r[i].id, r[i].us);
		failing += r[i].fails;
	}
	a->failed |= w.failed || !text;
	write_again(a, t, again, sizeof(again));
	store_bind(a->h, s, "iiiiiisss", a->night, a->device, (int64_t)n,
		   failing, (int64_t)report_unrun(a->report, t), (int64_t)t,
		   folder ? folder : a->report->dir, text ? text : "{}", again);
	if (s)
		sqlite3_bind_blob64(s, 10, w.bytes ? w.bytes : (void *)"", w.n,
				    SQLITE_STATIC);
	store_run(a->h, s);
	sqlite3_finalize(s);
	a->run = sqlite3_last_insert_rowid(a->h->db);
	free(w.bytes);
	free(folder);
	free(text);
}

/* Returns -EEXIST with a line in err if the night has the device already. */
static int check_new(struct adding *a, const char *host, const char *name,
		     char *err, size_t errlen)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT folder, name FROM run JOIN night ON night.id = "
		      "night WHERE night = ? AND device = ?");
	int ret = 0;

	store_bind(a->h, s, "ii", a->night, a->device);
	if (store_step(a->h, s)) {
		snprintf(err, errlen,
			 "%.300s: the night %s has %s of %s already, from "
			 "%.300s: name another night with --night",
			 a->report->dir, column_text(s, 1), name, host,
			 column_text(s, 0));
		ret = -EEXIST;
	}
	sqlite3_finalize(s);
	return ret;
}

/* Removes doubles of sorted results: OPEN_ID may be there several times. */
static size_t without_doubles(struct result *r, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!kept || r[kept - 1].id != r[i].id)
			r[kept++] = r[i];
	return kept;
}

/* A device that is vetted with another one is another device of the history:
 * "mlx5_0+mlx5_1", or "mlx5_0+node2:mlx5_0" with that of another host. */
static void name_device(const struct adding *a, int t,
			const json_t *environment, char *buf, size_t len)
{
	const struct report_target *target = &a->report->target[t];
	const char *second =
		event_text(json_object_get(a->report->run, "device"), "second");
	const char *peer = event_text(environment, "peer_device");
	const char *host = event_text(environment, "peer_host");

	if (peer)
		snprintf(buf, len, "%s+%.*s:%.*s", target->name,
			 host ? (int)strcspn(host, ", ") : 0, host ? host : "",
			 (int)strcspn(peer, " "), peer);
	else if (second)
		snprintf(buf, len, "%s+%s", target->name, second);
	else
		snprintf(buf, len, "%s", target->name);
}

static int add_target(struct adding *a, int t, struct result *r, size_t n,
		      FILE *told, char *err, size_t errlen)
{
	json_t *environment = report_environment(a->report, t);
	const char *host = host_of(environment);
	char name[3 * RUN_NAME_LEN];
	int ret;

	name_device(a, t, environment, name, sizeof(name));
	a->device = device_of(a->h, host, name);
	ret = check_new(a, host, name, err, errlen);
	if (!ret) {
		n = without_doubles(r, n);
		read_open(a);
		write_run(a, t, environment, r, n);
		change_spans(a, r, n);
		fprintf(told, "%s %s: %zu cases\n", host, name, n);
		a->added++;
	}
	json_decref(environment);
	return ret;
}

/* A device that was not opened has no run this night, and is told as absent. */
static void tell_unopened(const struct adding *a, int t, FILE *told)
{
	fprintf(told, "%s: %s was not opened, and is left out\n",
		a->report->dir, a->report->target[t].name);
}

static int add_targets(struct adding *a, FILE *told, char *err, size_t errlen)
{
	size_t from = 0, to;
	int ret = 0;

	qsort(a->result, a->n, sizeof(*a->result), by_case);
	for (int t = 0; t < a->report->ntargets && !ret; t++, from = to) {
		for (to = from; to < a->n && a->result[to].t == t;)
			to++;
		if (!a->report->target[t].environment)
			tell_unopened(a, t, told);
		else
			ret = add_target(a, t, a->result + from, to - from,
					 told, err, errlen);
	}
	return ret;
}

/* --- A night -----------------------------------------------------------------
 */

static int64_t last_night(struct history *h, char *name, size_t len)
{
	sqlite3_stmt *s = store_prepare(
		h, "SELECT id, name FROM night ORDER BY id DESC LIMIT 1");
	int64_t id = 0;

	name[0] = '\0';
	if (store_step(h, s)) {
		id = column_int(s, 0);
		snprintf(name, len, "%s", column_text(s, 1));
	}
	sqlite3_finalize(s);
	return id;
}

/* "2026-11-27", not a name that somebody gave */
static bool is_day(const char *name)
{
	return strlen(name) == DAY_LEN - 1 && name[4] == '-' && name[7] == '-';
}

/* Nights are in the order in which they are added. A night that is a day must
 * not be before the last one. */
static int check_order(const char *name, bool given, const char *last, bool old,
		       char *err, size_t errlen)
{
	if (old)
		snprintf(err, errlen,
			 "the night %.100s is there already, and %s is the "
			 "last one: runs are added to the last night or to a "
			 "new one",
			 name, last);
	else if (!given && is_day(last) && strcmp(name, last) < 0)
		snprintf(err, errlen,
			 "the run is of %s, and the last night is %s: add "
			 "nights in their order, or name one with --night",
			 name, last);
	else
		return 0;
	return -EINVAL;
}

static int choose_night(struct adding *a, const char *night, char *err,
			size_t errlen)
{
	const char *time = event_text(a->report->run, "time");
	char last[128], day[DAY_LEN];
	int64_t last_id, old;
	sqlite3_stmt *s;
	int ret;

	if (a->night)
		return 0;
	snprintf(day, sizeof(day), "%s", time ? time : "unknown");
	last_id = last_night(a->h, last, sizeof(last));
	s = store_prepare(a->h, "SELECT id FROM night WHERE name = ?");
	store_bind(a->h, s, "s", night ? night : day);
	old = store_number(a->h, s);
	sqlite3_finalize(s);
	a->night = old;
	if (old && old == last_id)
		return 0;
	ret = check_order(night ? night : day, night, last, old, err, errlen);
	if (ret)
		return ret;
	s = store_prepare(a->h, "INSERT INTO night (name) VALUES (?)");
	store_bind(a->h, s, "s", night ? night : day);
	store_run(a->h, s);
	sqlite3_finalize(s);
	a->night = sqlite3_last_insert_rowid(a->h->db);
	return 0;
}

/* The program of a case that took the machine down is in its begin event. */
static int read_cases(struct adding *a, char *err, size_t errlen)
{
	a->n = 0;
	return (a->report->count[VERDICT_HOST_LOST]
			? report_each_traced
			: report_each)(a->report, keep_case, a, err, errlen);
}

static int add_run(struct adding *a, const char *night, FILE *told, char *err,
		   size_t errlen)
{
	int ret = choose_night(a, night, err, errlen);

	if (!ret)
		ret = read_cases(a, err, errlen);
	if (!ret)
		ret = add_targets(a, told, err, errlen);
	return ret;
}

static int add_folder(struct adding *a, const char *night, const char *dir,
		      FILE *told, char *err, size_t errlen)
{
	struct report *r = calloc(1, sizeof(*r));
	int ret;

	if (!r) {
		snprintf(err, errlen, "%.700s: no memory", dir);
		return -ENOMEM;
	}
	ret = report_open_run(r, dir, err, errlen);
	a->report = r;
	if (!ret) {
		ret = add_run(a, night, told, err, errlen);
		report_close(r);
	}
	free(r);
	return ret;
}

/* Texts get the numbers that they had when they were written. */
static void read_texts(struct adding *a)
{
	sqlite3_stmt *s =
		store_prepare(a->h, "SELECT id, text FROM text ORDER BY id");

	while (store_step(a->h, s))
		if (texts_keep(&a->texts, column_text(s, 1)) !=
			    column_int(s, 0) &&
		    !a->h->error[0])
			snprintf(a->h->error, sizeof(a->h->error),
				 "the texts are not those of a history");
	sqlite3_finalize(s);
	a->kept = (uint32_t)a->texts.used;
}

static void write_texts(struct adding *a)
{
	uint32_t number = a->kept ? a->kept : 1;

	while (number < a->texts.used) {
		const char *text = texts_get(&a->texts, number);

		store_bind(a->h, a->put_text, "is", (int64_t)number, text);
		store_run(a->h, a->put_text);
		number += (uint32_t)strlen(text) + 1;
	}
}

static void prepare(struct adding *a)
{
	a->put_span = store_prepare(
		a->h, "INSERT INTO span (device, id, first, fails, verdict, "
		      "rule, observed, expected, program) VALUES (?, ?, ?, ?, "
		      "?, nullif(?, 0), nullif(?, 0), nullif(?, 0), nullif(?, "
		      "0))");
	a->end_span = store_prepare(a->h, "UPDATE span SET last = ? WHERE "
					  "device = ? AND id = ? AND last IS "
					  "NULL");
	a->put_text = store_prepare(
		a->h, "INSERT INTO text (id, text) VALUES (?, ?)");
	a->find_program = store_prepare(
		a->h, "SELECT id FROM program WHERE hash = ? AND text = ?");
	a->put_program = store_prepare(
		a->h, "INSERT INTO program (hash, text) VALUES (?, ?)");
}

static void end(struct adding *a)
{
	sqlite3_finalize(a->put_span);
	sqlite3_finalize(a->end_span);
	sqlite3_finalize(a->put_text);
	sqlite3_finalize(a->find_program);
	sqlite3_finalize(a->put_program);
	texts_free(&a->texts);
	texts_free(&a->programs);
	free(a->result);
	free(a->open);
}

static int no_memory(const struct adding *a, char *err, size_t errlen)
{
	if (!a->failed && !a->texts.failed && !a->programs.failed)
		return 0;
	snprintf(err, errlen, "%.700s: no memory", a->h->path);
	return -ENOMEM;
}

static int nothing_added(const struct adding *a, const char *run, char *err,
			 size_t errlen)
{
	if (a->added)
		return 0;
	snprintf(err, errlen,
		 "%.700s: no device was opened, so there is nothing to add",
		 run);
	return -EINVAL;
}

int history_add(struct history *h, const char *night, const char *const *runs,
		int n, FILE *told, char *err, size_t errlen)
{
	struct adding a = {.h = h};
	int ret = 0;

	store_exec(h, "BEGIN IMMEDIATE");
	prepare(&a);
	read_texts(&a);
	for (int i = 0; i < n && !ret; i++)
		ret = add_folder(&a, night, runs[i], told, err, errlen);
	if (!ret)
		ret = nothing_added(&a, runs[0], err, errlen);
	if (!ret) {
		write_texts(&a);
		ret = no_memory(&a, err, errlen);
	}
	if (!ret)
		store_exec(h, "COMMIT");
	if (!ret)
		ret = store_failed(h, err, errlen);
	end(&a);
	if (ret)
		sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Gives a device another name. After an update of udev or of a host, runs may
 * have come in under the new name already: these then go on where the old ones
 * ended.
 */
#include <errno.h>
#include <string.h>
#include "reports/history/store.h"

static int64_t number(struct history *h, const char *sql, const char *types,
		      int64_t one, int64_t other)
{
	sqlite3_stmt *s = store_prepare(h, sql);
	int64_t n;

	store_bind(h, s, types, one, other);
	n = store_number(h, s);
	sqlite3_finalize(s);
	return n;
}

static void run(struct history *h, const char *sql, int64_t one, int64_t other)
{
	sqlite3_stmt *s = store_prepare(h, sql);

	store_bind(h, s, "ii", one, other);
	store_run(h, s);
	sqlite3_finalize(s);
}

/* Returns the id of the device, 0 for none. The label is "HOST DEVICE". */
static int64_t find(struct history *h, const char *label)
{
	sqlite3_stmt *s = store_prepare(
		h, "SELECT id FROM device WHERE host || ' ' || name = ?");
	int64_t id;

	store_bind(h, s, "s", label);
	id = store_number(h, s);
	sqlite3_finalize(s);
	return id;
}

/* Joins the spans that are open at the last run of the old device (?1) with the
 * first ones of the new device (?2): one with the same result goes on, another
 * one ends the old one. A case has spans in order, so the first is the one
 * without a span before it. */
static void join_spans(struct history *h, int64_t old, int64_t fresh)
{
	static const char first[] =
		"CREATE TEMP TABLE joint AS SELECT now.id AS id, now.first AS "
		"first, now.last AS last, was.first AS was, now.verdict = "
		"was.verdict AND now.fails = was.fails AND now.rule IS "
		"was.rule AND now.observed IS was.observed AS same FROM span "
		"AS now JOIN span AS was ON was.device = ?1 AND was.id = "
		"now.id AND was.last IS NULL WHERE now.device = ?2 AND "
		"now.first = (SELECT min(first) FROM span WHERE device = ?2 "
		"AND id = now.id)";

	run(h, first, old, fresh);
	run(h,
	    "UPDATE span SET last = (SELECT CASE WHEN same THEN joint.last "
	    "ELSE joint.first - 1 END FROM joint WHERE joint.id = span.id) "
	    "WHERE device = ?1 AND device <> ?2 AND last IS NULL AND id IN "
	    "(SELECT id FROM joint)",
	    old, fresh);
	run(h,
	    "DELETE FROM span WHERE device = ?2 AND device <> ?1 AND (id, "
	    "first) IN (SELECT id, first FROM joint WHERE same)",
	    old, fresh);
	store_exec(h, "DROP TABLE joint");
}

static void join(struct history *h, int64_t old, int64_t fresh)
{
	join_spans(h, old, fresh);
	run(h, "UPDATE span SET device = ?1 WHERE device = ?2", old, fresh);
	run(h, "UPDATE run SET device = ?1 WHERE device = ?2", old, fresh);
	run(h, "DELETE FROM device WHERE id <> ?1 AND id = ?2", old, fresh);
}

static int check(struct history *h, int64_t old, int64_t fresh,
		 const char *from, const char *to, char *err, size_t errlen)
{
	if (h->error[0])
		return store_failed(h, err, errlen);
	if (!old || old == fresh) {
		snprintf(err, errlen,
			 old ? "%.300s has that name already"
			     : "the history has no device %.300s",
			 from);
		return -ENOENT;
	}
	if (fresh && number(h,
			    "SELECT (SELECT max(id) FROM run WHERE device = "
			    "?1) >= (SELECT min(id) FROM run WHERE device = "
			    "?2)",
			    "ii", old, fresh)) {
		snprintf(err, errlen,
			 "%.300s ran before %.300s ran last: they are two "
			 "devices",
			 to, from);
		return -EEXIST;
	}
	return 0;
}

static void set_name(struct history *h, int64_t id, const char *label)
{
	const char *blank = strchr(label, ' ');
	char host[256];
	sqlite3_stmt *s = store_prepare(
		h, "UPDATE device SET host = ?, name = ? WHERE id = ?");

	snprintf(host, sizeof(host), "%.*s", (int)(blank - label), label);
	store_bind(h, s, "ssi", host, blank + 1, id);
	store_run(h, s);
	sqlite3_finalize(s);
}

int history_rename(struct history *h, const char *from, const char *to,
		   char *err, size_t errlen)
{
	int64_t old, fresh;
	int ret;

	store_exec(h, "BEGIN IMMEDIATE");
	old = find(h, from);
	fresh = find(h, to);
	ret = check(h, old, fresh, from, to, err, errlen);
	if (!ret && fresh)
		join(h, old, fresh);
	if (!ret) {
		set_name(h, old, to);
		store_exec(h, "COMMIT");
		ret = store_failed(h, err, errlen);
	}
	if (ret)
		sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
	return ret;
}

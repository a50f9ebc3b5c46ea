/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Opens and makes the file, and runs statements. Errors are rare and final, so
 * the first one is kept, and asked for at the end.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "reports/history/store.h"

#define APPLICATION "1768060520" /* "ibvh", in the file's header */
#define VERSION	    2
#define BUSY_MS	    10000 /* another ibvet may be adding a night */

/*
 * The id of a text is its number in struct texts. `run` counts up with the
 * nights. A span without `last` holds still; only one that fails has `expected`
 * and `program`. `took` has the times of a run's cases (times.h). `target` is
 * the number of the device in the run, `again` the command that runs the case
 * CASE again.
 */
static const char schema[] =
	"PRAGMA application_id = " APPLICATION ";"
	"PRAGMA user_version = 2;"
	"CREATE TABLE text (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
	"CREATE TABLE night (id INTEGER PRIMARY KEY, name TEXT NOT NULL "
	"UNIQUE);"
	"CREATE TABLE device (id INTEGER PRIMARY KEY, host TEXT NOT NULL,"
	" name TEXT NOT NULL, UNIQUE (host, name));"
	"CREATE TABLE run (id INTEGER PRIMARY KEY, night INTEGER NOT NULL,"
	" device INTEGER NOT NULL, folder TEXT NOT NULL,"
	" environment TEXT NOT NULL, cases INTEGER NOT NULL,"
	" failing INTEGER NOT NULL, not_run INTEGER NOT NULL,"
	" target INTEGER NOT NULL, again TEXT NOT NULL,"
	" took BLOB NOT NULL, UNIQUE (night, device));"
	"CREATE INDEX run_of_device ON run (device, id);"
	"CREATE TABLE span (device INTEGER NOT NULL, id INTEGER NOT NULL,"
	" first INTEGER NOT NULL, last INTEGER, fails INTEGER NOT NULL,"
	" verdict INTEGER NOT NULL, rule INTEGER, observed INTEGER,"
	" expected INTEGER, program INTEGER,"
	" PRIMARY KEY (device, id, first)) WITHOUT ROWID;"
	"CREATE INDEX span_first ON span (first);"
	"CREATE INDEX span_failing ON span (device, id, first) WHERE fails;"
	"CREATE INDEX span_rule ON span (rule) WHERE fails;"
	"CREATE TABLE program (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL,"
	" text TEXT NOT NULL);"
	"CREATE INDEX program_hash ON program (hash);";

static void keep_error(struct history *h)
{
	if (!h->error[0])
		snprintf(h->error, sizeof(h->error), "%s",
			 sqlite3_errmsg(h->db));
}

sqlite3_stmt *store_prepare(struct history *h, const char *sql)
{
	sqlite3_stmt *s = NULL;

	if (!h->error[0] && sqlite3_prepare_v2(h->db, sql, -1, &s, NULL))
		keep_error(h);
	return s;
}

void store_bind(struct history *h, sqlite3_stmt *s, const char *types, ...)
{
	va_list args;
	int ret = SQLITE_OK;

	if (!s)
		return;
	sqlite3_reset(s);
	va_start(args, types);
	for (int i = 0; types[i] && !ret; i++) {
		const char *text;

		if (types[i] == 'i') {
			ret = sqlite3_bind_int64(s, i + 1,
						 va_arg(args, int64_t));
			continue;
		}
		text = va_arg(args, const char *);
		ret = sqlite3_bind_text(s, i + 1, text, -1, SQLITE_TRANSIENT);
	}
	va_end(args);
	if (ret)
		keep_error(h);
}

bool store_step(struct history *h, sqlite3_stmt *s)
{
	int ret = s && !h->error[0] ? sqlite3_step(s) : SQLITE_DONE;

	if (ret != SQLITE_ROW && ret != SQLITE_DONE)
		keep_error(h);
	return ret == SQLITE_ROW;
}

void store_run(struct history *h, sqlite3_stmt *s)
{
	store_step(h, s);
	sqlite3_reset(s);
}

void store_exec(struct history *h, const char *sql)
{
	if (!h->error[0] && sqlite3_exec(h->db, sql, NULL, NULL, NULL))
		keep_error(h);
}

int64_t store_number(struct history *h, sqlite3_stmt *s)
{
	int64_t n = store_step(h, s) ? column_int(s, 0) : 0;

	sqlite3_reset(s);
	return n;
}

int store_failed(const struct history *h, char *err, size_t errlen)
{
	if (!h->error[0])
		return 0;
	snprintf(err, errlen, "%.700s: %s", h->path, h->error);
	return -EIO;
}

static int64_t pragma(struct history *h, const char *sql)
{
	sqlite3_stmt *s = store_prepare(h, sql);
	int64_t n = store_number(h, s);

	sqlite3_finalize(s);
	return n;
}

/* Makes the tables in an empty file. The same in two processes: the second one
 * waits for the first one, and finds the tables. */
static void make_tables(struct history *h)
{
	store_exec(h, "BEGIN IMMEDIATE");
	if (!pragma(h, "SELECT count(*) FROM sqlite_master"))
		store_exec(h, schema);
	store_exec(h, "COMMIT");
}

static int check_version(struct history *h, char *err, size_t errlen)
{
	int64_t application = pragma(h, "PRAGMA application_id");
	int64_t version = pragma(h, "PRAGMA user_version");

	if (h->error[0] && sqlite3_errcode(h->db) != SQLITE_NOTADB)
		return store_failed(h, err, errlen);
	if (h->error[0] || application != atoll(APPLICATION)) {
		snprintf(err, errlen, "%.700s: is no history of ibvet",
			 h->path);
		return -EINVAL;
	}
	if (version == VERSION)
		return 0;
	snprintf(err, errlen,
		 "%.700s: has version %lld, and this ibvet knows version %d: "
		 "use the ibvet that made it",
		 h->path, (long long)version, VERSION);
	return -EINVAL;
}

static int open_file(struct history *h, int flags, char *err, size_t errlen)
{
	if (sqlite3_open_v2(h->path, &h->db, flags, NULL)) {
		snprintf(err, errlen, "%.700s: cannot be opened: %s", h->path,
			 h->db ? sqlite3_errmsg(h->db) : "no memory");
		return -EIO;
	}
	sqlite3_busy_timeout(h->db, BUSY_MS);
	if (flags & SQLITE_OPEN_CREATE)
		make_tables(h);
	return check_version(h, err, errlen);
}

static int open_history(struct history **to, const char *path, int flags,
			char *err, size_t errlen)
{
	struct history *h = calloc(1, sizeof(*h));
	int ret;

	*to = NULL;
	if (!h) {
		snprintf(err, errlen, "%.700s: no memory", path);
		return -ENOMEM;
	}
	h->path = path;
	ret = open_file(h, flags, err, errlen);
	if (ret)
		history_close(h);
	else
		*to = h;
	return ret;
}

int history_open(struct history **h, const char *path, char *err, size_t errlen)
{
	if (access(path, R_OK)) {
		snprintf(err, errlen,
			 "%.700s: %s; \"ibvet history FILE add RUN...\" makes "
			 "a history",
			 path, strerror(errno));
		return -ENOENT;
	}
	/* An ibvet that was killed while it added leaves its changes to undo,
	 * which needs a file that can be written. */
	return open_history(h, path,
			    access(path, W_OK) ? SQLITE_OPEN_READONLY
					       : SQLITE_OPEN_READWRITE,
			    err, errlen);
}

int history_open_to_add(struct history **h, const char *path, char *err,
			size_t errlen)
{
	return open_history(h, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    err, errlen);
}

void history_close(struct history *h)
{
	if (!h)
		return;
	sqlite3_close_v2(h->db);
	free(h);
}

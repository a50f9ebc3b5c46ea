/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The file of a history. It keeps no row for each case of each night: a *span*
 * is a case of a device with one result from its first run to its last, so that
 * a night without changes adds the times of its cases only.
 */
#ifndef IBVET_REPORTS_HISTORY_STORE_H
#define IBVET_REPORTS_HISTORY_STORE_H

#include <sqlite3.h>
#include <stdint.h>
#include "reports/history/history.h"

struct history {
	sqlite3 *db;
	const char *path;
	char error[256]; /* the first error of a statement, or "" */
};

/* Prepare a statement, and run it. After an error they do nothing but keep the
 * first one; store_prepare() then returns NULL, which the others take. */
sqlite3_stmt *store_prepare(struct history *h, const char *sql);
/* Binds integers ('i': int64_t) and texts ('s': const char *, or NULL) to the
 * parameters from 1 on. */
void store_bind(struct history *h, sqlite3_stmt *s, const char *types, ...);
/* Returns true if there is a row. */
bool store_step(struct history *h, sqlite3_stmt *s);
/* Runs a statement that has no rows, so that it can be bound again. */
void store_run(struct history *h, sqlite3_stmt *s);
/* Run a text of SQL. */
void store_exec(struct history *h, const char *sql);

static inline int64_t column_int(sqlite3_stmt *s, int column)
{
	return sqlite3_column_int64(s, column);
}

/* Returns NULL for SQL's NULL. */
static inline const char *column_text(sqlite3_stmt *s, int column)
{
	return (const char *)sqlite3_column_text(s, column);
}

/* Returns the only number that a statement gives, or 0. */
int64_t store_number(struct history *h, sqlite3_stmt *s);
/* Returns 0, or -EIO with "PATH: ERROR" in err after any error so far. */
int store_failed(const struct history *h, char *err, size_t errlen);

#endif

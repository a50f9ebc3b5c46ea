/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the file knows of a run by its folder: whether the run was added, and
 * how long its cases took.
 */
#include <stdlib.h>
#include "reports/history/store.h"
#include "reports/history/times.h"

/* Runs are kept with their real path. */
static sqlite3_stmt *find_run(struct history *h, const char *run)
{
	sqlite3_stmt *s = store_prepare(h, "SELECT took FROM run WHERE folder "
					   "= ? ORDER BY id DESC LIMIT 1");
	char *real = realpath(run, NULL);

	store_bind(h, s, "s", real ? real : run);
	free(real);
	return s;
}

bool history_has(struct history *h, const char *run)
{
	sqlite3_stmt *s = find_run(h, run);
	const bool has = store_step(h, s);

	sqlite3_finalize(s);
	return has;
}

static void each_time(struct history *h, const uint8_t *bytes, size_t n,
		      void (*fn)(const char *id, uint64_t us, void *arg),
		      void *arg)
{
	sqlite3_stmt *s =
		store_prepare(h, "SELECT text FROM text WHERE id = ?");
	struct times_reader r = {bytes, bytes + n, 0};
	uint32_t id;
	uint8_t level;

	while (times_next(&r, &id, &level)) {
		store_bind(h, s, "i", (int64_t)id);
		if (store_step(h, s))
			fn(column_text(s, 0), times_us(level), arg);
	}
	sqlite3_finalize(s);
}

int history_each_time(struct history *h, const char *run,
		      void (*fn)(const char *id, uint64_t us, void *arg),
		      void *arg, char *err, size_t errlen)
{
	sqlite3_stmt *s = find_run(h, run);

	if (store_step(h, s))
		each_time(h, sqlite3_column_blob(s, 0),
			  (size_t)sqlite3_column_bytes(s, 0), fn, arg);
	sqlite3_finalize(s);
	return store_failed(h, err, errlen);
}

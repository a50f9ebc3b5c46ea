/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Gathers the runs of a device. Environments and commands are the same on most
 * nights, and are written where they change.
 */
#include <stdlib.h>
#include <string.h>
#include "reports/history/environment.h"
#include "reports/nights/nights.h"

/* A device as JSON, while its runs are read */
struct gathering {
	json_t *runs;	      /* [[night, cases, failing, not run, target,
				 folder], …] */
	json_t *environments; /* [[night, {…}], …] */
	json_t *commands;     /* [[night, "ibvet run …"], …] */
};

static json_t *last_of(const json_t *list)
{
	size_t n = json_array_size(list);

	return n ? json_array_get(json_array_get(list, n - 1), 1) : NULL;
}

static void add_change(json_t *list, int night, json_t *value)
{
	if (!json_equal(last_of(list), value))
		json_array_append_new(list, json_pack("[i, O]", night, value));
	json_decref(value);
}

static json_t *environment_of(const char *text)
{
	json_t *all = json_loads(text, 0, NULL);

	environment_leave_out(all);
	return all ? all : json_object();
}

static void add_run(struct gathering *g, int night, sqlite3_stmt *s)
{
	json_array_append_new(g->runs, json_pack("[i, I, I, I, I, s]", night,
						 (json_int_t)column_int(s, 2),
						 (json_int_t)column_int(s, 3),
						 (json_int_t)column_int(s, 4),
						 (json_int_t)column_int(s, 5),
						 column_text(s, 6)));
	add_change(g->environments, night, environment_of(column_text(s, 7)));
	add_change(g->commands, night, json_string(column_text(s, 8)));
}

/* Sets the last run, and the one before it, which may be off the page. */
static void set_latest(struct history *h, struct nights_device *d)
{
	sqlite3_stmt *s = store_prepare(
		h, "SELECT ifnull(max(id), 0) FROM run WHERE device = ? AND id "
		   "< ?");

	if (d->nruns)
		d->latest.run = d->run[d->nruns - 1].id;
	store_bind(h, s, "ii", d->latest.device, d->latest.run);
	d->latest.before = store_number(h, s);
	sqlite3_finalize(s);
}

void nights_device(struct nights *n, struct nights_device *d)
{
	struct history *h = n->asking.h;
	struct gathering g = {json_array(), json_array(), json_array()};
	sqlite3_stmt *s = store_prepare(
		h, "SELECT id, night, cases, failing, not_run, target, folder, "
		   "environment, again FROM run WHERE device = ? AND night "
		   "BETWEEN ? AND ? ORDER BY id");

	store_bind(h, s, "iii", d->latest.device, n->night[0], n->asking.night);
	while (store_step(h, s)) {
		int night = nights_index(n, column_int(s, 1));

		if (night < 0 || d->nruns == NIGHTS_MOST)
			continue;
		d->run[d->nruns++] =
			(struct nights_run){column_int(s, 0), night};
		add_run(&g, night, s);
	}
	sqlite3_finalize(s);
	set_latest(h, d);
	json_array_append_new(
		n->devices, json_pack("{s:s, s:s, s:o, s:o, s:o}", "host",
				      d->latest.host, "name", d->latest.name,
				      "runs", g.runs, "environments",
				      g.environments, "commands", g.commands));
}

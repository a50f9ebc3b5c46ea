/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds when cases ran last, from the times of the runs. A case that no longer
 * exists, or that the time of many nights did not suffice for, does not run.
 */
#include "reports/history/ask.h"
#include "reports/history/times.h"

/* Notes the cases that ran in this run and in no later one. Returns how many
 * are still unknown. */
static size_t note(struct times_reader r, int64_t run, const int64_t *ids,
		   int64_t *last, size_t n)
{
	size_t unknown = 0;
	uint8_t level;
	uint32_t id = 0;
	bool more = times_next(&r, &id, &level);

	for (size_t i = 0; i < n; i++) {
		while (more && id < ids[i])
			more = times_next(&r, &id, &level);
		if (!last[i] && more && id == ids[i])
			last[i] = run;
		unknown += !last[i];
	}
	return unknown;
}

void ask_last_ran(struct asking *a, const struct asked_run *r,
		  const int64_t *ids, int64_t *last, size_t n)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT took, id FROM run WHERE device = ? AND id <= ? "
		      "AND id >= ? ORDER BY id DESC");
	size_t unknown = n;

	store_bind(a->h, s, "iii", r->device, r->run, a->window);
	while (unknown && store_step(a->h, s))
		unknown = note(times_of(s, 0), column_int(s, 1), ids, last, n);
	sqlite3_finalize(s);
}

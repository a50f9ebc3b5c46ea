// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What it costs to have a case in the journal: its event made and written, and
 * the disk told, beside a plain write of as many bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/bench.h"
#include "run/journal.h"

struct notes {
	struct journal journal;
	char dir[64];
	char line[512];
	size_t len; /* of an event's line */
	bool sync;
};

static json_t *event(void)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:b}", "event", "case",
			 "id", "modify/rc/init-rtr/missing/PATH_MTU", "target",
			 "model", "verdict", "conforms", "us", 41, "rule",
			 "modify/table/missing", "strict", 1);
}

static void close_notes(void *state)
{
	struct notes *n = state;

	journal_close(&n->journal);
	unlink(n->journal.path);
	rmdir(n->dir);
	free(n);
}

/* Where runs are by default: in the current folder. */
static void *open_notes(int sync)
{
	struct notes *n = calloc(1, sizeof(*n));
	char err[256], *line;
	json_t *one = event();

	line = one ? json_dumps(one, JSON_COMPACT) : NULL;
	json_decref(one);
	if (!n || !line) {
		free(line);
		free(n);
		return NULL;
	}
	n->sync = sync;
	n->len = (size_t)snprintf(n->line, sizeof(n->line), "%s\n", line);
	free(line);
	snprintf(n->dir, sizeof(n->dir), "bench-XXXXXX");
	if (mkdtemp(n->dir) &&
	    !journal_create(&n->journal, n->dir, err, sizeof(err)))
		return n;
	fprintf(stderr, "bench: no journal can be made in this folder\n");
	rmdir(n->dir);
	free(n);
	return NULL;
}

static uint64_t write_plainly(void *state, uint64_t rounds)
{
	struct notes *n = state;

	for (uint64_t i = 0; i < rounds; i++)
		if (write(n->journal.fd, n->line, n->len) != (ssize_t)n->len)
			return 0;
	return ftruncate(n->journal.fd, 0) ? 0 : rounds;
}

static uint64_t journalise(void *state, uint64_t rounds)
{
	struct notes *n = state;
	char err[256];

	for (uint64_t i = 0; i < rounds; i++)
		if (journal_add(&n->journal, event()) ||
		    journal_flush(&n->journal, n->sync, err, sizeof(err)))
			return 0;
	journal_cut(&n->journal, 0);
	return rounds;
}

const struct bench bench_journal[] = {
	{.name = "journal/plain",
	 .about = "a line written to a file",
	 .against = "journal/plain",
	 .wall = true,
	 .open = open_notes,
	 .run = write_plainly,
	 .close = close_notes},
	{.name = "journal/event",
	 .about = "an event made and written",
	 .against = "journal/plain",
	 .wall = true,
	 .open = open_notes,
	 .run = journalise,
	 .close = close_notes},
	{.name = "journal/synced",
	 .about = "an event that the disk has, as before a call on a device",
	 .against = "journal/plain",
	 .wall = true,
	 .arg = true,
	 .open = open_notes,
	 .run = journalise,
	 .close = close_notes},
	{0},
};

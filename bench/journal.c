// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The cost of a case's event in the journal: making, writing and syncing it,
 * compared with a plain write of as many bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/bench.h"
#include "journal/event.h"

struct notes {
	struct journal journal;
	struct recorder *recorder;
	char dir[64];
	char line[512];
	size_t len; /* of `line` */
	bool sync;
};

/* Writes the end of a case that passed, as most do. */
static int write_case(struct notes *n)
{
	static const struct judgement judged = {
		.verdict = VERDICT_PASS,
		.call = -1,
	};
	const struct case_end end = {
		.judged = &judged,
		.profile = "",
	};

	return event_end(&n->journal, 0, n->recorder, &end);
}

static void close_notes(void *state)
{
	struct notes *n = state;

	journal_close(&n->journal);
	unlink(n->journal.path);
	rmdir(n->dir);
	recorder_free(n->recorder);
	free(n);
}

static bool make_case(struct notes *n)
{
	static const struct test_case one = {
		.id = "modify/rc/init-rtr/missing/PATH_MTU",
		.sentence = "RC INIT to RTR without PATH_MTU is refused.",
		.row = ROW_TABLE_MISSING,
	};

	n->recorder = recorder_new();
	if (!n->recorder)
		return false;
	recorder_begin(n->recorder, 12345, &one);
	if (write_case(n) || n->journal.len > sizeof(n->line))
		return false;
	n->len = n->journal.len;
	memcpy(n->line, n->journal.text, n->len);
	n->journal.len = 0;
	return true;
}

/* Makes the journal in the current folder, as runs are by default. */
static void *open_notes(int sync)
{
	struct notes *n = calloc(1, sizeof(*n));
	char err[256];

	if (!n)
		return NULL;
	n->sync = sync;
	n->journal.fd = -1;
	snprintf(n->dir, sizeof(n->dir), "bench-XXXXXX");
	if (mkdtemp(n->dir) &&
	    !journal_create(&n->journal, n->dir, err, sizeof(err)) &&
	    make_case(n))
		return n;
	fprintf(stderr, "bench: no journal can be made in this folder\n");
	close_notes(n);
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
		if (write_case(n) ||
		    journal_flush(&n->journal, n->sync, err, sizeof(err)))
			return 0;
	journal_blank(&n->journal, 0, n->journal.size);
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

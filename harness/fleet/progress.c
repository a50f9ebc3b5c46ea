/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the events of a shard that tell how far it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fleet/progress.h"
#include "journal/journal.h"
#include "journal/resume.h"

struct reading {
	struct shard_progress *p;
	struct progress_so_far so_far;
};

static bool note(const struct line *event, void *arg)
{
	const char *kind = line_kind(event);
	struct reading *r = arg;

	if (!strcmp(kind, "run"))
		r->p->begun = true;
	if (line_number(event, "t", -1) != 0)
		return true;
	so_far_note(&r->so_far, event);
	if (!strcmp(kind, "target"))
		r->p->cases = (uint64_t)line_number(event, "cases", 0);
	if (!strcmp(kind, "done")) {
		r->p->run_us += (uint64_t)line_number(event, "run_us", 0);
		r->p->cases_us += (uint64_t)line_number(event, "cases_us", 0);
	}
	return true;
}

/* Returns the first case that is under way. */
static uint64_t under_way(struct progress_so_far *s)
{
	so_far_settle(s);
	if (s->lost != NO_NUMBER)
		return s->lost;
	return s->nsuspects ? s->suspect[0] : NO_NUMBER;
}

void shard_progress_read(struct shard_progress *p, const char *dir)
{
	static const char *const kinds[] = {"run",   "target", "begin", "again",
					    "heard", "end",    "done",	NULL};
	struct reading *r = calloc(1, sizeof(*r));
	char err[RUN_ERROR_LEN];

	*p = (struct shard_progress){.at = NO_NUMBER};
	if (!r)
		return;
	r->p = p;
	so_far_init(&r->so_far);
	journal_scan(kinds, dir, 0, note, r, NULL, err, sizeof(err));
	p->done = p->begun && so_far_is_done(&r->so_far);
	p->ended = r->so_far.ended;
	p->failures = r->so_far.failures;
	p->at = p->done ? NO_NUMBER : under_way(&r->so_far);
	snprintf(p->boot, sizeof(p->boot), "%s", r->so_far.boot);
	free(r);
}

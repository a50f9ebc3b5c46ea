/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides when the events of a run are written. Each write takes a round trip
 * on a file system of the network or of the lab. So the ends of cases are
 * written together with the next begin, and at the latest before the supervisor
 * sleeps. If the journal cannot be written, the cases whose ends are not in the
 * file run again after --resume.
 */
#include <string.h>
#include "run/state.h"

#define GATHERED_MAX 65536 /* bytes */

bool at_once_fail(struct schedule *s, const char *why)
{
	s->failed = true;
	recorder_broken(s->run, "%s", why);
	return false;
}

bool at_once_is_over(const struct schedule *s)
{
	return s->failed || s->run->stop;
}

void gathered_forget(struct schedule *s, unsigned int i)
{
	struct slot *slot = &s->slot[i];

	journal_blank(s->writer->journal, slot->at, slot->end);
	slot->end = slot->at;
}

static void forget_ended(struct schedule *s)
{
	struct unwritten *u = &s->unwritten;

	for (unsigned int i = 0; i < u->n; i++)
		journal_blank(s->writer->journal, u->begin[i].at,
			      u->begin[i].end);
	u->n = 0;
}

bool gathered_lost(struct schedule *s)
{
	forget_ended(s);
	for (unsigned int i = 0; i < s->pool.n; i++)
		gathered_forget(s, i);
	s->journal_lost = true;
	return at_once_fail(s, "no memory");
}

bool gathered_write(struct schedule *s, bool sync)
{
	if (s->journal_lost)
		return true;
	if (journal_flush(s->writer->journal, sync, s->run->error,
			  sizeof(s->run->error)))
		return gathered_lost(s);
	s->unwritten.n = 0;
	return true;
}

bool gathered_enough(struct schedule *s)
{
	if (s->writer->journal->len < GATHERED_MAX &&
	    s->unwritten.n < POOL_MAX - 1)
		return true;
	return gathered_write(s, false);
}

void gathered_end(struct schedule *s, const struct slot *slot)
{
	if (s->writer->journal->len && s->unwritten.n < POOL_MAX)
		s->unwritten.begin[s->unwritten.n++] = *slot;
}

bool at_once_write(struct schedule *s, json_t *event)
{
	if (journal_add(s->writer->journal, event))
		return gathered_lost(s);
	return gathered_write(s, s->run->live);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads where a run stands. Cases begin in order, so a number for each target
 * says which are behind it; only the last one begun can have been lost.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "run/journal.h"
#include "run/resume.h"

static void note_id(struct standing *s, const json_t *event)
{
	const char *id = event_text(event, "id");
	int64_t n = event_number(event, "n", -1);

	if (n < 0)
		return; /* the generators do not know it */
	s->next = (uint64_t)n + 1;
	snprintf(s->last_id, sizeof(s->last_id), "%s", id ? id : "");
}

static void note_end(struct standing *s, const json_t *event)
{
	const char *name = event_text(event, "verdict");
	int verdict = name ? verdict_by_name(name) : -1;

	note_id(s, event);
	s->lost = false;
	s->ended++;
	s->repros += event_text(event, "repro") != NULL;
	s->failures +=
		verdict >= 0 && verdict_fails((enum verdict)verdict, false);
}

static bool note(const json_t *event, void *arg)
{
	const char *kind = event_kind(event);
	struct past *past = arg;
	int64_t t = event_number(event, "t", -1);
	struct standing *s;

	if (!strcmp(kind, "run") && !past->run)
		past->run = json_deep_copy(event);
	if (t < 0 || t >= RUN_MAX_TARGETS)
		return true;
	s = &past->standing[t];
	if (!strcmp(kind, "begin")) {
		note_id(s, event);
		s->lost = true;
	} else if (!strcmp(kind, "end")) {
		note_end(s, event);
	} else if (!strcmp(kind, "done")) {
		s->done = event_number(event, "not_run", 0) == 0;
	}
	return true;
}

int past_read(struct past *past, const char *dir, char *err, size_t errlen)
{
	int ret;

	memset(past, 0, sizeof(*past));
	ret = journal_each(dir, note, past, NULL, err, errlen);
	if (ret)
		return ret;
	if (!past->run) {
		snprintf(err, errlen,
			 "%s/" JOURNAL_NAME ": does not begin with a run", dir);
		return -EINVAL;
	}
	if (json_object_get(past->run, "merged")) {
		snprintf(err, errlen,
			 "%s is merged of other runs: go on with those, and "
			 "merge them again",
			 dir);
		return -EINVAL;
	}
	if (event_number(past->run, "schema", 0) != JOURNAL_SCHEMA) {
		snprintf(err, errlen,
			 "%s/" JOURNAL_NAME ": schema %lld, and this ibvet "
			 "goes on with %d",
			 dir, (long long)event_number(past->run, "schema", 0),
			 JOURNAL_SCHEMA);
		return -EINVAL;
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads how far a run has come, for --resume.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "journal/event.h"
#include "journal/journal.h"
#include "journal/resume.h"

static const char *const kinds[] = {"run",   "target", "begin", "again",
				    "heard", "end",    "done",	NULL};

void past_init(struct past *past)
{
	past->run = NULL;
	for (int t = 0; t < RUN_MAX_TARGETS; t++)
		so_far_init(&past->so_far[t]);
}

static bool note(const struct line *event, void *arg)
{
	int64_t t = line_number(event, "t", -1);
	struct past *past = arg;

	if (!past->run && !strcmp(line_kind(event), "run"))
		past->run = line_json(event);
	if (t >= 0 && t < RUN_MAX_TARGETS)
		so_far_note(&past->so_far[t], event);
	return true;
}

static int refuse(const char *dir, const char *what, char *err, size_t errlen)
{
	snprintf(err, errlen, "%s/" JOURNAL_NAME ": %s", dir, what);
	return -EINVAL;
}

static int check_run(const struct past *past, const char *dir, char *err,
		     size_t errlen)
{
	int64_t schema = event_number(past->run, "schema", 0);
	char what[96];

	if (!past->run)
		return refuse(dir,
			      "does not begin with a run: there is nothing to "
			      "go on with, start a new one",
			      err, errlen);
	if (json_object_get(past->run, "merged")) {
		snprintf(err, errlen,
			 "%s is merged of other runs: go on with those, and "
			 "merge them again",
			 dir);
		return -EINVAL;
	}
	snprintf(what, sizeof(what),
		 "schema %lld, and this ibvet goes on with %d",
		 (long long)schema, JOURNAL_SCHEMA);
	return schema == JOURNAL_SCHEMA ? 0 : refuse(dir, what, err, errlen);
}

int past_read(struct past *past, const char *dir, char *err, size_t errlen)
{
	int ret;

	past_init(past);
	ret = journal_scan(kinds, dir, 0, note, past, NULL, err, errlen);
	if (!ret)
		ret = check_run(past, dir, err, errlen);
	for (int t = 0; t < RUN_MAX_TARGETS && !ret; t++)
		if (past->so_far[t].too_many)
			ret = refuse(dir,
				     "too many parts of it are missing: start "
				     "a new run",
				     err, errlen);
	return ret;
}

struct recall {
	const struct expect_list *list;
	int t;
};

static bool recall(const struct line *event, void *arg)
{
	const char *id = line_text(event, "id");
	const char *verdict = line_text(event, "verdict");
	struct recall *r = arg;
	int value = verdict ? verdict_by_name(verdict) : -1;

	if (id && value >= 0 && line_number(event, "t", -1) == r->t)
		expect_recall(r->list, id, (enum verdict)value,
			      line_number(event, "n", -1) >= 0);
	return true;
}

int past_recall(const char *dir, int t, const struct expect_list *list,
		char *err, size_t errlen)
{
	static const char *const ends[] = {"end", NULL};
	struct recall r = {list, t};

	if (!list->n)
		return 0;
	expect_forget(list);
	return journal_scan(ends, dir, 0, recall, &r, NULL, err, errlen);
}

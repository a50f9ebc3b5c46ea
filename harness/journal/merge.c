/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the journal of a run that was made in shards: for each target the
 * events of shard 1, then those of shard 2, and so on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "journal/event.h"
#include "journal/run_folder.h"
#include "journal/merge_runs.h"

#define WRITE_AT_ONCE 65536

struct copy {
	const struct merge_runs *parts;
	struct journal journal;
	int part, t;
	uint64_t ended; /* cases of this part and target */
	bool announced; /* the target event is written */
	char *err;
	size_t errlen;
	int ret;
};

static int failed(struct copy *c, int ret)
{
	c->ret = ret;
	if (ret && !c->err[0])
		snprintf(c->err, c->errlen, "%s: %s", c->journal.path,
			 strerror(-ret));
	return ret;
}

static int write_event(struct copy *c, json_t *event)
{
	int ret = journal_add(&c->journal, event);

	if (!ret && c->journal.len > WRITE_AT_ONCE)
		ret = journal_flush(&c->journal, false, c->err, c->errlen);
	return failed(c, ret);
}

/* Each shard counts its cases from 0. Gives the case its number in the whole
 * run. */
static void renumber(const struct copy *c, json_t *event)
{
	const struct merge_runs *p = c->parts;
	int64_t n = event_number(event, "n", -1);

	if (n >= 0)
		json_object_set_new(event, "n",
				    json_integer(n * (int64_t)p->shards +
						 merge_runs_shard(p, c->part) -
						 1));
}

static bool copy_event(const struct line *event, void *arg)
{
	static const char *const kinds[] = {"begin", "call", "outcome", "end",
					    "coverage"};
	struct copy *c = arg;
	const char *kind = line_kind(event);
	json_t *mine;

	if (line_number(event, "t", -1) != c->t)
		return true;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i], kind) != 0)
			continue;
		c->ended += !strcmp(kind, "end") &&
			    line_number(event, "n", -1) >= 0;
		mine = line_json(event);
		if (mine)
			renumber(c, mine);
		return !write_event(c, mine);
	}
	return true;
}

static bool copy_target_event(const struct line *event, void *arg)
{
	struct copy *c = arg;
	uint64_t selected = 0;
	json_t *mine;

	if (strcmp(line_kind(event), "target") != 0 ||
	    line_number(event, "t", -1) != c->t)
		return true;
	for (int i = 0; i < c->parts->n; i++)
		selected += c->parts->part[i].target[c->t].selected;
	mine = line_json(event);
	if (mine)
		json_object_set_new(mine, "cases",
				    json_integer((json_int_t)selected));
	write_event(c, mine);
	c->announced = true;
	return false;
}

/* Copies the target event of the first part that has one. */
static int announce_target(struct copy *c)
{
	int ret = 0;

	c->announced = false;
	for (int i = 0; i < c->parts->n && !c->announced && !ret; i++)
		ret = journal_scan(NULL, c->parts->part[i].dir, 0,
				   copy_target_event, c, NULL, c->err,
				   c->errlen);
	return ret;
}

static int copy_part(struct copy *c, uint64_t *not_run)
{
	const struct report *part = &c->parts->part[c->part];
	uint64_t selected = part->target[c->t].selected;
	int ret;

	c->ended = 0;
	ret = journal_scan(NULL, part->dir, 0, copy_event, c, NULL, c->err,
			   c->errlen);
	if (c->ended < selected)
		*not_run += selected - c->ended;
	return ret ? ret : c->ret;
}

static int copy_target(struct copy *c)
{
	struct run_done done = {0};
	int ret = announce_target(c);

	for (c->part = 0; c->part < c->parts->n && !ret && !c->ret; c->part++)
		ret = copy_part(c, &done.not_run);
	if (!ret && !c->ret)
		write_event(c, event_done(c->t, &done));
	return ret ? ret : c->ret;
}

static int copy_all(struct copy *c)
{
	int ret = write_event(c, merge_runs_event(c->parts));

	for (c->t = 0; c->t < c->parts->part[0].ntargets && !ret; c->t++)
		ret = copy_target(c);
	for (int i = 0; i < c->parts->n && !ret; i++)
		ret = merge_runs_copy_repros(c->parts->part[i].dir,
					     c->parts->out, c->err, c->errlen);
	return ret ? ret : journal_flush(&c->journal, true, c->err, c->errlen);
}

static int write_journal(struct merge_runs *p, const char *out, char *err,
			 size_t errlen)
{
	struct copy c = {
		.parts = p,
		.journal = {.fd = -1},
		.err = err,
		.errlen = errlen,
	};
	int ret = run_folder_make(out, p->out, sizeof(p->out), err, errlen);

	if (ret)
		return ret;
	ret = journal_create(&c.journal, p->out, err, errlen);
	if (ret == -EEXIST)
		snprintf(err, errlen,
			 "%s holds a run already: choose another folder",
			 p->out);
	if (ret)
		return ret;
	ret = copy_all(&c);
	/* A partial journal would look like a run. */
	if (ret)
		unlink(c.journal.path);
	journal_close(&c.journal);
	return ret;
}

static int failure(int ret, const char *err)
{
	fprintf(stderr, "ibvet merge: %s\n", err);
	return ret == -EINVAL || ret == -ENOENT || ret == -EEXIST ? RUN_USAGE
								  : RUN_BROKEN;
}

static int merge_parts(struct merge_runs *p, const char *out, char *err,
		       size_t errlen)
{
	static const struct report_form form = {FORM_CONSOLE, false};
	char missing[256];
	int status = RUN_BROKEN;
	int ret = write_journal(p, out, err, errlen);

	if (!ret)
		ret = report_finish(p->out, true, &form, &status, err, errlen);
	if (ret)
		return failure(ret, err);
	if (!merge_runs_missing(p, missing, sizeof(missing)))
		return status;
	fprintf(stderr, "ibvet merge: missing of %u shards: %s\n", p->shards,
		missing);
	return RUN_UNEXPECTED;
}

int merge_run(const char *out, const char *const *dirs, int n)
{
	struct merge_runs *p = calloc(1, sizeof(*p));
	char err[RUN_ERROR_LEN] = "";
	int ret;

	if (!p)
		return failure(-ENOMEM, "no memory");
	ret = merge_runs_open(p, dirs, n, err, sizeof(err));
	ret = ret ? failure(ret, err) : merge_parts(p, out, err, sizeof(err));
	merge_runs_close(p);
	free(p);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes one run of the shards of a device. `ibvet merge` is a process of its
 * own, so that what it prints goes into a file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contract/remove_folder.h"
#include "fleet/command.h"
#include "fleet/outcome.h"
#include "fleet/progress.h"
#include "journal/merge.h"
#include "reports/reports.h"

#define MERGED "run"

struct merging {
	const struct night *night;
	const struct fleet_device *device;
	char (*shard)[RUN_PATH_LEN]; /* that have begun */
	unsigned int n, done, first_open;
	uint64_t not_run; /* cases of that one, whose time was over */
	struct shard_progress sum;
	char *err;
	size_t errlen;
};

static void read_shards(struct merging *m)
{
	struct shard_progress p;

	for (unsigned int k = 1; k <= m->device->shards; k++) {
		night_shard_path(m->night, m->device, k, m->shard[m->n]);
		shard_progress_read(&p, m->shard[m->n]);
		m->n += p.begun;
		m->done += p.done;
		if (!p.done && !m->first_open) {
			m->first_open = k;
			m->not_run = p.not_run;
		}
		m->sum.cases += p.cases;
		m->sum.ended += p.ended;
		m->sum.run_us += p.run_us;
		m->sum.cases_us += p.cases_us;
	}
}

/* Returns the last line that a shard has printed. */
static void last_words(const struct merging *m, unsigned int k, char *buf,
		       size_t len)
{
	char name[32], path[RUN_PATH_LEN], *line = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(name, sizeof(name), "shard-%u.log", k);
	night_device_path(m->night, m->device, name, path);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0)
		if (line[strspn(line, " \n")])
			snprintf(buf, len, "%.*s", (int)strcspn(line, "\n"),
				 line);
	free(line);
	if (file)
		fclose(file);
}

/* Says why the first shard that has not ended has not. */
static void say_why_open(const struct merging *m, char *buf, size_t len)
{
	if (m->not_run)
		snprintf(buf, len,
			 "the time of shard %u was over, with %" PRIu64
			 " cases left; \"time\" allows more",
			 m->first_open, m->not_run);
	else
		last_words(m, m->first_open, buf, len);
}

/* A single shard is the run; its reports may be missing. */
static int write_reports(const struct merging *m, const char *dir)
{
	struct report *r = calloc(1, sizeof(*r));
	int ret = r ? report_open(r, dir, m->err, m->errlen) : -ENOMEM;

	if (!ret) {
		ret = report_files(r, m->err, m->errlen);
		report_close(r);
	}
	free(r);
	return ret;
}

/* Runs "ibvet merge -o NEW SHARD...". */
static int call_merge(const struct merging *m, const char *new)
{
	const char *argv[MERGE_MAX + 8] = {"/proc/self/exe", "merge", "-o",
					   new};
	char *out = NULL;
	int ret, n = 4;

	for (unsigned int i = 0; i < m->n && i < MERGE_MAX; i++)
		argv[n++] = m->shard[i];
	ret = command_status(argv, NULL, &out, m->err, m->errlen);
	free(out);
	if (ret == RUN_UNEXPECTED || ret == RUN_NOTHING)
		ret = 0;
	if (!ret)
		m->err[0] = '\0';
	return ret > 0 ? -EIO : ret;
}

static int merge_shards(const struct merging *m, const char *run)
{
	char new[RUN_PATH_LEN + 8];
	int ret;

	snprintf(new, sizeof(new), "%s.new", run);
	remove_folder(new);
	ret = call_merge(m, new);
	if (ret)
		return ret;
	remove_folder(run);
	if (!rename(new, run))
		return 0;
	snprintf(m->err, m->errlen, "%s: %s", run, strerror(errno));
	return -EIO;
}

/* Each row has what the shards have done; a device that has no whole result
 * says why. */
static json_t *row_of(const struct merging *m, const char *run,
		      const char *error)
{
	const struct fleet_device *d = m->device;
	const bool whole = m->done == d->shards && !*error;
	json_t *row = json_pack(
		"{s:s,s:s,s:s*,s:b,s:i,s:i,s:I,s:I,s:f,s:f}", "label", d->label,
		"profile",
		json_string_value(json_object_get(d->json, "profile")), "run",
		m->n ? run : NULL, "whole", whole, "shards", (int)d->shards,
		"done", (int)m->done, "cases", (json_int_t)m->sum.cases,
		"ended", (json_int_t)m->sum.ended, "seconds",
		(double)m->sum.run_us / 1e6, "cases_seconds",
		(double)m->sum.cases_us / 1e6);
	char words[400] = "";

	if (!whole && *error)
		snprintf(words, sizeof(words), "%.399s", error);
	else if (!whole)
		say_why_open(m, words, sizeof(words));
	if (*words)
		json_object_set_new(row, "error", json_string(words));
	return row;
}

void outcome_run_path(const struct night *n, const struct fleet_device *d,
		      char *path)
{
	const char *name = d->shards > 1 ? MERGED : "shard-1";

	/* Hunts are no parts of a whole. */
	night_device_path(n, d, d->kind == LAB_FUZZ ? "" : name, path);
}

/* A sheet of some parts is of no use, and a whole one has its page. */
static bool is_merged(const struct merging *m)
{
	const struct fleet_device *d = m->device;

	if (d->kind == LAB_SWEEP)
		return d->shards > 1 && m->done == d->shards;
	return d->kind == LAB_CASES && m->n;
}

int outcome_merge(const struct night *n, const struct fleet_device *d,
		  bool is_old, json_t **row, char *err, size_t errlen)
{
	struct merging m = {
		.night = n, .device = d, .err = err, .errlen = errlen};
	char run[RUN_PATH_LEN];
	int ret = 0;

	m.shard = calloc(d->shards + 1, sizeof(*m.shard));
	if (!m.shard) {
		snprintf(err, errlen, "no memory for %u shards", d->shards);
		return -ENOMEM;
	}
	read_shards(&m);
	outcome_run_path(n, d, run);
	if (!is_old && is_merged(&m))
		ret = d->shards > 1 ? merge_shards(&m, run)
				    : write_reports(&m, run);
	/* If shards ran on hosts that differ, they cannot be merged, and the
	 * device has no result. */
	*row = row_of(&m, run, ret ? err : "");
	err[0] = '\0';
	free(m.shard);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs the shards of a night one after the other. The host writes its run into
 * a folder of its own and sends the journal here, as for ibvet interop, so that
 * hosts need no shared folder.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "fleet/command.h"
#include "fleet/local.h"
#include "fleet/shard.h"
#include "fleet/window.h"
#include "interop/interop.h"
#include "journal/journal.h"

/* Waits until jobs of the device may run. */
static void await_window(const struct fleet_device *d)
{
	const char *text = event_text(d->json, "window");
	struct lab_window window = {0, 0};
	unsigned int wait;

	if (text)
		lab_window_parse(&window, text);
	wait = window_wait(&window, time(NULL));
	if (wait) {
		printf("  %s waits for %s\n", d->label, text);
		fflush(stdout);
	}
	while (wait)
		wait = sleep(wait);
}

static const char *result_of(int status)
{
	switch (status) {
	case RUN_AS_EXPECTED:
		return "as expected";
	case RUN_UNEXPECTED:
		return "something unexpected";
	case RUN_NOTHING:
		return "no case applies";
	default:
		return "no result";
	}
}

/* Appends the error of a shard to its log, where collect finds it. */
static void write_log(const struct night *n, const struct fleet_device *d,
		      unsigned int k, const char *error)
{
	char name[32], path[RUN_PATH_LEN];
	FILE *file;

	snprintf(name, sizeof(name), "shard-%u.log", k);
	night_device_path(n, d, name, path);
	file = fopen(path, "ae");
	if (!file)
		return;
	fprintf(file, "%s\n", error);
	fclose(file);
}

/* The host runs its side of a job, in the folder that it shares with this one.
 */
static int run_job(const struct night *n, const struct fleet_device *d,
		   unsigned int k, char *error, size_t len)
{
	const bool is_here = !strcmp(d->command, INTEROP_LOCAL);
	char command[LAB_COMMAND + 3 * RUN_PATH_LEN], log[RUN_PATH_LEN];
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	char name[32], *out = NULL;
	int status;

	snprintf(name, sizeof(name), "shard-%u.log", k);
	night_device_path(n, d, name, log);
	snprintf(command, sizeof(command),
		 "%s fleet shard '%s' '%s' %u </dev/null >>'%s' 2>&1",
		 is_here ? night_text(n, "program") : d->command, n->dir,
		 d->folder, k, log);
	status = command_status(argv, NULL, &out, error, len);
	free(out);
	if (status == RUN_UNEXPECTED || status == RUN_NOTHING)
		error[0] = '\0';
	else if (status)
		snprintf(error, len, "see %.900s", log);
	return status;
}

static int run_case_shard(const struct fleet_device *d, unsigned int k,
			  const char *dir, const struct shard_progress *p,
			  char *error, size_t len)
{
	json_t *arguments = shard_arguments(d, k);
	const json_t *moved = json_object_get(d->json, "moved");
	const struct pair_request q = {
		.command = d->command,
		.peer = d->peer,
		.arguments = arguments,
		.moved = json_object_size(moved) ? moved : NULL,
		.retry = shard_retries(dir, p, "", d->pool),
	};
	int status = pair_run(&q, dir, error, len);

	json_decref(arguments);
	return status;
}

static void run_shard(const struct night *n, const struct fleet_device *d,
		      unsigned int k, const char *dir,
		      const struct shard_progress *p)
{
	char error[FLEET_ERROR] = "";
	int status =
		d->kind == LAB_CASES
			? run_case_shard(d, k, dir, p, error, sizeof(error))
			: run_job(n, d, k, error, sizeof(error));

	printf("  %s, shard %u of %u: %s%s%s\n", d->label, k, d->shards,
	       result_of(status), *error ? ": " : "", error);
	fflush(stdout);
	if (*error && d->kind == LAB_CASES)
		write_log(n, d, k, error);
}

/* Checks that the host of each device can be reached. */
static int check_commands(const struct night *n, char *err, size_t errlen)
{
	for (size_t i = 0; i < night_devices(n); i++) {
		struct fleet_device d = night_device(n, i);

		if (d.command && !d.pool && (!d.peer_host || d.peer))
			continue;
		snprintf(err, errlen,
			 "%s: %s: write its command under \"hosts\", such as "
			 "\"%s: ssh %s ibvet\" or \"%s: local\", and begin the "
			 "night with --local",
			 n->dir, d.label, d.host, d.host, d.host);
		return -EINVAL;
	}
	return 0;
}

static int run_device(const struct night *n, size_t i, char *err, size_t errlen)
{
	struct fleet_device d = night_device(n, i);
	char dir[RUN_PATH_LEN];
	struct shard_progress p;

	for (unsigned int k = 1; k <= d.shards; k++) {
		night_shard_path(n, &d, k, dir);
		shard_progress_read(&p, dir);
		if (p.done)
			continue;
		if (mkdir(dir, 0777) && errno != EEXIST) {
			snprintf(err, errlen, "%s: %s", dir, strerror(errno));
			return -EIO;
		}
		await_window(&d);
		run_shard(n, &d, k, dir, &p);
	}
	return 0;
}

int local_run(const struct night *n, char *err, size_t errlen)
{
	int ret = check_commands(n, err, errlen);

	for (size_t i = 0; i < night_devices(n) && !ret; i++)
		ret = run_device(n, i, err, errlen);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The side of a job: the run of a shard begins, goes on or has ended already.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fleet/shard.h"
#include "interop/interop.h"
#include "journal/resume.h"
#include "journal/run_folder.h"
#include "supervise/clock.h"

#define LOCK_SECONDS 120 /* until a job that was ended is gone */
#define MOST_OPTIONS 512
#define NOTE	     "under-way" /* beside the shard's folder */

/* --- What was under way ------------------------------------------------------
 */

static void note_path(const char *dir, char *path)
{
	snprintf(path, RUN_PATH_LEN, "%.*s." NOTE, RUN_PATH_LEN - 16, dir);
}

static uint64_t read_note(const char *dir)
{
	char path[RUN_PATH_LEN];
	uint64_t number = NO_NUMBER;
	FILE *file;

	note_path(dir, path);
	file = fopen(path, "re");
	if (file && fscanf(file, "%" SCNu64, &number) != 1)
		number = NO_NUMBER;
	if (file)
		fclose(file);
	return number;
}

static void write_note(const char *dir, uint64_t number)
{
	char path[RUN_PATH_LEN];
	FILE *file;

	note_path(dir, path);
	file = fopen(path, "we");
	if (!file)
		return;
	fprintf(file, "%" PRIu64 "\n", number);
	fclose(file);
}

bool shard_retries(const char *dir, const struct shard_progress *p,
		   const char *boot, bool pool)
{
	const bool again = p->at != NO_NUMBER && read_note(dir) == p->at;
	/* A shard of a pool may go on on another host. */
	const bool booted = !pool && *boot && strcmp(boot, p->boot) != 0;

	if (p->at != NO_NUMBER)
		write_note(dir, p->at);
	return p->at == NO_NUMBER || (!again && !booted);
}

json_t *shard_arguments(const struct fleet_device *d, unsigned int k)
{
	json_t *list = json_copy(json_object_get(d->json, "arguments"));

	if (d->shards > 1) {
		json_array_insert_new(list, 0, json_string("--shard"));
		json_array_insert_new(list, 1,
				      json_sprintf("%u/%u", k, d->shards));
	}
	return list;
}

/* --- A job -------------------------------------------------------------------
 */

struct job {
	struct night night;
	struct fleet_device device;
	char dir[RUN_PATH_LEN], plan[RUN_PATH_LEN], peer[2 * RUN_PATH_LEN];
	const char *argv[MOST_OPTIONS];
	int argc;
	char err[FLEET_ERROR];
};

static int complain(const struct job *j, int status)
{
	fprintf(stderr, "ibvet fleet: %s\n", j->err);
	return status;
}

static void option(struct job *j, const char *text)
{
	if (j->argc < MOST_OPTIONS - 1)
		j->argv[j->argc++] = text;
}

/* Waits for another ibvet that is still at work on the shard: of a job that was
 * ended, or whose host came back. */
static int await_folder(struct job *j)
{
	for (int i = 0; i < LOCK_SECONDS; i++) {
		int fd = run_folder_lock(j->dir, j->err, sizeof(j->err));

		if (fd >= 0)
			close(fd);
		if (fd != -EBUSY)
			return fd < 0 ? fd : 0;
	}
	return -EBUSY;
}

/* The command that starts ibvet on the second host of a pair, as a step of this
 * job. */
static const char *peer_command(struct job *j)
{
	if (j->device.peer)
		return j->device.peer;
	snprintf(j->peer, sizeof(j->peer),
		 "srun --quiet --overlap --nodes=1 --ntasks=1 --nodelist=%s "
		 "'%s'",
		 j->device.peer_host, night_text(&j->night, "program"));
	return j->peer;
}

static void begin_options(struct job *j, unsigned int k)
{
	json_t *list = shard_arguments(&j->device, k);
	const json_t *one;
	size_t i;

	option(j, "--out");
	option(j, j->dir);
	if (json_object_size(json_object_get(j->device.json, "moved"))) {
		option(j, "--shard-plan");
		option(j, j->plan);
	}
	if (j->device.peer_host) {
		option(j, "--peer");
		option(j, peer_command(j));
	}
	json_array_foreach(list, i, one)
	{
		option(j, json_string_value(one));
	}
}

static void resume_options(struct job *j, const struct shard_progress *p)
{
	char boot[40];

	clock_boot(boot, sizeof(boot));
	option(j, "--resume");
	option(j, j->dir);
	if (shard_retries(j->dir, p, boot, j->device.pool))
		option(j, "--retry-lost");
}

static int run(struct job *j, unsigned int k)
{
	struct shard_progress p;
	int ret = 0;

	night_shard_path(&j->night, &j->device, k, j->dir);
	night_device_path(&j->night, &j->device, "moved", j->plan);
	if (mkdir(j->dir, 0777) && errno != EEXIST) {
		snprintf(j->err, sizeof(j->err), "%s: %s", j->dir,
			 strerror(errno));
		return complain(j, RUN_BROKEN);
	}
	ret = await_folder(j);
	if (ret == -EBUSY)
		return complain(j, RUN_BROKEN);
	shard_progress_read(&p, j->dir);
	if (p.done)
		return RUN_AS_EXPECTED;
	option(j, "ibvet");
	option(j, "run");
	if (p.begun)
		resume_options(j, &p);
	else
		begin_options(j, k);
	execv("/proc/self/exe", (char *const *)j->argv);
	snprintf(j->err, sizeof(j->err), "cannot start ibvet run: %s",
		 strerror(errno));
	return complain(j, RUN_BROKEN);
}

int fleet_shard(const char *night, const char *folder, unsigned int k)
{
	struct job *j = calloc(1, sizeof(*j));
	int i, ret;

	if (!j)
		return RUN_BROKEN;
	snprintf(j->night.dir, sizeof(j->night.dir), "%s", night);
	ret = night_load(&j->night, j->err, sizeof(j->err));
	i = ret ? -1 : night_find_folder(&j->night, folder);
	if (!ret &&
	    (i < 0 || k < 1 || k > night_device(&j->night, (size_t)i).shards)) {
		snprintf(j->err, sizeof(j->err),
			 "%s: the plan has no shard %u of \"%s\"", night, k,
			 folder);
		ret = -EINVAL;
	}
	if (ret) {
		ret = complain(j, RUN_USAGE);
	} else {
		j->device = night_device(&j->night, (size_t)i);
		ret = run(j, k);
	}
	night_free(&j->night);
	free(j);
	return ret;
}

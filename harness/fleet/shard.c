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
#include "journal/journal.h"
#include "journal/resume.h"
#include "journal/run_folder.h"
#include "contract/clock.h"
#include "sweep/map.h"

#define LOCK_SECONDS 120 /* until a job that was ended is gone */
#define MOST_OPTIONS 512
#define NOTE	     "under-way" /* beside the shard's folder */

/* --- What was under way ------------------------------------------------------
 */

static void note_path(const char *dir, char *path)
{
	snprintf(path, RUN_PATH_LEN, "%.*s." NOTE, RUN_PATH_LEN - 16, dir);
}

/* A case that was under way, and how often it has begun */
struct under_way {
	uint64_t number, begins;
};

static struct under_way read_note(const char *dir)
{
	struct under_way note = {NO_NUMBER, 0};
	char path[RUN_PATH_LEN];
	FILE *file;

	note_path(dir, path);
	file = fopen(path, "re");
	if (file && fscanf(file, "%" SCNu64 " %" SCNu64, &note.number,
			   &note.begins) != 2)
		note.number = NO_NUMBER;
	if (file)
		fclose(file);
	return note;
}

static void write_note(const char *dir, const struct under_way *note)
{
	char path[RUN_PATH_LEN];
	FILE *file;

	note_path(dir, path);
	file = fopen(path, "we");
	if (!file)
		return;
	fprintf(file, "%" PRIu64 " %" PRIu64 "\n", note->number, note->begins);
	fclose(file);
}

static bool count_begin(const struct line *event, void *arg)
{
	struct under_way *now = arg;

	now->begins += line_number(event, "t", -1) == 0 &&
		       (uint64_t)line_number(event, "n", -1) == now->number;
	return true;
}

/* A job that was ended twice may have ended the second time before the case
 * began again: then the case has not been under way twice. */
bool shard_retries(const char *dir, const struct shard_progress *p,
		   const char *boot, bool pool)
{
	static const char *const kinds[] = {"begin", NULL};
	const struct under_way was = read_note(dir);
	struct under_way now = {p->at, 0};
	/* A shard of a pool may go on on another host. */
	const bool booted = !pool && *boot && strcmp(boot, p->boot) != 0;
	char err[FLEET_ERROR];

	if (p->at == NO_NUMBER)
		return true;
	if (journal_scan(kinds, dir, 0, count_begin, &now, NULL, err,
			 sizeof(err)))
		now.begins = was.begins + 1;
	write_note(dir, &now);
	return !booted &&
	       (now.number != was.number || now.begins <= was.begins);
}

json_t *shard_arguments(const struct fleet_device *d, unsigned int k)
{
	json_t *list = json_copy(json_object_get(d->json, "arguments"));

	if (d->shards > 1 && d->kind != LAB_FUZZ) {
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
	char corpus[RUN_PATH_LEN], seed[24], left[24]; /* of a hunt */
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

/* --- Hunts ------------------------------------------------------------------
 */

/* Hunts of the same programs share a corpus, over all nights. */
static void name_corpus(struct job *j)
{
	const json_t *list = json_object_get(j->device.json, "arguments");
	const char *what = json_string_value(
		json_array_get(list, json_array_size(list) - 1));

	snprintf(j->corpus, sizeof(j->corpus), "%.*s/corpus-%s",
		 RUN_PATH_LEN - 40, night_text(&j->night, "folder"), what);
}

/* Each hunt of each night has another seed. */
static void name_seed(struct job *j, unsigned int k)
{
	uint64_t seed = k;

	for (const char *at = j->night.name; *at; at++)
		seed = seed * 31 + (unsigned char)*at;
	for (const char *at = j->device.folder; *at; at++)
		seed = seed * 31 + (unsigned char)*at;
	snprintf(j->seed, sizeof(j->seed), "%" PRIu64, seed % UINT32_MAX);
}

static void fuzz_options(struct job *j, unsigned int k)
{
	const json_t *list = json_object_get(j->device.json, "arguments");
	bool seeded = false;
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		seeded |= !strcmp(json_string_value(one), "--seed");
	}
	name_corpus(j);
	option(j, "--corpus");
	option(j, j->corpus);
	if (seeded)
		return;
	name_seed(j, k);
	option(j, "--seed");
	option(j, j->seed);
}

/* Returns how many seconds of the hunt are left. */
static long left_of_hunt(const struct job *j, const struct shard_progress *p)
{
	const double all =
		json_number_value(json_object_get(j->device.json, "seconds"));

	return (long)(all - (double)p->spent_us / 1e6 + 0.5);
}

static void resume_hunt(struct job *j, const struct shard_progress *p)
{
	const long left = left_of_hunt(j, p);

	snprintf(j->left, sizeof(j->left), "%ld", left > 1 ? left : 1);
	option(j, "--resume");
	option(j, j->dir);
	option(j, "--time");
	option(j, j->left);
}

/* --- What a job runs --------------------------------------------------------
 */

static void begin_options(struct job *j, unsigned int k)
{
	json_t *list = shard_arguments(&j->device, k);
	const json_t *one;
	size_t i;

	option(j, "--out");
	option(j, j->dir);
	if (j->device.kind == LAB_FUZZ)
		fuzz_options(j, k);
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

	if (j->device.kind == LAB_FUZZ) {
		resume_hunt(j, p);
		return;
	}
	clock_boot(boot, sizeof(boot));
	option(j, "--resume");
	option(j, j->dir);
	if (j->device.kind == LAB_CASES &&
	    shard_retries(j->dir, p, boot, j->device.pool))
		option(j, "--retry-lost");
}

/* A sweep that ended before its first call can neither begin nor go on. */
static void remove_unborn_sweep(const char *dir)
{
	char path[RUN_PATH_LEN];

	snprintf(path, sizeof(path), "%.*s/" MAP_NAME, RUN_PATH_LEN - 32, dir);
	unlink(path);
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
	option(j, j->device.kind == LAB_CASES ? "run"
					      : lab_kind_name(j->device.kind));
	if (!p.begun && j->device.kind == LAB_SWEEP)
		remove_unborn_sweep(j->dir);
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

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Plans a night, and starts what of it has neither ended nor been started.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fleet/local.h"
#include "fleet/outcome.h"
#include "fleet/plan.h"
#include "fleet/slurm.h"
#include "journal/run_folder.h"
#include "journal/whole_file.h"

/* Plans the night unless it has a plan. */
static int load_or_make(struct night *n, const struct lab *lab,
			const struct fleet_options *o, bool *is_old, char *err,
			size_t errlen)
{
	int ret = night_load(n, err, errlen);

	*is_old = !ret;
	if (ret != -ENOENT || !lab->path[0])
		return ret;
	err[0] = '\0';
	return night_plan(n, lab, o, err, errlen);
}

static int fleet_end(struct night *n, struct lab *lab, int ret, const char *err)
{
	night_free(n);
	lab_free(lab);
	return ret ? outcome_failure(ret, err) : RUN_AS_EXPECTED;
}

int fleet_plan(const struct fleet_options *o)
{
	char err[FLEET_ERROR] = "";
	struct night n;
	struct lab *lab = calloc(1, sizeof(*lab));
	bool is_old;
	int ret =
		lab ? night_find(&n, lab, o, true, err, sizeof(err)) : -ENOMEM;

	if (!ret)
		ret = load_or_make(&n, lab, o, &is_old, err, sizeof(err));
	if (!ret) {
		night_print(&n);
		if (is_old)
			printf("the night has begun, by this plan\n");
	}
	if (lab)
		ret = fleet_end(&n, lab, ret, err);
	free(lab);
	return ret;
}

/* Writes the shards of the cases that do not go by their id. */
static int write_moved(const struct night *n, const struct fleet_device *d,
		       char *err, size_t errlen)
{
	json_t *moved = json_object_get(d->json, "moved"), *shard;
	char path[RUN_PATH_LEN];
	struct whole_file w;
	const char *id;
	int ret;

	if (!json_object_size(moved))
		return 0;
	night_device_path(n, d, "moved", path);
	ret = whole_file_open(&w, path, err, errlen);
	if (ret)
		return ret;
	json_object_foreach(moved, id, shard)
	{
		fprintf(w.file, "%lld %s\n",
			(long long)json_integer_value(shard), id);
	}
	return whole_file_close(&w, true, err, errlen);
}

/* Makes the folders of a new night. The plan comes last: with it the night is
 * there. */
static int make_folders(const struct night *n, char *err, size_t errlen)
{
	char path[RUN_PATH_LEN], dir[RUN_PATH_LEN];
	int ret = 0;

	for (size_t i = 0; i < night_devices(n) && !ret; i++) {
		struct fleet_device d = night_device(n, i);

		night_device_path(n, &d, "", path);
		ret = run_folder_make(path, dir, sizeof(dir), err, errlen);
		if (!ret)
			ret = write_moved(n, &d, err, errlen);
	}
	return ret ? ret : night_write(n, NIGHT_PLAN, n->plan, err, errlen);
}

static int start(struct night *n, const struct lab *lab,
		 const struct fleet_options *o, char *err, size_t errlen)
{
	bool is_old;
	int ret = load_or_make(n, lab, o, &is_old, err, errlen);

	if (!ret && !is_old)
		ret = make_folders(n, err, errlen);
	if (ret)
		return ret;
	if (o->local != json_is_true(json_object_get(n->plan, "local"))) {
		snprintf(err, errlen,
			 "%s: the night was begun %s --local: go on like that",
			 n->dir, o->local ? "without" : "with");
		return -EINVAL;
	}
	printf("night %s in %s%s\n", n->name, n->dir, is_old ? " goes on" : "");
	fflush(stdout);
	return o->local ? local_run(n, err, errlen)
			: slurm_submit(n, err, errlen);
}

int fleet_start(const struct fleet_options *o)
{
	char err[FLEET_ERROR] = "", dir[RUN_PATH_LEN];
	struct lab *lab = calloc(1, sizeof(*lab));
	struct night n;
	int lock = -1, ret;

	ret = lab ? night_find(&n, lab, o, true, err, sizeof(err)) : -ENOMEM;
	if (!ret)
		ret = run_folder_make(n.dir, dir, sizeof(dir), err,
				      sizeof(err));
	if (!ret) {
		lock = run_folder_lock(n.dir, err, sizeof(err));
		ret = lock == -EBUSY ? lock
				     : start(&n, lab, o, err, sizeof(err));
	}
	if (lock >= 0)
		close(lock);
	if (lab)
		ret = fleet_end(&n, lab, ret, err);
	free(lab);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs all ordered pairs, one after the other: two runs on one device would
 * disturb each other. The folder has interop.json, which keeps the devices and
 * the results so far, and a folder in pairs/ for each pair.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "interop/interop.h"
#include "interop/pairs.h"
#include "journal/run_folder.h"
#include "reports/interop/matrix.h"
#include "run/plural.h"

struct work {
	struct interop io;
	struct pairs plan;
	char dir[RUN_PATH_LEN], err[INTEROP_ERROR];
};

static int complain(const struct work *w, int status)
{
	fprintf(stderr, "ibvet interop: %s\n", w->err);
	return status;
}

/* The second model of a pair has no fault of the first. */
static const char *peer_name(const struct interop_device *b)
{
	return strcmp(b->name, "model") ? b->name : "model:healthy";
}

/* Returns the arguments of ibvet run for a pair. */
static json_t *arguments_of(const struct work *w, int first, int second)
{
	const struct interop_device *a = &w->io.device[first];
	const struct interop_device *b = &w->io.device[second];
	json_t *list = json_pack("[s,s,s,s]", "-d", a->name, "--peer-device",
				 peer_name(b));

	if (a->port) {
		json_array_append_new(list, json_string("-i"));
		json_array_append_new(list, json_sprintf("%d", a->port));
	}
	if (a->gid_index >= 0) {
		json_array_append_new(list, json_string("-x"));
		json_array_append_new(list, json_sprintf("%d", a->gid_index));
	}
	if (b->port) {
		json_array_append_new(list, json_string("--peer-port"));
		json_array_append_new(list, json_sprintf("%d", b->port));
	}
	if (b->gid_index >= 0) {
		json_array_append_new(list, json_string("--peer-gid-index"));
		json_array_append_new(list, json_sprintf("%d", b->gid_index));
	}
	json_array_extend(list, w->plan.arguments);
	return list;
}

static int make_folder(struct work *w, const char *name, char *dir)
{
	char part[RUN_ERROR_LEN];
	int ret;

	if (snprintf(part, RUN_PATH_LEN, "%s/%s", w->dir, name) >= RUN_PATH_LEN)
		return -ENAMETOOLONG;
	strcpy(dir, part);
	ret = mkdir(dir, 0777) && errno != EEXIST ? -errno : 0;
	if (ret)
		snprintf(w->err, sizeof(w->err), "%s: %s", dir, strerror(-ret));
	return ret;
}

static void tell(const struct work *w, const struct pairs_one *pair, int number)
{
	char a[3 * INTEROP_NAME], b[3 * INTEROP_NAME];

	interop_label(&w->io, pair->first, a, sizeof(a));
	interop_label(&w->io, pair->second, b, sizeof(b));
	printf("%3d/%d  %s -> %s: %s%s%s\n", number, w->plan.npairs, a, b,
	       pair->status == RUN_AS_EXPECTED	? "as expected"
	       : pair->status == RUN_UNEXPECTED ? "something unexpected"
	       : pair->status == RUN_NOTHING	? "no case applies"
						: "no result",
	       pair->error[0] ? ": " : "", pair->error);
	fflush(stdout);
}

/* Runs a pair. A pair whose run fails has no result, and the others go on. */
static int run_pair(struct work *w, struct pairs_one *pair)
{
	const int from = w->io.device[pair->first].host;
	char dir[RUN_ERROR_LEN];
	struct pair_request q = {
		.command = w->io.host[from].command,
		.peer = hosts_route(&w->io, from,
				    w->io.device[pair->second].host),
		/* A run without a status was interrupted here: its case is not
		 * to blame. */
		.retry = pair->status < 0,
	};
	json_t *arguments;
	int ret = make_folder(w, pair->folder, dir);

	if (ret)
		return ret;
	pair->error[0] = '\0';
	arguments = arguments_of(w, pair->first, pair->second);
	q.arguments = arguments;
	pair->status = pair_run(&q, dir, pair->error, sizeof(pair->error));
	json_decref(arguments);
	return pairs_save(&w->plan, &w->io, w->dir, w->err, sizeof(w->err));
}

static int run_pairs(struct work *w)
{
	char dir[RUN_ERROR_LEN];
	int ret = make_folder(w, "pairs", dir);

	for (int i = 0; i < w->plan.npairs && !ret; i++) {
		if (pairs_has_result(&w->plan.pair[i]))
			continue;
		ret = run_pair(w, &w->plan.pair[i]);
		if (!ret)
			tell(w, &w->plan.pair[i], i + 1);
	}
	return ret;
}

/* Each host has to reach each other one, or a pair could not run. */
static int check_routes(struct work *w)
{
	const struct interop *io = &w->io;

	for (int a = 0; a < io->nhosts; a++)
		for (int b = 0; b < io->nhosts; b++) {
			const char *name = io->host[b].name;

			if (hosts_route(io, a, b))
				continue;
			snprintf(w->err, sizeof(w->err),
				 "%s cannot reach %s by \"" INTEROP_LOCAL
				 "\": add a line \"%s from " INTEROP_OTHERS
				 " : COMMAND\", such as \"ssh %s ibvet\"",
				 io->host[a].name, name, name, name);
			return -EINVAL;
		}
	return 0;
}

static int begin(struct work *w, const struct interop_options *o)
{
	int ret = hosts_read(&w->io, o->hosts, w->err, sizeof(w->err));

	if (!ret)
		ret = check_routes(w);
	if (!ret)
		ret = discover(&w->io, w->err, sizeof(w->err));
	if (!ret)
		ret = run_folder_make(o->out, w->dir, sizeof(w->dir), w->err,
				      sizeof(w->err));
	if (ret)
		return ret;
	ret = pairs_make(&w->plan, &w->io, o->arguments);
	if (ret)
		snprintf(w->err, sizeof(w->err), "no memory for the pairs");
	else
		ret = pairs_save(&w->plan, &w->io, w->dir, w->err,
				 sizeof(w->err));
	return ret;
}

static int resume(struct work *w, const struct interop_options *o)
{
	if (snprintf(w->dir, sizeof(w->dir), "%s", o->resume) >=
	    (int)sizeof(w->dir)) {
		snprintf(w->err, sizeof(w->err), "the name is too long");
		return -ENAMETOOLONG;
	}
	return pairs_load(&w->plan, &w->io, w->dir, w->err, sizeof(w->err));
}

static int work_to_end(struct work *w)
{
	int lock = run_folder_lock(w->dir, w->err, sizeof(w->err));
	int ret = lock == -EBUSY ? lock : run_pairs(w), status = RUN_BROKEN;

	if (!ret)
		ret = matrix_write(&w->io, &w->plan, w->dir, &status, w->err,
				   sizeof(w->err));
	if (lock >= 0)
		close(lock);
	return ret ? complain(w, RUN_BROKEN) : status;
}

static bool is_usage(int ret)
{
	return ret == -EINVAL || ret == -ENOENT || ret == -ENODEV ||
	       ret == -EEXIST || ret == -ENAMETOOLONG;
}

int interop_execute(const struct interop_options *o)
{
	struct work *w = calloc(1, sizeof(*w));
	int ret, status;

	if (!w)
		return RUN_BROKEN;
	ret = o->resume ? resume(w, o) : begin(w, o);
	if (ret)
		status = complain(w, is_usage(ret) ? RUN_USAGE : RUN_BROKEN);
	else
		status = work_to_end(w);
	pairs_free(&w->plan);
	free(w);
	return status;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The steps of a sweep: plan the cells from what the device says about itself,
 * print how many calls there are, make calls until all are made or time is up,
 * and write the sheet.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "journal/run_folder.h"
#include "run/targets.h"
#include "sweep/finish.h"
#include "sweep/progress.h"
#include "sweep/sweep.h"

#define ERROR_LEN 1400

struct sweeping {
	struct sweep sweep;
	struct sweep_options *options;
	char dir[1024];
	char err[ERROR_LEN];
	json_t *kept;
	struct sweep_progress progress;
};

void sweep_options_init(struct sweep_options *o)
{
	*o = (struct sweep_options){
		.device = "model",
		.target.gid_index = -1,
		.shard = 1,
		.shards = 1,
	};
}

static int usage(struct sweeping *s)
{
	fprintf(stderr, "ibvet sweep: %s\n", s->err);
	return RUN_USAGE;
}

static int failed(struct sweeping *s)
{
	fprintf(stderr, "ibvet sweep: %s\n", s->err);
	return RUN_BROKEN;
}

static void tell_plan(const struct sweeping *s)
{
	const struct sweep_map *m = &s->sweep.map;
	unsigned int open = 0, unsupported = 0;
	uint64_t done, all;

	for (uint32_t i = 0; i < m->head->ncells; i++) {
		open += m->cell[i].status == STATUS_OPEN;
		unsupported += m->cell[i].status == STATUS_UNSUPPORTED;
	}
	progress_count(m, &done, &all);
	printf("%s  %u cells, %llu calls", s->options->device, open,
	       (unsigned long long)all);
	if (done)
		printf(", %llu of them made", (unsigned long long)done);
	if (unsupported)
		printf("; %u cells unsupported", unsupported);
	printf("\n");
	fflush(stdout);
}

static int open_watch(struct sweeping *s)
{
	struct watch *w = &s->sweep.watch;
	struct recorder *r = recorder_new();

	w->recorder = r;
	w->signals = watch_signals();
	if (!r || w->signals < 0) {
		snprintf(s->err, sizeof(s->err), "cannot watch a process");
		return -EAGAIN;
	}
	return 0;
}

static void close_watch(struct recorder *r)
{
	if (!r)
		return;
	kernel_log_close(&r->kernel);
	if (r->lock >= 0)
		close(r->lock);
	recorder_free(r);
}

static void mark_unsupported(struct sweep_map *m)
{
	const struct device_info *d = &m->head->info;

	for (uint32_t i = 0; i < m->head->ncells; i++) {
		struct map_cell *cell = &m->cell[i];
		enum claim claim = cell_missing(&cell->cell, d);

		if (claim == CLAIM_NONE)
			continue;
		cell->status = STATUS_UNSUPPORTED;
		snprintf(cell->why, sizeof(cell->why), "%s", claim_text(claim));
	}
}

/* Fails only if another ibvet holds the lock, as for a run. */
static int lock(struct sweeping *s)
{
	int fd = run_folder_lock(s->dir, s->err, sizeof(s->err));

	s->sweep.watch.recorder->lock = fd;
	return fd == -EBUSY ? fd : 0;
}

/* The plan must be on disk before the first call. */
static int save_plan(struct sweeping *s)
{
	int ret =
		sweep_options_save(s->options, s->dir, s->err, sizeof(s->err));

	if (ret)
		return ret;
	ret = map_sync_new(&s->sweep.map);
	if (!ret && s->sweep.watch.recorder->lock >= 0)
		fsync(s->sweep.watch.recorder->lock); /* names of new files */
	if (ret)
		snprintf(s->err, sizeof(s->err),
			 "%.900s: cannot be written: %s", s->sweep.map.path,
			 strerror(-ret));
	return ret;
}

static int plan(struct sweeping *s)
{
	struct recorder *r = s->sweep.watch.recorder;
	struct sweep_cell *cells;
	size_t n;
	int ret;

	cells = plan_make(s->options, &r->info, &n);
	if (!n && !cells) {
		snprintf(s->err, sizeof(s->err),
			 "%s makes no queue pair of these types",
			 s->options->device);
		return RUN_NOTHING;
	}
	ret = run_folder_make(s->options->out, s->dir, sizeof(s->dir), s->err,
			      sizeof(s->err));
	if (!ret)
		ret = lock(s);
	if (!ret)
		ret = map_create(&s->sweep.map, s->dir, cells, n, &r->info,
				 s->err, sizeof(s->err));
	free(cells);
	if (ret)
		return RUN_BROKEN;
	clock_boot(s->sweep.map.head->boot, sizeof(s->sweep.map.head->boot));
	s->sweep.map.head->live = r->live;
	mark_unsupported(&s->sweep.map);
	return save_plan(s) ? RUN_BROKEN : 0;
}

/* Opens the sweep that --resume names. The device must be the same. */
static int open_resumed(struct sweeping *s)
{
	const struct device_info *is = &s->sweep.watch.recorder->info, *was;
	char path[1100];

	snprintf(s->dir, sizeof(s->dir), "%s", s->options->resume);
	if (lock(s))
		return RUN_BROKEN;
	if (map_open(&s->sweep.map, s->dir, s->err, sizeof(s->err)))
		return RUN_USAGE;
	was = &s->sweep.map.head->info;
	if (strcmp(is->name, was->name) || is->node_guid != was->node_guid ||
	    strcmp(is->fw, was->fw)) {
		snprintf(s->err, sizeof(s->err),
			 "%s is not the device that was swept: it was %s, node "
			 "GUID %llx, firmware %s",
			 is->name, was->name,
			 (unsigned long long)was->node_guid, was->fw);
		return RUN_USAGE;
	}
	lanes_recover(&s->sweep.map);
	map_meet_contract(&s->sweep.map);
	/* A sheet says that the sweep has ended. */
	snprintf(path, sizeof(path), "%.1000s/" SHEET_NAME, s->dir);
	unlink(path);
	return 0;
}

static unsigned int lanes_of(const struct sweeping *s)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int n = s->options->jobs;

	if (s->sweep.map.head->live)
		return 1;
	if (!n)
		n = cores > 0 ? (unsigned int)cores : 1;
	if (n > MAP_LANES)
		n = MAP_LANES;
	if (n > s->sweep.map.head->ncells)
		n = s->sweep.map.head->ncells;
	return n ? n : 1;
}

static int make_calls(struct sweeping *s)
{
	struct sweep *w = &s->sweep;
	uint64_t began_us = now_us();
	int ret;

	if (s->options->time_ms) {
		w->deadline_us = began_us + s->options->time_ms * 1000;
		w->walk_until_us = began_us + s->options->time_ms * 900;
	}
	w->tick = sweep_progress_show;
	w->arg = &s->progress;
	w->lanes = lanes_of(s);
	sweep_progress_begin(&s->progress, w);
	ret = lanes_run(w);
	w->map.head->run_us += now_us() - began_us;
	sweep_progress_end(&s->progress);
	if (map_keep(&w->map) && !ret)
		ret = recorder_broken(w->watch.recorder,
				      "sweep.map cannot be written: is the "
				      "disk full?");
	if (ret)
		snprintf(s->err, sizeof(s->err), "%.1300s",
			 w->watch.recorder->error);
	return ret;
}

static bool none_open(const struct sweep_map *m)
{
	for (uint32_t i = 0; i < m->head->ncells; i++)
		if (m->cell[i].status != STATUS_UNSUPPORTED)
			return false;
	return true;
}

static int begin(struct sweeping *s)
{
	struct watch *w = &s->sweep.watch;
	struct sweep_options *o = s->options;
	int ret;

	if (o->resume &&
	    sweep_options_load(o, o->resume, &s->kept, s->err, sizeof(s->err)))
		return RUN_USAGE;
	if (!o->timeout_ms)
		o->timeout_ms = 10000;
	w->timeout_ms = o->timeout_ms;
	if (!targets_know(o->device, s->err, sizeof(s->err)))
		return RUN_USAGE;
	ret = target_prepare(o->device, NULL, s->err, sizeof(s->err));
	if (ret)
		return run_exit_of_open_error(ret);
	if (open_watch(s))
		return RUN_BROKEN;
	kernel_log_open(&w->recorder->kernel, w->recorder->kernel_unread,
			sizeof(w->recorder->kernel_unread));
	ret = lanes_probe(&s->sweep);
	if (ret) {
		snprintf(s->err, sizeof(s->err), "%.1300s", w->recorder->error);
		return ret;
	}
	return o->resume ? open_resumed(s) : plan(s);
}

static int go(struct sweeping *s)
{
	int ret = begin(s), status;

	if (ret == RUN_USAGE)
		return usage(s);
	if (ret == RUN_NOTHING) {
		failed(s);
		return RUN_NOTHING;
	}
	if (ret)
		return failed(s);
	tell_plan(s);
	ret = make_calls(s);
	status = sweep_finish(&s->sweep, s->dir, NULL, s->err, sizeof(s->err));
	if (ret || status == RUN_BROKEN)
		return failed(s);
	if (s->sweep.watch.interrupted) {
		snprintf(s->err, sizeof(s->err),
			 "interrupted; --resume %.900s goes on", s->dir);
		return failed(s);
	}
	return none_open(&s->sweep.map) ? RUN_NOTHING : status;
}

int sweep_run(struct sweep_options *o)
{
	struct sweeping *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return RUN_BROKEN;
	s->options = o;
	s->sweep.options = o;
	s->sweep.map.fd = -1;
	s->sweep.watch.signals = -1;
	ret = go(s);
	map_close(&s->sweep.map);
	close_watch(s->sweep.watch.recorder);
	json_decref(s->kept);
	free(s);
	return ret;
}

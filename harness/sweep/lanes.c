// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides what the death of a worker means for a sweep. The map holds the call
 * that the worker was making: that call is noted, and the next worker goes on
 * behind it. On a model there is a lane for each processor, on a device one.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "supervise/probe.h"
#include "supervise/supervise.h"
#include "sweep/repeat.h"
#include "sweep/lanes.h"
#include "sweep/worker.h"

#define TICK_MS 100
#define FINER	32 /* the step shrinks by this factor when the host is lost */

static int open_target(const struct sweep *s, struct target **t)
{
	struct recorder *r = s->watch.recorder;
	int ret = target_open(s->options->device, &s->options->target, t,
			      r->error, sizeof(r->error));

	if (ret)
		r->exit = run_exit_of_open_error(ret);
	return ret;
}

int lanes_probe(struct sweep *s)
{
	const struct probe p = {
		.device = s->options->device,
		.options = &s->options->target,
	};

	return probe_device(&s->watch, &p);
}

/* The argument of the callbacks of a lane's supervisor. */
struct lane {
	struct sweep *sweep;
	unsigned int number;
	bool done;
};

static bool has_work(void *arg)
{
	const struct lane *lane = arg;

	return !lane->done;
}

static int lane_work(void *arg)
{
	const struct lane *lane = arg;
	struct sweep *s = lane->sweep;
	struct sweep_worker *w = calloc(1, sizeof(*w));
	int ret;

	if (!w) {
		recorder_broken(s->watch.recorder, "no memory");
		return CHILD_GAVE_UP;
	}
	*w = (struct sweep_worker){
		.map = &s->map,
		.recorder = s->watch.recorder,
		.lane = &s->map.head->lane[lane->number],
		.number = lane->number,
		.lanes = s->lanes,
		.deadline_us = s->walk_until_us,
	};
	if (open_target(s, &w->target))
		return CHILD_GAVE_UP;
	kernel_log_begin(&w->recorder->kernel);
	kernel_log_forget(&w->recorder->kernel);
	ret = sweep_worker_run(w);
	w->deadline_us = s->deadline_us;
	if (!ret)
		ret = sweep_worker_repeat(w);
	w->target->ops->close(w->target);
	free(w);
	return ret ? CHILD_GAVE_UP : CHILD_DONE;
}

static struct map_death *note_death(struct map_cell *cell, uint32_t place,
				    enum death_kind kind)
{
	struct map_death *death = &cell->death[MAP_DEATHS - 1];

	if (cell->ndeaths < MAP_DEATHS)
		death = &cell->death[cell->ndeaths++];
	*death = (struct map_death){
		.place = place,
		.calls = 1,
		.kind = (uint8_t)kind,
	};
	map_count_deaths(cell);
	return death;
}

static void describe_death(struct recorder *r, const struct watch *w,
			   enum watch_end end, char *buf, size_t len)
{
	char says[KERNEL_LINE + 64], how[CHILD_END_LEN];

	child_describe(w, end, how, sizeof(how));
	kernel_log_read(&r->kernel);
	kernel_log_says(&r->kernel, says, sizeof(says));
	kernel_log_forget(&r->kernel);
	snprintf(buf, len, "%.120s%s%.70s", how, says[0] ? "; " : "", says);
}

/* The worker died while it made the queue pair of a cell: gives up the cell. */
static void give_up_cell(struct map_cell *cell, const char *how)
{
	snprintf(cell->why, sizeof(cell->why), "making its queue pair: %.160s",
		 how);
	cell->status = STATUS_GIVEN_UP;
}

static int after_death(struct sweep *s, struct map_lane *lane,
		       enum watch_end end)
{
	struct map_cell *cell = &s->map.cell[lane->cell];
	struct watch *w = &s->watch;
	bool hung = end == WATCH_STALLED || end == WATCH_STUCK;
	char how[MAP_WHY_LEN];

	/* ibvet killed the worker: the call under way is not to blame. */
	if (w->at_once)
		return 0;
	describe_death(w->recorder, w, end, how, sizeof(how));
	if (end == WATCH_SIGNALLED && w->status == SIGBUS)
		return recorder_broken(
			w->recorder,
			"sweep.map cannot be written: is the disk full?");
	if (!lane->open) {
		give_up_cell(cell, how);
		return 0;
	}
	snprintf(note_death(cell, lane->at, hung ? DEATH_HUNG : DEATH_CRASHED)
			 ->how,
		 MAP_WHY_LEN, "%s%.180s", lane->restoring ? "behind it: " : "",
		 how);
	lane->open = false;
	lane->restoring = false;
	lane->repeating = false;
	return 0;
}

static int ended(void *arg, enum watch_end end)
{
	struct lane *lane = arg;
	struct sweep *s = lane->sweep;

	switch (end) {
	case WATCH_DONE:
		lane->done = true;
		return 0;
	case WATCH_GAVE_UP:
		return 0;
	default:
		return after_death(s, &s->map.head->lane[lane->number], end);
	}
}

/* Each death takes a call or a cell out of the sweep, so no worker is idle. */
static const struct supervisor_ops ops = {
	.has_work = has_work,
	.work = lane_work,
	.ended = ended,
};

static int run_lane(struct sweep *s, unsigned int number)
{
	struct lane lane = {.sweep = s, .number = number};
	struct supervisor own = {.ops = &ops, .arg = &lane, .watch = &s->watch};

	return supervise(&own);
}

/* Runs in the process of a lane, which has a recorder of its own. */
static int lane_process(struct sweep *s, unsigned int number)
{
	struct sweep own = *s;
	int ret;

	own.watch.recorder = recorder_new();
	own.watch.tick = NULL;
	if (!own.watch.recorder)
		return RUN_BROKEN;
	own.watch.recorder->live = s->watch.recorder->live;
	ret = run_lane(&own, number);
	if (ret)
		snprintf(s->watch.recorder->error,
			 sizeof(s->watch.recorder->error), "%s",
			 own.watch.recorder->error);
	return ret;
}

static void forward_signal(struct sweep *s, const pid_t *lane)
{
	struct signalfd_siginfo info;

	if (read(s->watch.signals, &info, sizeof(info)) !=
	    (ssize_t)sizeof(info))
		return;
	s->watch.interrupted = true;
	for (unsigned int i = 0; i < s->lanes; i++)
		if (lane[i] > 0)
			kill(lane[i], SIGTERM);
}

static int watch_lanes(struct sweep *s, pid_t *lane)
{
	unsigned int left = s->lanes;
	int ret = 0;

	while (left) {
		struct pollfd fd = {.fd = s->watch.signals, .events = POLLIN};
		int status;
		pid_t pid;

		if (poll(&fd, 1, TICK_MS) > 0)
			forward_signal(s, lane);
		while (left && (pid = waitpid(-1, &status, WNOHANG)) > 0) {
			for (unsigned int i = 0; i < s->lanes; i++)
				if (lane[i] == pid)
					lane[i] = 0;
			left--;
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				ret = recorder_broken(
					s->watch.recorder,
					"a process of the sweep died");
		}
		if (s->tick)
			s->tick(s->arg);
	}
	return ret;
}

static int run_lanes(struct sweep *s)
{
	pid_t lane[MAP_LANES] = {0};

	for (unsigned int i = 0; i < s->lanes; i++) {
		lane[i] = child_start(s->watch.recorder);
		if (lane[i] < 0)
			return recorder_broken(s->watch.recorder, "%s", "");
		if (!lane[i])
			_exit(lane_process(s, i));
	}
	return watch_lanes(s, lane);
}

int lanes_run(struct sweep *s)
{
	s->watch.tick = s->tick;
	s->watch.arg = s->arg;
	return s->lanes > 1 ? run_lanes(s) : run_lane(s, 0);
}

static void retry_finer(struct map_cell *cell, const struct map_lane *lane)
{
	uint32_t calls = lane->to - lane->from;

	if (!lane->repeating && lane->from < cell->done)
		cell->done = lane->from;
	if (calls == 1) {
		snprintf(note_death(cell, lane->from, DEATH_HOST_LOST)->how,
			 MAP_WHY_LEN, "the machine went down");
		return;
	}
	cell->careful_to = lane->to;
	cell->step = calls > FINER ? calls / FINER : 1;
}

void lanes_recover(struct sweep_map *m)
{
	char boot[sizeof(m->head->boot)];
	bool other;

	clock_boot(boot, sizeof(boot));
	other = strcmp(boot, m->head->boot) != 0;
	/* The map was not synced, since the target is a model, and may be
	 * incomplete after a crash of the machine. */
	for (uint32_t i = 0; other && !m->head->live && i < m->head->ncells;
	     i++)
		map_begin_again(&m->cell[i]);
	for (int i = 0; i < MAP_LANES; i++) {
		struct map_lane *lane = &m->head->lane[i];

		if (other && lane->open && lane->cell < m->head->ncells)
			retry_finer(&m->cell[lane->cell], lane);
		lane->open = false;
		lane->repeating = false;
		lane->walked = false;
	}
	memcpy(m->head->boot, boot, sizeof(boot));
}

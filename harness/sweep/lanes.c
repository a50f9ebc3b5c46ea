// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A worker that dies or hangs leaves in the map which call it was at: that one
 * is noted, and the next worker goes on behind it. On a model there is a lane
 * for each processor, which watches a worker of its own; on a device one.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <poll.h>
#include <unistd.h>
#include "sweep/again.h"
#include "sweep/lanes.h"
#include "sweep/worker.h"

#define PROBE_MS 30000
#define TICK_MS	 100
#define FINER	 32 /* times, from one host lost to the next */

static int broken(struct recorder *r, const char *what)
{
	if (!r->error[0])
		snprintf(r->error, sizeof(r->error), "%s", what);
	r->exit = r->exit ? r->exit : RUN_BROKEN;
	return r->exit;
}

static int open_target(const struct sweep *s, struct target **t)
{
	struct recorder *r = s->watch.recorder;
	int ret = target_open(s->options->device, &s->options->target, t,
			      r->error, sizeof(r->error));

	if (ret)
		r->exit = opening_exit(ret);
	return ret;
}

static int probe(const struct sweep *s)
{
	struct recorder *r = s->watch.recorder;
	struct target *t;

	if (open_target(s, &t))
		return CHILD_GAVE_UP;
	r->live = t->live;
	r->info = t->info;
	r->info.second = NULL;
	t->ops->close(t);
	return CHILD_DONE;
}

int lanes_probe(struct sweep *s)
{
	struct watch patient = s->watch;
	struct recorder *r = s->watch.recorder;
	enum watch_end end;
	char how[CHILD_END_LEN];
	pid_t pid = child_start(r);

	if (pid < 0)
		return broken(r, "");
	if (!pid)
		_exit(probe(s));
	patient.timeout_ms = PROBE_MS;
	end = watch_worker(&patient, pid);
	s->watch.interrupted = patient.interrupted;
	if (end == WATCH_EXITED && patient.status == CHILD_DONE)
		return 0;
	if (end == WATCH_EXITED && patient.status == CHILD_GAVE_UP)
		return broken(r, "");
	child_describe(&patient, end, how, sizeof(how));
	snprintf(r->error, sizeof(r->error), "%s: cannot be opened: %s",
		 s->options->device, how);
	return broken(r, "");
}

static int work(struct sweep *s, unsigned int number)
{
	struct sweep_worker *w = calloc(1, sizeof(*w));
	int ret;

	if (!w) {
		broken(s->watch.recorder, "no memory");
		return CHILD_GAVE_UP;
	}
	*w = (struct sweep_worker){
		.map = &s->map,
		.recorder = s->watch.recorder,
		.lane = &s->map.head->lane[number],
		.number = number,
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
	if (cell->ndeaths == MAP_DEATHS) {
		snprintf(cell->why, sizeof(cell->why),
			 "%d calls did not return", MAP_DEATHS);
		cell->status = STATUS_GIVEN_UP;
	}
	return death;
}

static void say_how(struct recorder *r, const struct watch *w,
		    enum watch_end end, char *buf, size_t len)
{
	char says[KERNEL_LINE + 64], how[CHILD_END_LEN];

	child_describe(w, end, how, sizeof(how));
	kernel_log_read(&r->kernel);
	kernel_log_says(&r->kernel, says, sizeof(says));
	kernel_log_forget(&r->kernel);
	snprintf(buf, len, "%.120s%s%.70s", how, says[0] ? "; " : "", says);
}

/* It died while its queue pair was made: the cell cannot be tried. */
static void died_idle(struct map_cell *cell, const char *how)
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

	say_how(w->recorder, w, end, how, sizeof(how));
	if (end == WATCH_SIGNALLED && w->status == SIGBUS)
		return broken(w->recorder,
			      "sweep.map cannot be written: is the disk full?");
	if (!lane->open) {
		died_idle(cell, how);
		return 0;
	}
	snprintf(note_death(cell, lane->at, hung ? DEATH_HUNG : DEATH_CRASHED)
			 ->how,
		 MAP_WHY_LEN, "%s%.180s", lane->restoring ? "behind it: " : "",
		 how);
	lane->open = false;
	lane->restoring = false;
	lane->again = false;
	return 0;
}

static int run_lane(struct sweep *s, unsigned int number)
{
	struct watch *w = &s->watch;
	struct recorder *r = w->recorder;
	int stuck = 0, ret = 0;

	while (!ret && !w->interrupted) {
		pid_t pid = child_start(r);
		enum watch_end end;

		if (pid < 0)
			return broken(r, "");
		if (!pid)
			_exit(work(s, number));
		end = watch_worker(w, pid);
		if (end == WATCH_EXITED && w->status == CHILD_DONE)
			return 0;
		if (end == WATCH_EXITED && w->status == CHILD_GAVE_UP)
			return broken(r, "a worker gave up");
		if (end == WATCH_STUCK) {
			kernel_log_leave(&r->kernel, w->pid);
			if (++stuck >= CHILD_STUCK_MAX)
				return broken(r, "workers are stuck in the "
						 "kernel");
		}
		ret = after_death(s, &s->map.head->lane[number], end);
	}
	return ret;
}

/* The process of a lane has a recorder of its own, that only it watches. */
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

static void pass_on(struct sweep *s, const pid_t *lane)
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
			pass_on(s, lane);
		while (left && (pid = waitpid(-1, &status, WNOHANG)) > 0) {
			for (unsigned int i = 0; i < s->lanes; i++)
				if (lane[i] == pid)
					lane[i] = 0;
			left--;
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				ret = broken(s->watch.recorder,
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
			return broken(s->watch.recorder, "");
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

	if (!lane->again)
		cell->done = lane->from;
	if (calls == 1) {
		snprintf(note_death(cell, lane->from, DEATH_HOST_LOST)->how,
			 MAP_WHY_LEN, "the machine went down");
		return;
	}
	cell->careful_to = lane->to;
	cell->step = calls > FINER ? calls / FINER : 1;
}

/* What no disk was told of may be gone: all calls are made again, and counted
 * again. */
static void begin_anew(struct map_cell *cell)
{
	cell->done = 0;
	cell->counted = cell->nerrnos = cell->ncreeps = 0;
	memset(cell->back, 0, sizeof(cell->back));
}

void lanes_recover(struct sweep_map *m)
{
	char boot[sizeof(m->head->boot)];
	bool other;

	map_boot(boot, sizeof(boot));
	other = strcmp(boot, m->head->boot) != 0;
	for (uint32_t i = 0; other && !m->head->live && i < m->head->ncells;
	     i++)
		begin_anew(&m->cell[i]);
	for (int i = 0; i < MAP_LANES; i++) {
		struct map_lane *lane = &m->head->lane[i];

		if (other && lane->open && lane->cell < m->head->ncells)
			retry_finer(&m->cell[lane->cell], lane);
		lane->open = false;
		lane->again = false;
		lane->asking = false;
	}
	memcpy(m->head->boot, boot, sizeof(boot));
}

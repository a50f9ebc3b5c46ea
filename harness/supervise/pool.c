/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Waits for many workers with one poll(). The results of a worker are in its
 * recorder; eventfds only wake the other side.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "supervise/pool.h"

static void wake(int fd)
{
	const uint64_t one = 1;

	/* Fails only if the other side has 2^64 - 1 reasons to wake up. */
	if (write(fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		return;
}

static void sleep_until_woken(int fd)
{
	uint64_t times;

	while (read(fd, &times, sizeof(times)) < 0 && errno == EINTR)
		;
}

bool pool_next(struct recorder *r)
{
	r->ended = true;
	wake(r->news);
	while (r->ended && !r->quit)
		sleep_until_woken(r->task);
	return !r->quit;
}

struct recorder *pool_recorder(const struct pool *p, unsigned int i)
{
	return p->worker[i].watch.recorder;
}

/* Each recorder but the first reads the kernel log from its own place. */
static int make_recorder(struct pool *p, unsigned int i, unsigned int n)
{
	struct recorder *run = p->watch->recorder;
	struct recorder *r = i ? recorder_new() : run;

	if (!r)
		return -ENOMEM;
	p->worker[i].watch = *p->watch;
	p->worker[i].watch.recorder = r;
	p->worker[i].watch.pidfd = -1;
	p->worker[i].state = POOL_OFF;
	r->news = p->news;
	r->has_others = n > 1;
	r->task = eventfd(0, EFD_CLOEXEC);
	if (r->task < 0)
		return -errno;
	if (!i)
		return 0;
	r->lock = run->lock;
	r->live = run->live;
	if (run->kernel.fd < 0)
		return 0;
	kernel_log_open(&r->kernel, r->kernel_unread, sizeof(r->kernel_unread));
	return 0;
}

static void free_recorder(struct pool *p, unsigned int i)
{
	struct recorder *r = pool_recorder(p, i);

	if (!r)
		return;
	if (r->task >= 0)
		close(r->task);
	if (!i)
		return;
	kernel_log_close(&r->kernel);
	recorder_free(r);
}

int pool_open(struct pool *p, unsigned int n)
{
	int ret = 0;

	p->n = 0;
	p->bad_close[0] = '\0';
	p->ticked_us = now_us();
	p->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->news < 0)
		ret = -errno;
	while (!ret && p->n < n)
		ret = make_recorder(p, p->n++, n);
	if (ret)
		recorder_broken(p->watch->recorder,
				"cannot make %u workers: %s", n,
				strerror(-ret));
	return ret;
}

int pool_start(struct pool *p, unsigned int i)
{
	struct pool_worker *w = &p->worker[i];
	struct recorder *r = w->watch.recorder;
	pid_t pid;

	r->ended = false;
	r->quit = false;
	r->broken[0] = '\0';
	pid = child_start(r);
	if (pid < 0)
		return recorder_broken(p->watch->recorder, "%s", r->error);
	if (!pid)
		_exit(p->work(r, p->arg));
	w->watch.stack[0] = '\0';
	w->watch.uninterruptible = false;
	w->state = POOL_OPENING;
	w->started = r->progress;
	if (w->watch.timeout_ms < WATCH_OPEN_MS)
		w->watch.timeout_ms = WATCH_OPEN_MS;
	watch_begin(&w->watch, pid);
	return 0;
}

void pool_give(struct pool *p, unsigned int i)
{
	struct recorder *r = pool_recorder(p, i);

	p->worker[i].state = POOL_BUSY;
	r->ended = false;
	wake(r->task);
}

/* Tells each worker's watch and recorder of the user's signals. */
static void pass_on_signals(struct pool *p)
{
	watch_read_signals(p->watch);
	for (unsigned int i = 0; i < p->n; i++) {
		p->worker[i].watch.at_once |= p->watch->at_once;
		pool_recorder(p, i)->stop = p->watch->interrupted;
	}
}

/* Returns true if the worker says that its device is open or its case has
 * ended, and nobody knows yet. */
static bool has_ended(const struct pool_worker *w)
{
	return (w->state == POOL_OPENING || w->state == POOL_BUSY) &&
	       w->watch.recorder->ended;
}

bool pool_has_news(const struct pool *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (has_ended(&p->worker[i]))
			return true;
	return false;
}

static bool look_for_end(struct pool *p, struct pool_event *event)
{
	for (unsigned int i = 0; i < p->n; i++) {
		struct pool_worker *w = &p->worker[i];

		if (!has_ended(w))
			continue;
		event->news = w->state == POOL_BUSY ? POOL_ENDED : POOL_OPENED;
		event->worker = i;
		w->state = POOL_FREE;
		w->watch.timeout_ms = p->watch->timeout_ms;
		return true;
	}
	return false;
}

/* The kernel reports later that this process is blocked. That report belongs
 * to no later case. */
static void leave_behind(struct pool *p, unsigned int i)
{
	kernel_log_read(&pool_recorder(p, i)->kernel);
	kernel_log_leave(p->worker[i].watch.pid);
	p->losses.stuck++;
}

/* Whoever sent SIGKILL, it was not the call that closes the device. */
static void note_close(struct pool *p, const struct pool_worker *w,
		       enum watch_end end)
{
	bool killed = end == WATCH_SIGNALLED && w->watch.status == SIGKILL;

	if (end == WATCH_DONE || killed || w->watch.at_once || p->bad_close[0])
		return;
	child_describe(&w->watch, end, p->bad_close, sizeof(p->bad_close));
	p->hung_close = end == WATCH_STALLED || end == WATCH_STUCK;
}

/* A worker of a hunt does not say that its device is open: it begins a case. */
static void end_opening(const struct pool *p, struct pool_worker *w)
{
	if (w->watch.recorder->progress != w->started)
		w->watch.timeout_ms = p->watch->timeout_ms;
}

/* Returns true if a process is gone, or had to be killed. */
static bool look_for_death(struct pool *p, const struct pollfd *pidfd,
			   unsigned int tick_ms, struct pool_event *event)
{
	for (unsigned int i = 0; i < p->n; i++) {
		struct pool_worker *w = &p->worker[i];

		if (w->state == POOL_OFF || has_ended(w) ||
		    (!tick_ms && !pidfd[i].revents && !w->watch.at_once))
			continue;
		if (w->state == POOL_FREE)
			watch_rest(&w->watch);
		end_opening(p, w);
		if (!watch_look(&w->watch, tick_ms, &event->end))
			continue;
		event->news = POOL_DIED;
		event->worker = i;
		event->busy = w->state == POOL_BUSY;
		if (w->state == POOL_CLOSING)
			note_close(p, w, event->end);
		w->state = POOL_OFF;
		if (event->end == WATCH_STUCK)
			leave_behind(p, i);
		return true;
	}
	return false;
}

/* Returns 0 if the last tick is not over yet. */
static unsigned int tick_length(const struct pool *p)
{
	unsigned int length = watch_tick_length(p->ticked_us);

	return length < WATCH_TICK_MS ? 0 : length;
}

static unsigned int next_tick(struct pool *p)
{
	unsigned int length = tick_length(p);

	if (!length)
		return 0;
	p->ticked_us = now_us();
	if (p->watch->tick)
		p->watch->tick(p->watch->arg);
	return length;
}

static bool is_empty(const struct pool *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->worker[i].state != POOL_OFF)
			return false;
	return true;
}

/* Waits for anything, but no longer than a tick. Fills the pollfd of each
 * worker, and takes note of signals. */
static void poll_all(struct pool *p, struct pollfd *fds)
{
	struct pollfd *news = &fds[p->n], *signals = &fds[p->n + 1];
	bool ended = pool_has_news(p);
	uint64_t times;

	for (unsigned int i = 0; i < p->n; i++) {
		const struct pool_worker *w = &p->worker[i];

		fds[i] = (struct pollfd){
			.fd = w->state == POOL_OFF ? -1 : w->watch.pidfd,
			.events = POLLIN};
	}
	*news = (struct pollfd){.fd = p->news, .events = POLLIN};
	*signals = (struct pollfd){.fd = p->watch->signals, .events = POLLIN};
	poll(fds, p->n + 2, ended ? 0 : WATCH_TICK_MS);
	if (signals->revents & POLLIN)
		pass_on_signals(p);
	if (news->revents && read(p->news, &times, sizeof(times)) < 0)
		return; /* another poll() has read it */
}

/* However many cases end, each tick looks for workers that died or hang. */
struct pool_event pool_wait(struct pool *p)
{
	struct pool_event event = {.news = POOL_QUIET};
	struct pollfd fds[POOL_MAX + 2];

	for (;;) {
		if (!tick_length(p) && look_for_end(p, &event))
			return event;
		if (is_empty(p))
			return event;
		poll_all(p, fds);
		if (look_for_death(p, fds, next_tick(p), &event))
			return event;
	}
}

int pool_forgive(struct pool *p, const struct pool_event *event, bool achieved)
{
	const struct pool_worker *w = &p->worker[event->worker];
	char how[CHILD_END_LEN];

	child_describe(&w->watch, event->end, how, sizeof(how));
	return child_may_follow(p->watch->recorder, &p->losses, how, achieved);
}

/* From here on, a worker that does not end in time is killed. */
static void await_end(struct pool_worker *w)
{
	if (w->state != POOL_FREE)
		return;
	w->state = POOL_CLOSING;
	watch_rest(&w->watch);
}

void pool_dismiss(struct pool *p, unsigned int i)
{
	struct pool_worker *w = &p->worker[i];

	if (!w->watch.recorder)
		return; /* pool_open() failed here */
	w->watch.recorder->quit = true;
	wake(w->watch.recorder->task);
	await_end(w);
}

void pool_close(struct pool *p, bool at_once)
{
	struct pool_event event;

	for (unsigned int i = 0; i < p->n; i++) {
		p->worker[i].watch.at_once |= at_once;
		pool_dismiss(p, i);
	}
	while ((event = pool_wait(p)).news != POOL_QUIET)
		if (event.news != POOL_DIED)
			await_end(&p->worker[event.worker]);
	for (unsigned int i = 0; i < p->n; i++)
		free_recorder(p, i);
	if (p->news >= 0)
		close(p->news);
	p->n = 0;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides when a worker counts as hung. Its idle time is a sum of ticks, and a
 * long tick counts as a short one, so that a suspended machine or a stopped
 * process group is no hang. Time in which the worker was ready to run but got
 * no processor does not count either.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "supervise/watch.h"

#define GRACE_MS   5000 /* for a killed process to go away */
#define AT_ONCE_MS 500

static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void watch_unblock_signals(void)
{
	sigset_t set;

	watched_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int watch_signals(void)
{
	sigset_t set;
	int fd;

	watched_signals(&set);
	/* write() then fails at the limit of a file's size. */
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR ||
	    sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* The first signal asks the worker to end, the next one ends it. */
void watch_read_signals(struct watch *w)
{
	struct signalfd_siginfo info;

	if (read(w->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (w->interrupted)
		w->at_once = true;
	w->interrupted = true;
	w->recorder->stop = true;
}

static enum watch_end end_of_exit(int status)
{
	switch (status) {
	case CHILD_DONE:
		return WATCH_DONE;
	case CHILD_GAVE_UP:
		return WATCH_GAVE_UP;
	default:
		return WATCH_EXITED;
	}
}

static bool reap(struct watch *w, pid_t pid, enum watch_end *end)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) != pid)
		return false;
	if (WIFSIGNALED(status)) {
		w->status = WTERMSIG(status);
		*end = WATCH_SIGNALLED;
	} else {
		w->status = WEXITSTATUS(status);
		*end = end_of_exit(w->status);
	}
	return true;
}

unsigned int watch_tick_length(uint64_t since_us)
{
	uint64_t gone = (now_us() - since_us) / 1000;

	return gone > 2 * WATCH_TICK_MS ? 2 * WATCH_TICK_MS
					: (unsigned int)gone;
}

/* Returns false if SIGKILL did not end the process in time. */
static bool kill_it(struct watch *w, pid_t pid, int pidfd,
		    unsigned int grace_ms)
{
	enum watch_end end;

	kill(pid, SIGKILL);
	for (unsigned int ms = 0; ms < grace_ms; ms += WATCH_TICK_MS) {
		struct pollfd fd = {.fd = pidfd, .events = POLLIN};

		poll(&fd, 1, WATCH_TICK_MS);
		if (reap(w, pid, &end))
			return true;
	}
	return false;
}

static enum watch_end kill_hung(struct watch *w, pid_t pid, int pidfd)
{
	char tasks[32];

	snprintf(tasks, sizeof(tasks), "/proc/%d/task", (int)pid);
	w->uninterruptible =
		kernel_stack_read(tasks, w->stack, sizeof(w->stack));
	return kill_it(w, pid, pidfd, GRACE_MS) ? WATCH_STALLED : WATCH_STUCK;
}

/* Returns for how many ms the worker was ready to run but got no processor, or
 * 0 on a kernel without CONFIG_SCHED_INFO. */
static uint64_t held_up_ms(pid_t pid)
{
	uint64_t waited_ns = 0;
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%*u %" SCNu64, &waited_ns) != 1)
		waited_ns = 0;
	if (f)
		fclose(f);
	return waited_ns / 1000000;
}

void watch_rest(struct watch *w)
{
	w->idle = (struct idle_time){.progress = w->recorder->progress};
}

static void look(struct idle_time *idle, pid_t pid)
{
	idle->looked_us = now_us();
	idle->held_up = held_up_ms(pid);
	idle->unlooked_ms = 0;
}

/* Returns the time since the last look in which the worker had a processor or
 * waited of its own accord. */
static uint64_t own_ms_since_look(const struct idle_time *idle, pid_t pid)
{
	uint64_t gone = (now_us() - idle->looked_us) / 1000;
	uint64_t not_own = held_up_ms(pid) - idle->held_up;

	return not_own < gone ? gone - not_own : 0;
}

/* Adds a tick. Both the ticks and the time since the last look are long on a
 * machine that has much to do; only the ticks are bounded. Looks come four
 * times before the timeout: of many workers most wait, and a look is a file of
 * /proc. */
static uint64_t idle_ms(struct watch *w, unsigned int tick)
{
	struct idle_time *idle = &w->idle;
	uint64_t own;

	if (w->recorder->progress != idle->progress) {
		watch_rest(w);
		return 0;
	}
	if (!idle->looked_us) {
		look(idle, w->pid);
		return 0;
	}
	idle->unlooked_ms += tick;
	if (idle->unlooked_ms < w->timeout_ms / 4)
		return idle->ms;
	own = own_ms_since_look(idle, w->pid);
	idle->ms += own < idle->unlooked_ms ? own : idle->unlooked_ms;
	look(idle, w->pid);
	return idle->ms;
}

void watch_begin(struct watch *w, pid_t pid)
{
	w->pid = pid;
	w->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	watch_rest(w);
}

static bool has_ended(struct watch *w, unsigned int tick_ms,
		      enum watch_end *end)
{
	if (reap(w, w->pid, end))
		return true;
	if (w->at_once) {
		kill_it(w, w->pid, w->pidfd, AT_ONCE_MS);
		*end = WATCH_SIGNALLED;
		return true;
	}
	if (idle_ms(w, tick_ms) < w->timeout_ms)
		return false;
	*end = kill_hung(w, w->pid, w->pidfd);
	return true;
}

bool watch_look(struct watch *w, unsigned int tick_ms, enum watch_end *end)
{
	if (!has_ended(w, tick_ms, end))
		return false;
	if (w->pidfd >= 0)
		close(w->pidfd);
	w->pidfd = -1;
	return true;
}

enum watch_end watch_worker(struct watch *w, pid_t pid)
{
	enum watch_end end;

	watch_begin(w, pid);
	for (;;) {
		struct pollfd fds[] = {{.fd = w->signals, .events = POLLIN},
				       {.fd = w->pidfd, .events = POLLIN}};
		uint64_t before = now_us();
		unsigned int tick;

		poll(fds, 2, WATCH_TICK_MS);
		tick = watch_tick_length(before);
		if (fds[0].revents & POLLIN)
			watch_read_signals(w);
		if (watch_look(w, tick, &end))
			return end;
		if (w->tick)
			w->tick(w->arg);
	}
}

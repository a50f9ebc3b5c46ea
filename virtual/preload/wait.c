// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs the NIC while a program waits for events of the device in read(),
 * poll(), ppoll(), select(), pselect(), epoll_wait() or epoll_pwait(). The wait
 * becomes many short waits, and the NIC runs before each of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
#include "virtual/preload/preload.h"

#define STEP_MS	    5
#define MAX_SECONDS (INT64_C(1) << 40) /* a longer wait has no end */

/* Returns the length of the next short wait. `deadline` is the time when the
 * program's wait ends, -1 for never. */
static int next_step(int64_t deadline)
{
	int64_t left = deadline < 0 ? STEP_MS : deadline - nic_now_ms();

	if (left < 0)
		return 0;
	return left < STEP_MS ? (int)left : STEP_MS;
}

static int64_t deadline_of(int64_t timeout_ms)
{
	return timeout_ms < 0 ? -1 : nic_now_ms() + timeout_ms;
}

static bool has_passed(int64_t deadline)
{
	return deadline >= 0 && nic_now_ms() >= deadline;
}

static bool any_event_fd(const struct pollfd *fds, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++)
		if (preload_is_event_fd(fds[i].fd))
			return true;
	return false;
}

SHOWN int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	REAL(poll);
	int64_t deadline = deadline_of(timeout);
	int ret;

	if (!any_event_fd(fds, n))
		return real(fds, n, timeout);
	do {
		preload_run_nic();
		ret = real(fds, n, next_step(deadline));
	} while (!ret && !has_passed(deadline));
	return ret;
}

SHOWN int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size);
SHOWN int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size)
{
	(void)size;
	return poll(fds, n, timeout);
}

static int64_t ms_of(int64_t seconds, int64_t ns)
{
	return seconds > MAX_SECONDS ? -1
				     : seconds * 1000 + (ns + 999999) / 1000000;
}

SHOWN int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		const sigset_t *signals)
{
	REAL(ppoll);
	int64_t deadline;
	int ret;

	if (!any_event_fd(fds, n))
		return real(fds, n, timeout, signals);
	deadline = deadline_of(
		timeout ? ms_of(timeout->tv_sec, timeout->tv_nsec) : -1);
	do {
		struct timespec step = {.tv_nsec =
						next_step(deadline) * 1000000L};

		preload_run_nic();
		ret = real(fds, n, &step, signals);
	} while (!ret && !has_passed(deadline));
	return ret;
}

static void wait_until_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	preload_run_nic();
	if (!(fcntl(fd, F_GETFL) & O_NONBLOCK))
		poll(&p, 1, -1);
}

SHOWN ssize_t read(int fd, void *to, size_t size)
{
	REAL(read);

	if (preload_is_event_fd(fd))
		wait_until_readable(fd);
	return real(fd, to, size);
}

SHOWN ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
SHOWN ssize_t __read_chk(int fd, void *to, size_t size, size_t room)
{
	(void)room;
	return read(fd, to, size);
}

/* We do not know which descriptors an epoll set has, so any epoll_wait() may
 * wait for events of the device. */
SHOWN int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
		      const sigset_t *signals)
{
	REAL(epoll_pwait);
	int64_t deadline = deadline_of(timeout);
	int ret;

	if (!preload_has_event_fd())
		return real(fd, events, n, timeout, signals);
	do {
		preload_run_nic();
		ret = real(fd, events, n, next_step(deadline), signals);
	} while (!ret && !has_passed(deadline));
	return ret;
}

SHOWN int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	return epoll_pwait(fd, events, n, timeout, NULL);
}

static bool any_event_in_set(int n, const fd_set *set)
{
	for (int fd = 0; set && fd < n; fd++)
		if (FD_ISSET(fd, set) && preload_is_event_fd(fd))
			return true;
	return false;
}

SHOWN int pselect(int n, fd_set *in, fd_set *out, fd_set *except,
		  const struct timespec *timeout, const sigset_t *signals)
{
	REAL(pselect);
	fd_set keep[3];
	fd_set *const sets[3] = {in, out, except};
	int64_t deadline;
	int ret;

	if (!any_event_in_set(n, in))
		return real(n, in, out, except, timeout, signals);
	deadline = deadline_of(
		timeout ? ms_of(timeout->tv_sec, timeout->tv_nsec) : -1);
	for (int i = 0; i < 3; i++)
		if (sets[i])
			keep[i] = *sets[i];
	do {
		struct timespec step = {.tv_nsec =
						next_step(deadline) * 1000000L};

		for (int i = 0; i < 3; i++)
			if (sets[i])
				*sets[i] = keep[i];
		preload_run_nic();
		ret = real(n, in, out, except, &step, signals);
	} while (!ret && !has_passed(deadline));
	return ret;
}

/* Does not store the time that is left of the timeout, as Linux would. */
SHOWN int select(int n, fd_set *in, fd_set *out, fd_set *except,
		 struct timeval *timeout)
{
	REAL(select);
	struct timespec limit;

	if (!any_event_in_set(n, in))
		return real(n, in, out, except, timeout);
	if (timeout)
		limit = (struct timespec){timeout->tv_sec,
					  timeout->tv_usec * 1000};
	return pselect(n, in, out, except, timeout ? &limit : NULL, NULL);
}

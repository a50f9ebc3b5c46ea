/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Waiting for a bounded time. A deadline is a time of CLOCK_MONOTONIC in
 * milliseconds.
 */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* part: now_ms */
static inline int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* part: deadline_after */
static inline int64_t deadline_after(uint32_t ms)
{
	return now_ms() + ms;
}

/* part: is_past */
static inline bool is_past(int64_t deadline)
{
	return now_ms() >= deadline;
}

/* part: nap_us */
static inline void nap_us(long us)
{
	const struct timespec ts = {.tv_nsec = us * 1000};

	nanosleep(&ts, NULL);
}

/* part: wait_readable */
/* Returns true if there is something to read before the deadline. */
static inline bool wait_readable(int fd, int64_t deadline)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int ret;

	do {
		int64_t left = deadline - now_ms();

		left = left < 0 ? 0 : left > INT_MAX ? INT_MAX : left;
		ret = poll(&pfd, 1, (int)left);
	} while (ret < 0 && errno == EINTR);
	return ret == 1 && pfd.revents & POLLIN;
}

/* part: set_blocking */
/* Chooses whether reading the file waits until there is something to read. */
static inline void set_blocking(int fd, bool blocks)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * When a window opens and closes.
 */
#include "fleet/window.h"

#define DAY_MINUTES (24 * 60)

static int minute_of(time_t now)
{
	struct tm tm;

	return localtime_r(&now, &tm) ? 60 * tm.tm_hour + tm.tm_min : 0;
}

static int until(int from, int to)
{
	return (to - from + DAY_MINUTES) % DAY_MINUTES;
}

static bool is_open(const struct lab_window *w, int minute)
{
	return w->from == w->to ||
	       until(w->from, minute) < until(w->from, w->to);
}

static void print(time_t when, char *buf, size_t len)
{
	struct tm tm;

	buf[0] = '\0';
	if (localtime_r(&when, &tm))
		strftime(buf, len, "%Y-%m-%dT%H:%M:%S", &tm);
}

unsigned int window_wait(const struct lab_window *w, time_t now)
{
	const int minute = minute_of(now);

	if (is_open(w, minute))
		return 0;
	return 60 * (unsigned int)until(minute, w->from) -
	       (unsigned int)(now % 60);
}

int window_next(const struct lab_window *w, time_t now, char *begin, char *end,
		size_t len)
{
	const time_t wait = window_wait(w, now), opens = now + wait;
	int minutes = until(minute_of(opens), w->to);

	if (w->from == w->to)
		minutes = DAY_MINUTES;
	begin[0] = '\0';
	if (wait)
		print(opens, begin, len);
	print(opens - opens % 60 + 60 * minutes, end, len);
	return minutes;
}

/* Three times as long as planned, and a quarter of an hour: a night in which
 * all is slow, and a start. Slurm starts no job that its limit would take past
 * the end of the window. */
long window_limit(double seconds, int minutes)
{
	long limit = seconds > 0 ? (long)(3 * seconds / 60) + 15 : 240;

	if (limit > minutes - 1)
		limit = minutes - 1;
	return limit < 1 ? 1 : limit;
}

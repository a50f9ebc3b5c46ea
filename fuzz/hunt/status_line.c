/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints the progress of a hunt in one line: again and again in the same place
 * on a terminal, else a line every minute, and once at the end.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fuzz/hunt/state.h"
#include "run/plural.h"

enum { TERMINAL_US = 500000, LINE_US = 60 * 1000000 };

static uint64_t per_second(uint64_t n, uint64_t us)
{
	return us ? n * 1000000 / us : 0;
}

/* Prints the number of programs or walks, and the speed. */
static void print_amount(const struct hunt *h, char *buf, size_t len)
{
	const struct hunt_shared *s = h->shared;
	uint64_t gone = now_us() - h->began_us;

	if (h->options->what == HUNT_WALK)
		snprintf(
			buf, len,
			"%llu walk%s, %llu calls/s, %llu not judged to the end",
			(unsigned long long)s->walks, plural(s->walks),
			(unsigned long long)per_second(
				s->calls - h->calls_before, gone),
			(unsigned long long)s->unjudged);
	else
		snprintf(buf, len, "%llu program%s, %llu/s",
			 (unsigned long long)s->programs, plural(s->programs),
			 (unsigned long long)per_second(
				 s->programs - h->programs_before, gone));
	if (h->jobs > 1) {
		size_t n = strlen(buf);

		snprintf(buf + n, len - n, ", %u at once", h->jobs);
	}
}

/* Prints how much of the kernel's code ran, if KCOV tells. */
static void print_kernel(const struct hunt *h,
			 const struct hunt_progress *stand, char *buf,
			 size_t len)
{
	buf[0] = '\0';
	if (h->shared->kernel)
		snprintf(buf, len, ", %zu kernel points", stand->kernel_points);
}

static void print_taken(const struct hunt *h, char *buf, size_t len)
{
	buf[0] = '\0';
	if (h->options->corpus)
		snprintf(buf, len, " (%llu of other hunts)",
			 (unsigned long long)h->shared->taken);
}

static void print_line(const struct hunt *h, char *buf, size_t len)
{
	struct hunt_progress stand;
	char made[96], points[48], taken[48];

	hunt_get_progress(h, &stand);
	print_amount(h, made, sizeof(made));
	print_kernel(h, &stand, points, sizeof(points));
	print_taken(h, taken, sizeof(taken));
	snprintf(buf, len,
		 "%s on %s: %s; %llu/%llu pairs, %llu mask%s, %llu/%llu cells, "
		 "%llu/%llu rules%s; kept %llu%s; findings %llu, expected %llu",
		 hunt_name(h->options->what), h->options->run.device[0], made,
		 (unsigned long long)stand.pairs.tried,
		 (unsigned long long)stand.pairs.total,
		 (unsigned long long)stand.masks.tried,
		 plural(stand.masks.tried),
		 (unsigned long long)stand.cells.tried,
		 (unsigned long long)stand.cells.total,
		 (unsigned long long)stand.rules.tried,
		 (unsigned long long)stand.rules.total, points,
		 (unsigned long long)h->shared->kept, taken,
		 (unsigned long long)stand.findings,
		 (unsigned long long)stand.expected);
}

void hunt_print_status(struct hunt *h)
{
	uint64_t now = now_us();
	char text[512];

	if (now - h->shown_us < (h->terminal ? TERMINAL_US : LINE_US))
		return;
	h->shown_us = now;
	print_line(h, text, sizeof(text));
	fprintf(stderr, h->terminal ? "\r\033[K%s" : "%s\n", text);
	h->shown = h->terminal;
}

/* Prints the share of the time that the device's calls took. */
static void print_time(const struct hunt_shared *s)
{
	if (s->timed_ns)
		fprintf(stderr, "; %llu%% of the time in the device's calls",
			(unsigned long long)(100 * s->device_ns / s->timed_ns));
}

void hunt_print_last_status(struct hunt *h)
{
	char text[512];

	print_line(h, text, sizeof(text));
	fprintf(stderr, "%s%s; %llu call%s", h->shown ? "\r\033[K" : "", text,
		(unsigned long long)h->shared->calls, plural(h->shared->calls));
	print_time(h->shared);
	fputc('\n', stderr);
}

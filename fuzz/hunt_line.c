/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One line that tells how a hunt goes: written over itself on a terminal, and
 * once at the end.
 */
#include <stdio.h>
#include <unistd.h>
#include "fuzz/hunt_state.h"

static void count_findings(const struct hunt_shared *s, uint64_t *findings,
			   uint64_t *expected)
{
	*findings = *expected = 0;
	for (unsigned int i = 0; i < s->nknown; i++)
		if (s->known[i].expected)
			*expected += s->known[i].came;
		else
			++*findings;
}

static uint64_t per_second(uint64_t n, uint64_t us)
{
	return us ? n * 1000000 / us : 0;
}

/* How much was made, and how fast. */
static void amount(const struct hunting *h, char *buf, size_t len)
{
	const struct hunt_shared *s = h->shared;
	uint64_t gone = now_us() - h->began_us;

	if (h->options->what == HUNT_WALK)
		snprintf(buf, len,
			 "%llu walks, %llu calls/s, %llu not judged to the end",
			 (unsigned long long)s->walks,
			 (unsigned long long)per_second(
				 s->calls - h->calls_before, gone),
			 (unsigned long long)s->unjudged);
	else
		snprintf(buf, len, "%llu programs, %llu/s",
			 (unsigned long long)s->programs,
			 (unsigned long long)per_second(
				 s->programs - h->programs_before, gone));
}

static void line(const struct hunting *h, char *buf, size_t len)
{
	const struct hunt_shared *s = h->shared;
	uint64_t findings, expected;
	struct coverage_count pairs, cells = reach_cells();
	struct coverage_sums sums;
	char made[96];

	coverage_sum(&h->ending.coverage, &sums);
	pairs = coverage_all(sums.pairs);
	count_findings(s, &findings, &expected);
	amount(h, made, sizeof(made));
	snprintf(buf, len,
		 "%s on %s: %s; %llu/%llu pairs, %llu/%llu cells, %llu/%llu "
		 "rules; kept %llu; findings %llu, expected %llu",
		 hunt_name(h->options->what), h->options->run.device[0], made,
		 (unsigned long long)pairs.tried,
		 (unsigned long long)pairs.total,
		 (unsigned long long)cells.tried,
		 (unsigned long long)cells.total,
		 (unsigned long long)sums.rows.tried,
		 (unsigned long long)sums.rows.total,
		 (unsigned long long)s->kept, (unsigned long long)findings,
		 (unsigned long long)expected);
}

void hunt_show(struct hunting *h)
{
	char text[512];

	if (!h->terminal)
		return;
	line(h, text, sizeof(text));
	fprintf(stderr, "\r\033[K%s", text);
	h->shown = true;
}

/* What of the time the device took, as far as programs were timed. */
static void show_time(const struct hunt_shared *s)
{
	if (s->timed_ns)
		fprintf(stderr, "; %llu%% of the time in the device's calls",
			(unsigned long long)(100 * s->device_ns / s->timed_ns));
}

void hunt_show_last(struct hunting *h)
{
	char text[512];

	line(h, text, sizeof(text));
	fprintf(stderr, "%s%s; %llu calls", h->shown ? "\r\033[K" : "", text,
		(unsigned long long)h->shared->calls);
	show_time(h->shared);
	fputc('\n', stderr);
}

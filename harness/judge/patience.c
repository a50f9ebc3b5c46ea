/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How long nothing is waited for: a multiple of the median round trip. The
 * median does not follow single hiccups of a busy or emulated processor.
 */
#include <stdlib.h>
#include <string.h>
#include "judge/patience.h"

void patience_add(struct patience *p, uint64_t us)
{
	/* 0 stands for no round trip */
	uint32_t sample = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;

	p->us[p->n++ % PATIENCE_SAMPLES] = sample ? sample : 1;
}

void patience_add_since(struct patience *p, const struct patience *from,
			uint32_t n)
{
	if (from->n - n > PATIENCE_SAMPLES)
		n = from->n - PATIENCE_SAMPLES;
	for (; n != from->n; n++)
		patience_add(p, from->us[n % PATIENCE_SAMPLES]);
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

uint32_t patience_round_trip(const struct patience *p)
{
	uint32_t sorted[PATIENCE_SAMPLES];
	uint32_t n = p->n < PATIENCE_SAMPLES ? p->n : PATIENCE_SAMPLES;

	if (!n)
		return 0;
	memcpy(sorted, p->us, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	return sorted[n / 2];
}

uint32_t patience_quiet(const struct patience *p)
{
	uint64_t us = (uint64_t)patience_round_trip(p) * PATIENCE_MARGIN;
	uint64_t ms = (us + 999) / 1000;
	uint32_t least = p->n < PATIENCE_ENOUGH ? WAITS_QUIET : PATIENCE_LEAST;

	if (ms < least)
		return least;
	return ms > PATIENCE_MOST ? PATIENCE_MOST : (uint32_t)ms;
}

uint32_t patience_wait(const struct patience *p, uint32_t asked, bool may)
{
	uint32_t quiet = patience_quiet(p);
	bool shorter = may && !p->lengthens && quiet < WAITS_QUIET;

	if (shorter && asked == WAITS_MUST)
		asked = WAITS_MAYBE;
	if (!asked || asked > WAITS_MAYBE)
		return asked;
	if (shorter)
		return (asked * quiet + WAITS_QUIET - 1) / WAITS_QUIET;
	return asked > quiet ? asked : quiet;
}

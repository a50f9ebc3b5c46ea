// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Compares the known bytes of a range with those that a device showed. A view
 * tells runs of patterns whole, and the first eight bytes of any other run.
 */
#include <stdlib.h>
#include <string.h>
#include "model/internal.h"
#include "program/pattern.h"

struct shown {
	unsigned char *byte;
	bool *has;
	uint64_t length;
};

/* Adds the bytes of a run that begins at a place of the range. */
static void add_run(struct shown *w, const struct memory_run *run, uint64_t at)
{
	bool raw = run->pattern == PATTERN_RAW;
	uint64_t n = run->length;

	if (raw && n > sizeof(run->from))
		n = sizeof(run->from);
	if (at > w->length || n > w->length - at)
		return;
	for (uint64_t i = 0; raw && i < n; i++)
		w->byte[at + i] = (unsigned char)(run->from >> (8 * i));
	if (!raw)
		pattern_fill(w->byte + at, run->pattern, run->from, n);
	memset(w->has + at, true, n);
}

static void add_view(struct shown *w, const struct memory_view *view,
		     uint64_t base)
{
	for (uint32_t n = 0; n < view->count && n < MEMORY_RUNS; n++)
		add_run(w, &view->run[n], view->run[n].at - base);
}

static bool compare(const struct shown *w, unsigned char *bytes,
		    const bool *unknown)
{
	bool differ = false;

	for (uint64_t i = 0; i < w->length; i++) {
		if (!w->has[i])
			continue;
		if (unknown[i])
			bytes[i] = w->byte[i];
		differ |= bytes[i] != w->byte[i];
	}
	return differ;
}

bool shown_differ(const struct memory_view *view, uint64_t base,
		  unsigned char *bytes, const bool *unknown, uint64_t length)
{
	struct shown w = {
		.byte = malloc(length + 1),
		.has = calloc(length + 1, sizeof(*w.has)),
		.length = length,
	};
	bool differ = false;

	if (w.byte && w.has) {
		add_view(&w, view, base);
		differ = compare(&w, bytes, unknown);
	}
	free(w.byte);
	free(w.has);
	return differ;
}

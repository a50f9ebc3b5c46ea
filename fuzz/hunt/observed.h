/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Records each call and its outcome as text. For a finding that cannot be
 * reproduced this is the only evidence.
 */
#ifndef IBVET_FUZZ_OBSERVED_H
#define IBVET_FUZZ_OBSERVED_H

#include "program/program.h"

/* The text is in shared memory, which outlives the worker. If the worker died,
 * the last call has no outcome. */
struct observed {
	size_t n;
	char text[4 << 20]; /* a longer text is cut off */
};

void observed_begin(struct observed *s);
void observed_add_call(struct observed *s, const struct program *p, int index);
void observed_add_outcome(struct observed *s, const struct program *p,
			  enum verb verb, const struct outcome *o);
bool observed_any(const struct observed *s);
/* Returns 0, or an errno if the file cannot be written. */
int observed_write(const struct observed *s, const char *path);

#endif

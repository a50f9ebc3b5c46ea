/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What each call brought, in words. Of a finding that does not come again there
 * is nothing else to look at.
 */
#ifndef IBVET_FUZZ_OBSERVED_H
#define IBVET_FUZZ_OBSERVED_H

#include "program/program.h"

/* It lies where a process that dies leaves it behind: the call under way is the
 * last one, and brought nothing. */
struct observed {
	size_t n;
	char text[4 << 20]; /* of a longer one the beginning */
};

void observed_begin(struct observed *s);
void observed_add_call(struct observed *s, const struct program *p, int index);
void observed_add_outcome(struct observed *s, const struct program *p,
			  enum verb verb, const struct outcome *o);
bool observed_any(const struct observed *s);
/* 0, or an errno of a file that cannot be written. */
int observed_write(const struct observed *s, const char *path);

#endif

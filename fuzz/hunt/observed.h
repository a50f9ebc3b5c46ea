/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What each call brought, in words. Of a finding that does not come again there
 * is nothing else to look at.
 */
#ifndef IBVET_FUZZ_SEEN_H
#define IBVET_FUZZ_SEEN_H

#include "program/program.h"

/* It lies where a process that dies leaves it behind: the call under way is the
 * last one, and brought nothing. */
struct seen {
	size_t n;
	char text[4 << 20]; /* of a longer one the beginning */
};

void seen_begin(struct seen *s);
void seen_call(struct seen *s, const struct program *p, int index);
void seen_brought(struct seen *s, const struct program *p, enum verb verb,
		  const struct outcome *o);
bool seen_any(const struct seen *s);
/* 0, or an errno of a file that cannot be written. */
int seen_write(const struct seen *s, const char *path);

#endif

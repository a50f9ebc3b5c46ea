/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Texts by number: equal ones are kept once, so that the few that many cases
 * have in common cost a case four bytes each.
 */
#ifndef IBVET_REPORT_TEXTS_H
#define IBVET_REPORT_TEXTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#define NO_TEXT 0 /* the number of NULL */

struct texts {
	char *chars;
	size_t used, room;
	uint32_t *slot; /* a hash set of numbers */
	size_t kept, slots;
	bool failed; /* no memory: some numbers are NO_TEXT for that */
};

uint32_t texts_keep(struct texts *t, const char *text);
/* NO_TEXT: it was never kept. */
uint32_t texts_find(const struct texts *t, const char *text);
const char *texts_get(const struct texts *t, uint32_t number); /* or NULL */
void texts_free(struct texts *t);

#endif

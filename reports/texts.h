/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps texts by number. Equal texts are kept once, so that a text that many
 * cases share costs each case four bytes.
 */
#ifndef IBVET_REPORTS_TEXTS_H
#define IBVET_REPORTS_TEXTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#define NO_TEXT 0 /* the number of NULL */

struct texts {
	char *chars;
	size_t used, room;
	uint32_t *slot; /* a hash set of numbers */
	size_t kept, slots;
	bool failed; /* no memory: some texts have become NO_TEXT */
};

/* Keeps a text, or NULL, and returns its number. */
uint32_t texts_keep(struct texts *t, const char *text);
/* Returns the number of a text, or NO_TEXT if the text was never kept. */
uint32_t texts_find(const struct texts *t, const char *text);
const char *texts_get(const struct texts *t, uint32_t number); /* or NULL */
void texts_free(struct texts *t);

#endif

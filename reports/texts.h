/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A set of texts, each with a number. A text that many cases share is kept
 * once, and each case needs only the four bytes of the number.
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

/* Adds a text if the set does not have it. Returns its number, or NO_TEXT if
 * the text is NULL or there is no memory. */
uint32_t texts_keep(struct texts *t, const char *text);
/* Returns the number of a text, or NO_TEXT if the set does not have the text.
 */
uint32_t texts_find(const struct texts *t, const char *text);
/* Returns the text of a number, or NULL for NO_TEXT. The pointer is valid until
 * the next texts_keep(). */
const char *texts_get(const struct texts *t, uint32_t number);
void texts_free(struct texts *t);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The patterns that an id is an example of.
 */
#ifndef IBVET_CONDENSE_FORMS_H
#define IBVET_CONDENSE_FORMS_H

/* The id itself, its beginnings, and those with parts left open: "walk*" for
 * "walk45", "no-*" for "no-PORT", "*" for any. The tree is never left open. */
void forms_each(const char *id, void (*fn)(const char *pattern, void *arg),
		void *arg);

#endif

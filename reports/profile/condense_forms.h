/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Generates the patterns that a profile may have for an id.
 */
#ifndef IBVET_REPORTS_PROFILE_CONDENSE_FORMS_H
#define IBVET_REPORTS_PROFILE_CONDENSE_FORMS_H

/* Calls fn with the id itself, its prefixes, and patterns with open parts:
 * "walk*" for "walk45", "no-*" for "no-PORT", "*" for any part but the first.
 */
void forms_each(const char *id, void (*fn)(const char *pattern, void *arg),
		void *arg);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The second reading of a journal.
 */
#ifndef IBVET_FOLD_H
#define IBVET_FOLD_H

#include "reports/reports.h"

/* Calls fn for each case, target by target; report_each_traced() has of each
 * what the journal holds besides its end. */
int report_each(const struct report *r,
		void (*fn)(const struct report_case *c, void *arg), void *arg,
		char *err, size_t errlen);
int report_each_traced(const struct report *r,
		       void (*fn)(const struct report_case *c, void *arg),
		       void *arg, char *err, size_t errlen);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Passes each case of a journal to a function, after report_open() has read the
 * journal once.
 */
#ifndef IBVET_REPORTS_FOLD_H
#define IBVET_REPORTS_FOLD_H

#include "reports/reports.h"

/* Calls fn for each case, target by target. report_each_traced() adds to each
 * case its calls and its program, if the journal has them. */
int report_each(const struct report *r,
		void (*fn)(const struct report_case *c, void *arg), void *arg,
		char *err, size_t errlen);
int report_each_traced(const struct report *r,
		       void (*fn)(const struct report_case *c, void *arg),
		       void *arg, char *err, size_t errlen);

#endif

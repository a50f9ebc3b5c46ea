/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A profile of expected deviations: what a device is known to do wrong.
 *
 *	# ID or glob		OUTCOME  reason			link
 *	modify/ud/rtr-rts	OK	 skips the check	https://...
 *
 * OUTCOME is what the device does: OK, an errno name, "crashed", "hung", or
 * "any". Reason and link are required.
 */
#ifndef IBVET_EXPECT_H
#define IBVET_EXPECT_H

#include "judge/judge.h"

struct expectation {
	char *pattern, *outcome, *reason, *link;
	unsigned int line;
};

struct expect_list {
	size_t n;
	struct expectation *item;
};

/* Returns 0, or -errno with "file:line: what" in err. */
int expect_read(struct expect_list *list, const char *path, char *err,
		size_t errlen);
void expect_free(struct expect_list *list);

/* The profile that comes with ibvet for a driver; false: there is none. */
bool expect_default(const char *driver, char *path, size_t len);

/*
 * Turns a deviation that the list holds into `expected`, and a case that the
 * list holds and that went well into `fixed`. `error` is what the call that
 * decided came back with, as outcome_error() has it. Returns the line that
 * applied, or NULL.
 */
const struct expectation *expect_apply(const struct expect_list *list,
				       const char *id, int error,
				       enum verdict *verdict);

#endif

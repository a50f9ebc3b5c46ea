/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * TAP for tests in C: a line for each check, and the plan at the end.
 */
#ifndef IBVET_TESTS_TAP_H
#define IBVET_TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>

static int tap_count;
static bool tap_failed;

static inline bool ok(bool good, const char *name)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++tap_count, name);
	tap_failed |= !good;
	return good;
}

/* The exit status of the test. */
static inline int tap_end(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs as a submission to KCIDB, the database of Linux kernel testing, with a
 * test for each rule. docs/kcidb.md says what is mapped to what, and why.
 */
#ifndef IBVET_REPORTS_RULES_KCIDB_H
#define IBVET_REPORTS_RULES_KCIDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct kcidb_options {
	const char *origin; /* the CI system that submits */
	const char *build;  /* id of the tested build, or NULL: of the kernel */
};

/* Return true for names that the schema permits. */
bool kcidb_is_origin(const char *text);
bool kcidb_is_id(const char *text);
/* Writes the submission. Returns 0, or -errno with one line in err. */
int kcidb_of_runs(const char *const *dirs, int n, const struct kcidb_options *o,
		  FILE *file, char *err, size_t errlen);

#endif

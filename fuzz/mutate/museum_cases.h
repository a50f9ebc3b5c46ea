/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the generated cases that show the faults of the museum, which are bugs
 * of real drivers.
 */
#ifndef IBVET_FUZZ_MUSEUM_CASES_H
#define IBVET_FUZZ_MUSEUM_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct museum_cases {
	struct kill *fault; /* each with the case that finds it */
	size_t n;
};

/* Finds the cases on models, as `ibvet mutants --kill` does. This takes as long
 * as a few runs of the quick profile. Returns 0, or -errno with *m empty. */
int museum_cases_find(struct museum_cases *m);
bool museum_cases_have(const struct museum_cases *m, const char *id);
void museum_cases_free(struct museum_cases *m);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The generated cases that show the faults of the museum.
 */
#ifndef IBVET_FUZZ_MUSEUM_CASES_H
#define IBVET_FUZZ_MUSEUM_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct museum_cases {
	struct kill *fault; /* with the case that finds it */
	size_t n;
};

/* Finds them on models, as `ibvet mutants --kill` does, which takes as long as
 * to run the quick profile a few times: 0 or -errno, with nothing in it. */
int museum_cases_find(struct museum_cases *m);
bool museum_cases_have(const struct museum_cases *m, const char *id);
void museum_cases_free(struct museum_cases *m);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeds: generated cases as programs that a fuzzer begins with.
 */
#ifndef IBVET_FUZZ_SEEDS_H
#define IBVET_FUZZ_SEEDS_H

#include <stdio.h>
#include "program/program.h"
#include "cases/generate/case.h"

/* Calls fn for all cases of a profile, the same ones each time. Returns 0 or
 * -errno. */
int seed_cases(const struct device_info *d, enum profile profile,
	       bool (*fn)(const struct test_case *c, void *arg), void *arg);

/* Which cases become seeds, and how a seed is written. */
struct seed_form {
	const char *ending; /* of the file's name */
	bool of_types;	    /* a seed for each rule and type of queue pair */
	bool of_museum;	    /* and for each fault of the museum */
	/* Returns 0 or -errno. */
	int (*write)(const struct program *p, FILE *file, void *arg);
	void *arg;
};

/* Seeds in the text form of programs. */
extern const struct seed_form seed_text, seed_text_of_types;

/* Writes the first case of each rule as a seed into a folder, or the first case
 * of each rule and type of queue pair. Returns how many, or -errno with a line
 * in err. */
int seeds_write(const struct device_info *d, const struct seed_form *form,
		const char *folder, char *err, size_t errlen);

#endif

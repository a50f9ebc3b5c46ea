/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Generated cases as programs that a fuzzer begins with.
 */
#ifndef IBVET_FUZZ_SEEDS_H
#define IBVET_FUZZ_SEEDS_H

#include <stdio.h>
#include "program/program.h"
#include "cases/generate/case.h"

/* Goes through all cases of a profile, the same each time: 0 or -errno. */
int seed_cases(const struct device_info *d, enum profile profile,
	       bool (*fn)(const struct test_case *c, void *arg), void *arg);

/* What a seed is made of a program: 0 or -errno. */
struct seed_form {
	const char *ending; /* of a file's name */
	bool of_types;	    /* one of each type of queue pair */
	bool of_museum;	    /* and the case that shows each of its faults */
	int (*write)(const struct program *p, FILE *file, void *arg);
	void *arg;
};

/* Its text. */
extern const struct seed_form seed_text, seed_text_of_types;

/* Writes a seed of the first case of each row that the device has cases of into
 * a folder, or of each row and type of queue pair; how many, or -errno with a
 * line in err. */
int seeds_write(const struct device_info *d, const struct seed_form *form,
		const char *folder, char *err, size_t errlen);

#endif

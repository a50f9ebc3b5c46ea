/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The values that generated cases give each field. Many of them are bounds of
 * the contract.
 */
#ifndef IBVET_FUZZ_VALUES_H
#define IBVET_FUZZ_VALUES_H

#include <stdio.h>
#include "fuzz/libfuzzer/fuzz.h"

struct values;

/* Collects the values of the cases for a device. Returns NULL with errno on
 * failure. */
struct values *values_of_cases(const struct device_info *d);
void values_free(struct values *v);
/* Picks a value that some case gives the field. Returns false if none does. */
bool values_pick(const struct values *v, struct chance *c, enum field f,
		 struct value *is);
/* Prints the values as words of a dictionary: lines of "field=value" in quotes,
 * at most sixteen for each field. Returns 0 or -errno. */
int values_print(const struct values *v, FILE *file);

#endif

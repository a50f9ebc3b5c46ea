/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What generated cases give each field: the values at which something of the
 * contract begins or ends.
 */
#ifndef IBVET_FUZZ_VALUES_H
#define IBVET_FUZZ_VALUES_H

#include <stdio.h>
#include "fuzz/libfuzzer/fuzz.h"

struct values;

/* Of the cases for a device; NULL with errno. */
struct values *values_of_cases(const struct device_info *d);
void values_free(struct values *v);
/* One that some case gives the field; false: none does. */
bool values_pick(const struct values *v, struct chance *c, enum field f,
		 struct value *is);
/* As words of a dictionary, "field=value" in quotes, a line each, of each field
 * sixteen at most: 0 or -errno. */
int values_print(const struct values *v, FILE *file);

#endif

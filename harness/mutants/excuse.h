/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Promises of cases that a contested row excuses.
 */
#ifndef IBVET_MUTANTS_EXCUSE_H
#define IBVET_MUTANTS_EXCUSE_H

#include "cases/generate/generate.h"

/* `where` names the model, "" for the default one. */
typedef void (*excuse_fn)(const struct test_case *c, enum row row, enum out out,
			  const char *where, void *arg);

/* Calls fn for each case of the quick profile whose promised call may be
 * refused by another row. Returns 0 or -errno. */
int excuses_each(excuse_fn fn, void *arg);

#endif

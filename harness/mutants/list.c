// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Lists all seeded faults: the museum as it is written, and what the operators
 * make of the contract's tables. The cases must find every fault that has no
 * reason to be hidden.
 */
#include <stdarg.h>
#include <stdio.h>
#include "mutants/lister.h"

const char *mutant_family_name(enum mutant_family family)
{
	static const char *const names[MUTANTS_NR] = {
		[MUTANTS_MUSEUM] = "museum",
		[MUTANTS_FAMILIES] = "families",
		[MUTANTS_CELLS] = "cells",
		[MUTANTS_VENDORS] = "vendors",
	};

	return names[family];
}

void mutants_list(const struct lister *m, const char *klass, const char *origin,
		  const char *format, ...)
{
	char name[MUTANT_NAME_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	m->fn(&(struct mutant_entry){m->family, name, klass, origin, NULL},
	      m->arg);
}

static void each_exhibit(mutant_fn fn, void *arg)
{
	size_t n;
	const struct museum_row *row = museum(&n);

	for (size_t i = 0; i < n; i++)
		fn(&(struct mutant_entry){MUTANTS_MUSEUM, row[i].name,
					  row[i].klass, row[i].origin, NULL},
		   arg);
}

void mutants_each(enum mutant_family family, const struct device_info *d,
		  mutant_fn fn, void *arg)
{
	struct lister m = {d, fn, arg, "", family, family == MUTANTS_VENDORS};

	switch (family) {
	case MUTANTS_MUSEUM:
		each_exhibit(fn, arg);
		break;
	case MUTANTS_FAMILIES:
		mutants_of_outputs(&m);
		mutants_of_device(&m);
		mutants_of_rules(&m);
		mutants_of_modify(&m);
		mutants_of_posts(&m);
		mutants_of_data(&m);
		mutants_of_traffic(&m);
		mutants_of_windows(&m);
		mutants_of_events(&m);
		mutants_of_quirks(&m);
		mutants_of_library(&m);
		mutants_of_reports(&m);
		break;
	case MUTANTS_CELLS:
		mutants_of_cells(d, fn, arg);
		break;
	case MUTANTS_VENDORS:
		mutants_of_vendors(&m);
		mutants_of_vendors_cells(d, fn, arg);
		break;
	case MUTANTS_NR:
		break;
	}
}

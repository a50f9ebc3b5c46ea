/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the smallest program that still shows a finding. A function of the
 * caller says for each candidate whether it does. The same answers lead to the
 * same program.
 */
#ifndef IBVET_FUZZ_SHRINK_H
#define IBVET_FUZZ_SHRINK_H

#include "program/program.h"

struct shrink {
	/* Returns true if the candidate shows the finding. If it always returns
	 * false from some point on, shrinking ends soon. */
	bool (*shows)(const struct program *p, void *arg);
	void *arg;
	const struct device_info *info; /* gives symbols their numbers */
	uint64_t attempts;		/* out: number of candidates */
};

/*
 * Makes a program smaller until no single step helps: leaves out calls,
 * objects, settings and expectations, and simplifies values. Never adds a call
 * or a setting, nor makes a value less simple. Returns 0 or -ENOMEM.
 */
int shrink_program(struct program *p, struct shrink *s);

/*
 * Returns the n-th value that is simpler than a call's setting, the simplest
 * first; returns false if there is no n-th. From simple to less simple: 0, a
 * symbol, 1, an output of an object or a limit, any other number. A smaller
 * number is simpler, and a name that comes earlier in its set, and a mask with
 * fewer bits.
 */
bool simpler_value(const struct program *p, unsigned int call,
		   unsigned int setting, const struct device_info *info,
		   unsigned int n, struct value *v);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The smallest program that still shows what a program shows. What that is,
 * and how it is found out, is the caller's: it is asked about one candidate
 * after the other. The same answers lead to the same program.
 */
#ifndef IBVET_FUZZ_SHRINK_H
#define IBVET_FUZZ_SHRINK_H

#include "program/program.h"

struct shrink {
	/* Does the candidate show it? From where it says no to everything on,
	 * shrinking comes to its end. */
	bool (*shows)(const struct program *p, void *arg);
	void *arg;
	const struct device_info *info; /* whose numbers symbols stand for */
	uint64_t attempts; /* out: candidates that were asked for */
};

/*
 * Makes a program smaller until no single step does: calls left out, objects,
 * settings, expectations, and values towards the simplest. It gets no call, no
 * setting and no value that is less simple. 0 or -ENOMEM.
 */
int shrink_program(struct program *p, struct shrink *s);

/*
 * Simpler values than one that a setting of a call has, the simplest first;
 * false: there is no n-th. The order is 0, a symbol, 1, what an object gave or
 * a limit, any other number. Of two numbers the smaller one is simpler, of two
 * names the one that its set has first, of two masks the one with fewer bits.
 */
bool simpler_value(const struct program *p, unsigned int call,
		   unsigned int setting, const struct device_info *info,
		   unsigned int n, struct value *v);

#endif

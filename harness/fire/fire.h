/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs the part of a program that has threads, from its first `thread` step on,
 * and checks what must hold whatever the schedule is.
 */
#ifndef IBVET_FIRE_FIRE_H
#define IBVET_FIRE_FIRE_H

#include "program/program.h"
#include "target/target.h"

/* Called before and after each call, by one thread at a time. */
struct fire_hooks {
	void (*before)(void *arg, int index, const struct bound *b);
	void (*after)(void *arg, int index, const struct bound *b,
		      const struct outcome *o);
	void *arg;
};

/* The rule that the device broke, or ROW_NONE. */
struct fire_said {
	enum row row;
	char expected[512], observed[512];
};

/* Returns true if the program has a step about threads. */
bool program_has_threads(const struct program *p);

/*
 * Makes the calls of the program from number `first` on. `granted`
 * says which of the calls before succeeded, and `r` holds the objects that they
 * have made. Returns 0, or -errno if the threads cannot
 * run, with the reason in said->observed.
 */
int fire_run(struct target *t, const struct program *p, int first,
	     const bool *granted, struct prog_results *r,
	     const struct fire_hooks *hooks, struct fire_said *said);

#endif

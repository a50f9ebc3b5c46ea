/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The programs of a part of the generated cases, kept, so that nothing but
 * their calls is measured.
 */
#ifndef IBVET_BENCH_PROGRAMS_H
#define IBVET_BENCH_PROGRAMS_H

#include <stddef.h>
#include "cases/generate/case.h"
#include "target/target.h"

struct programs {
	struct program *program; /* n of them */
	size_t n, room, next;
};

/* Keeps the programs of selected cases whose claims hold. Returns 0, or -1 if
 * there are none. */
int programs_keep(struct programs *p, const struct device_info *d,
		  const struct selection *s);
/* Returns the next program; the first one follows the last. */
const struct program *programs_next(struct programs *p);
void programs_drop(struct programs *p);

/* Makes the calls of a program and nothing else. Leaves out a call whose
 * objects do not exist, as a run does. */
void program_call(struct target *t, const struct program *p);

#endif

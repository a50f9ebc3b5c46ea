/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How long a program waits on a device: for all that comes by the model, and
 * hardly for what does not. A program that chance has changed waits for little
 * else.
 */
#ifndef IBVET_FUZZ_WAITS_H
#define IBVET_FUZZ_WAITS_H

#include "judge/judge.h"
#include "program/program.h"
#include "target/target.h"

struct waits {
	struct target *model;
	struct judge *judge;
};

/* For programs of a device like this one: 0 or -ENOMEM. */
int waits_open(struct waits *w, const struct device_info *d);
/* Has polls ask for as many completions as come, those that get nothing end
 * soon, and the others wait long enough for a busy machine; not open: nothing
 * is changed. */
void waits_fit(const struct waits *w, struct program *p);
/* Does each wait that gets something on the model give an idle device the time
 * for it? */
bool waits_are_long(const struct waits *w, const struct program *p);
void waits_close(struct waits *w);

#endif

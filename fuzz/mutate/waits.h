/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how long a changed program waits on a device: long for completions
 * and events that arrive on the model, and short for those that do not. A
 * randomly changed program mostly waits for nothing.
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

/* Opens a model of a device like this one. Returns 0 or -ENOMEM. */
int waits_open(struct waits *w, const struct device_info *d);
/* Changes the waits of a program. A poll asks for the number of completions
 * that arrive on the model. A wait that gets nothing there is short; any other
 * wait is long enough for a busy machine. Does nothing if `w` is not open. */
void waits_fit(const struct waits *w, struct program *p);
/* Returns true if each wait that gets something on the model is long enough for
 * an idle device. */
bool waits_are_long(const struct waits *w, const struct program *p);
void waits_close(struct waits *w);

#endif

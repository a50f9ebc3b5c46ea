/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A virtual device with a seeded fault below its libraries.
 */
#ifndef IBVET_KILL_DEVICE_H
#define IBVET_KILL_DEVICE_H

#include "judge/judge.h"
#include "mutants/mutant.h"

struct kill_device;

/* By name, which has to outlive it. 0, or -errno with a line in err; what it
 * claims. */
int kill_device_open(const char *name, struct kill_device **d,
		     struct device_info *info, char *err, size_t errlen);
void kill_device_close(struct kill_device *d);

/* The next program is another one. */
void kill_device_next(struct kill_device *d);
/* What a program shows of a fault that the healthy device does not: nothing is
 * VERDICT_PASS. A device that cannot be tried any more shows nothing, and
 * kill_device_error() is a line. */
enum verdict kill_device_try(struct kill_device *d, const struct program *p,
			     const struct mutant *mutant);
const char *kill_device_error(const struct kill_device *d);

#endif

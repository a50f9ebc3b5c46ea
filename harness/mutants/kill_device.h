/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A virtual device with a seeded fault below its libraries.
 */
#ifndef IBVET_KILL_DEVICE_H
#define IBVET_KILL_DEVICE_H

#include "judge/judge.h"
#include "mutants/mutant.h"

struct kill_device;

/* Opens a device by name; the name has to outlive it. Fills `info` with what
 * the device claims. Returns 0, or -errno with a message in err. */
int kill_device_open(const char *name, struct kill_device **d,
		     struct device_info *info, char *err, size_t errlen);
void kill_device_close(struct kill_device *d);

/* Has to be called before each new program. */
void kill_device_next(struct kill_device *d);
/* Returns the verdict on a program with a fault if it is worse than the healthy
 * device's, else VERDICT_PASS. After an error every attempt passes, and
 * kill_device_error() returns the message. */
enum verdict kill_device_try(struct kill_device *d, const struct program *p,
			     const struct mutant *mutant);
const char *kill_device_error(const struct kill_device *d);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Opens and closes a device before the first worker does. The recorder then
 * holds what the device says about itself.
 */
#ifndef IBVET_PROBE_H
#define IBVET_PROBE_H

#include "supervise/watch.h"
#include "target/target.h"

struct probe {
	const char *device;
	const struct target_options *options;
	/* Called while the device is open; returns CHILD_DONE or
	 * CHILD_GAVE_UP. May be NULL. */
	int (*look)(struct target *t, void *arg);
	void *arg;
};

/* Probes in a process of its own. Returns 0, or an enum run_exit with one line
 * in the recorder. */
int probe_device(struct watch *w, const struct probe *p);
/* Probes in this process. Returns CHILD_DONE, or CHILD_GAVE_UP with one line
 * in the recorder. */
int probe_here(struct recorder *r, const struct probe *p);

#endif

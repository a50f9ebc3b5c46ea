/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Checks the targets of a run before anything is written: that each opens, how
 * many cases it has, and that every id selects a case.
 */
#ifndef IBVET_TARGETS_H
#define IBVET_TARGETS_H

#include "expect/expect.h"
#include "supervise/watch.h"

struct target_names {
	int n;
	char name[RUN_MAX_TARGETS][RUN_NAME_LEN];
};

struct found_target {
	bool live;
	const char *kind;
	uint64_t cases;
	struct device_info info, second; /* info.second: NULL or &second */
	/* The profiles of the device, and of a second device that differs */
	struct expect_list expect, second_expect;
	/* The kernel log of the probe, if it has a report, else NULL */
	struct kernel_log *opening;
};

/*
 * Fills found[] for each target. Without a device in o->device, takes all that
 * are here. Returns true if the run cannot begin, with one line in err and the
 * exit status in *status.
 */
bool targets_find(struct run_options *o, struct target_names *names,
		  struct watch *w, struct found_target *found, char *err,
		  size_t errlen, int *status);
/* Returns true if there is such a device, or if the name may be that of a
 * variant; else false with one line in err. */
bool targets_know(const char *name, char *err, size_t errlen);
void targets_free(struct found_target *found);

#endif

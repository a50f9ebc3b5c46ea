/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The targets of a run, looked at before anything is written: does each open,
 * how many cases has it, does every id select something.
 */
#ifndef IBVET_TARGETS_H
#define IBVET_TARGETS_H

#include "expect/expect.h"
#include "supervise/watch.h"

struct target_names {
	int n;
	char name[RUN_MAX_TARGETS][RUN_NAME_LEN];
};

struct found {
	bool live;
	uint64_t cases;
	struct expect_list expect;
	struct kernel_log *opening; /* with a report; NULL: there was none */
};

/*
 * Fills o->device from what is here when it is empty, and found[] for each.
 * Returns true with one line in err and the exit status when the run cannot
 * begin.
 */
bool targets_find(struct run_options *o, struct target_names *names,
		  struct watch *w, struct found *found, char *err,
		  size_t errlen, int *status);
/* Is there such a device, or the variant of one? Else one line in err. */
bool targets_know(const char *name, char *err, size_t errlen);
void targets_free(struct found *found);

#endif

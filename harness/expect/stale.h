/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reports stale lines of a profile at the end of a target.
 */
#ifndef IBVET_STALE_H
#define IBVET_STALE_H

#include "run/case_end.h"

/*
 * Adds to the journal an end event for each line that matched several cases, if
 * all of these went well and no other case matches the line. After a run of all
 * cases of the full profile, adds one also for each line that matches no case
 * of any profile. Returns 0, or -errno with one line in err.
 */
int stale_write(struct case_writer *e, const struct run_options *o,
		const struct device_info *info, char *err, size_t errlen);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reports stale lines of a profile at the end of a target.
 */
#ifndef IBVET_STALE_H
#define IBVET_STALE_H

#include "run/case_end.h"

/*
 * Adds an end event to the journal for each line with a prefix or a glob, if
 * all cases that it matched went well and no other case matches the line. After
 * a run of all cases of --profile full, also adds an end event for each line
 * that matches no case of any profile, on either link layer and with a second
 * device. Returns 0, or -errno with one line in err.
 */
int stale_write(struct case_writer *e, const struct run_options *o,
		const struct device_info *info, char *err, size_t errlen);

#endif

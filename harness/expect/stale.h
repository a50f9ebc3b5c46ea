/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The lines of a profile that match several cases, at the end of a target.
 */
#ifndef IBVET_STALE_H
#define IBVET_STALE_H

#include "run/case_end.h"

/*
 * Adds to the journal an end event for each line of the profile that matched
 * only cases that went well, if these were all that there are for it: a part
 * of the cases leaves it unsaid. A run of all
 * cases of the full profile adds one for each line that is about none of them.
 * Returns 0, or -errno with one line in err.
 */
int stale_write(struct case_writer *e, const struct run_options *o,
		const struct device_info *info, char *err, size_t errlen);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a device is known to do wrong, and what chance showed of it: does its
 * profile have a line about that?
 */
#ifndef IBVET_FUZZ_KNOWN_DEVIATION_H
#define IBVET_FUZZ_KNOWN_DEVIATION_H

#include "expect/expect.h"
#include "supervise/recorder.h"

/* The profile in `file`, or where that is NULL the one that comes with ibvet
 * for the device's driver, if there is one. 0, or -errno with a line in err. */
int known_deviations_read(struct expect_list *list, const char *file,
			  const struct device_info *d, char *err, size_t len);

/* Makes a case of what the recorder's program showed: its id, its row, and
 * which lines are about it. `key` is that of hunt/finding_key.h. */
void known_deviation_set_case(struct recorder *r, const struct judgement *j,
			      const char *key);
/* Is there a line about that case? */
bool is_known_deviation(const struct expect_list *list,
			const struct recorder *r, const struct judgement *j);

#endif

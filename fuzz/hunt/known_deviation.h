/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Known deviations of a device: looks up whether the device's profile has a
 * line about a finding.
 */
#ifndef IBVET_FUZZ_KNOWN_DEVIATION_H
#define IBVET_FUZZ_KNOWN_DEVIATION_H

#include "expect/expect.h"
#include "supervise/recorder.h"

/* Reads the profile in `file`, or if that is NULL ibvet's own profile for the
 * device's driver, if there is one. Returns 0, or -errno with a line in err. */
int known_deviations_read(struct expect_list *list, const char *file,
			  const struct device_info *d, char *err, size_t len);

/* Makes the recorder's program a case that shows a finding: sets the case's id,
 * its rule, and whether "rule:" lines of the profile hold for it. `key` is the
 * finding's key. */
void known_deviation_set_case(struct recorder *r, const struct judgement *j,
			      const char *key);
/* Returns true if the profile has a line about that case. */
bool is_known_deviation(const struct expect_list *list,
			const struct recorder *r, const struct judgement *j);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Generated cases as programs that a fuzzer begins with.
 */
#ifndef IBVET_FUZZ_SEEDS_H
#define IBVET_FUZZ_SEEDS_H

#include <stddef.h>
#include "contract/device.h"

/* Writes the first case of each row that the device has cases of into files of
 * a folder; how many, or -errno with a line in err. */
int seeds_write(const struct device_info *d, const char *folder, char *err,
		size_t errlen);

#endif

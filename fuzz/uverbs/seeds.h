/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes seeds of the fuzz target `uverbs`: the commands that a provider sends
 * while generated cases run on a virtual device.
 */
#ifndef IBVET_FUZZ_COMMAND_SEEDS_H
#define IBVET_FUZZ_COMMAND_SEEDS_H

#include "fuzz/uverbs/commands.h"

/* Writes a seed for each rule into a folder. Returns how many, or -errno with a
 * line in err. */
int command_seeds(const char *device, const struct entries *entries,
		  const char *folder, char *err, size_t errlen);

/* Replaces virtual_ioctl(): the target is linked with --wrap=virtual_ioctl. */
int __wrap_virtual_ioctl(struct virtual_file *f,
			 struct ib_uverbs_ioctl_hdr *hdr);
int __real_virtual_ioctl(struct virtual_file *f,
			 struct ib_uverbs_ioctl_hdr *hdr);

#endif

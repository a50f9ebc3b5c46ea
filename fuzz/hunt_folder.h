/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The folders of a hunt beside what every run has.
 */
#ifndef IBVET_FUZZ_HUNT_FOLDER_H
#define IBVET_FUZZ_HUNT_FOLDER_H

#include <stdio.h>

#define HUNT_CORPUS   "corpus" /* what was kept */
#define HUNT_SEEDS    "seeds"  /* what `program` and `create` begin with */
#define HUNT_FOUND_IN "found"  /* findings before they were shrunk */

static inline void hunt_folder(char *path, size_t len, const char *dir,
			       const char *name)
{
	snprintf(path, len, "%s/%s", dir, name);
}

#endif

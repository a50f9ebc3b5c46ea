/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The folders of a hunt beside what every run has.
 */
#ifndef IBVET_FUZZ_HUNT_FOLDER_H
#define IBVET_FUZZ_HUNT_FOLDER_H

#include <stdio.h>
#include "run/whole_file.h"

#define HUNT_CORPUS   "corpus" /* what was kept */
#define HUNT_SEEDS    "seeds"  /* what `program` and `create` begin with */
#define HUNT_FOUND_IN "found"  /* findings before they were shrunk */

static inline void hunt_folder(char *path, size_t len, const char *dir,
			       const char *name)
{
	snprintf(path, len, "%s/%s", dir, name);
}

static inline int hunt_file_open(struct whole_file *w, const char *dir,
				 const char *name, char *err, size_t len)
{
	char path[RUN_PATH_LEN];

	hunt_folder(path, sizeof(path), dir, name);
	return whole_file_open(w, path, err, len);
}

#endif

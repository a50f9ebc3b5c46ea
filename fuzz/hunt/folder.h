/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The folders of a hunt, beside the files that every run has.
 */
#ifndef IBVET_FUZZ_HUNT_FOLDER_H
#define IBVET_FUZZ_HUNT_FOLDER_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include "journal/whole_file.h"

#define HUNT_CORPUS   "corpus" /* programs that reached something new */
#define HUNT_SEEDS    "seeds"  /* programs that a hunt begins with */
#define HUNT_FOUND_IN "found"  /* findings before they were shrunk */

/* Prints the path of a folder. Returns false, with an empty path, if it is too
 * long. */
static inline bool hunt_folder(char *path, size_t len, const char *dir,
			       const char *name)
{
	int n = snprintf(path, len, "%s/%s", dir, name);

	if (n >= 0 && (size_t)n < len)
		return true;
	path[0] = '\0';
	return false;
}

static inline int hunt_folder_too_long(const char *dir, char *err, size_t len)
{
	snprintf(err, len,
		 "%.1000s: the name is too long; choose another --out", dir);
	return -ENAMETOOLONG;
}

static inline int hunt_file_open(struct whole_file *w, const char *dir,
				 const char *name, char *err, size_t len)
{
	char path[RUN_PATH_LEN];

	if (!hunt_folder(path, sizeof(path), dir, name))
		return hunt_folder_too_long(dir, err, len);
	return whole_file_open(w, path, err, len);
}

#endif

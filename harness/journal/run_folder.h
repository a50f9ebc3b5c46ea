/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes and locks the folder of a run.
 */
#ifndef IBVET_FOLDER_H
#define IBVET_FOLDER_H

#include <stddef.h>

/* Makes `out` and the folders above it. If out is NULL, makes a new folder
 * under runs/. `dir` receives the name. Returns 0, or -errno with one line in
 * err. */
int run_folder_make(const char *out, char *dir, size_t dirlen, char *err,
		    size_t errlen);

/* Locks the folder against another ibvet. Returns a descriptor that holds the
 * lock while it is open, or -errno with one line in err. */
int run_folder_lock(const char *dir, char *err, size_t errlen);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The folder of a run.
 */
#ifndef IBVET_FOLDER_H
#define IBVET_FOLDER_H

#include <stddef.h>

/* Makes `out` and what is above it, or a new folder under runs/ when out is
 * NULL; dir receives its name. 0, or -errno with one line in err. */
int folder_make(const char *out, char *dir, size_t dirlen, char *err,
		size_t errlen);

/* Nobody else works on the run of that folder while the descriptor is open:
 * that, or -errno with one line in err. */
int folder_lock(const char *dir, char *err, size_t errlen);

#endif

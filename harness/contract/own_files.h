/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the files that come with ibvet from the place of the program, so that
 * it can be installed anywhere, and copied to another machine.
 */
#ifndef IBVET_OWN_FILES_H
#define IBVET_OWN_FILES_H

#include <stddef.h>

/* Writes the path of a data file of ibvet: a program of a case, a profile of a
 * driver, a device file, a part of the lab. The format with its arguments is
 * the file's path in the source tree. Returns 0, -ENOENT if there is none, and
 * then the path is that where it ought to be, or another negative error. */
int own_data(char *path, size_t len, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for a library that ibvet preloads. */
int own_library(char *path, size_t len, const char *name);

#endif

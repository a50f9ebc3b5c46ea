/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The files of a hunt about the kernel's code:
 *
 *	kernel-points		the address of each point, and the steps of its
 *				counts, as bits (see kernel_reach.h)
 *	kernel-functions.csv	how many points of each function were reached
 *
 * IBVET_KALLSYMS names another file than /proc/kallsyms.
 */
#ifndef IBVET_FUZZ_KERNEL_FILES_H
#define IBVET_FUZZ_KERNEL_FILES_H

#include <stddef.h>

/* Return 0, or -errno with a line in err. */
int kernel_points_write(const char *dir, char *err, size_t len);
/* Writes no file if the kernel does not tell the addresses of its functions. */
int kernel_functions_write(const char *dir, char *err, size_t len);
/* Reads the points of an earlier process, if there are any. */
void kernel_points_read(const char *dir);

#endif

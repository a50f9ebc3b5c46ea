/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The files of a hunt about the kernel's code:
 *
 *	kernel-points		each point, as its address, and how often a
 *				program went through it, as bits of steps
 *	kernel-functions.csv	how many points of each function were reached
 *
 * IBVET_KALLSYMS names another file than /proc has.
 */
#ifndef IBVET_FUZZ_KERNEL_FILES_H
#define IBVET_FUZZ_KERNEL_FILES_H

#include <stddef.h>

/* 0, or -errno with a line in err. */
int kernel_points_write(const char *dir, char *err, size_t len);
/* Nothing is written where the kernel does not tell its functions. */
int kernel_functions_write(const char *dir, char *err, size_t len);
/* What an earlier process wrote, if it did, is reached. */
void kernel_points_read(const char *dir);

#endif

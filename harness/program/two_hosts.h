/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes a program of two devices as a C file that runs on two hosts at once,
 * and needs nothing but libibverbs.
 */
#ifndef IBVET_PROGRAM_TWO_HOSTS_H
#define IBVET_PROGRAM_TWO_HOSTS_H

#include "program/program.h"

/* Returns 0, or -errno: -ENODEV for a program of one device, -EXDEV if a call
 * needs objects, or results other than numbers of objects, of both hosts. */
int prog_export_two_hosts(const struct program *p, const char *name,
			  FILE *file);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs a program, with a text as its standard input, and takes what it prints.
 */
#ifndef IBVET_FLEET_COMMAND_H
#define IBVET_FLEET_COMMAND_H

#include <stddef.h>

/* Sets *out, which the caller frees, to the standard output. Returns the exit
 * status, or -errno if the program cannot be started or is killed. If that is
 * not 0, err has one line. */
int command_status(const char *const *argv, const char *input, char **out,
		   char *err, size_t errlen);
/* Returns 0, or -errno with one line in err, also if the program fails. */
int command_run(const char *const *argv, const char *input, char **out,
		char *err, size_t errlen);

#endif

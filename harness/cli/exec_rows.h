/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet exec --rows: counts the rows of the contract that a command reaches.
 */
#ifndef IBVET_CLI_EXEC_ROWS_H
#define IBVET_CLI_EXEC_ROWS_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct exec_rows {
	const char *name; /* of the file to write */
	FILE *to;
	uint64_t *count;       /* mapped from the file `shared` */
	char shared[PATH_MAX]; /* in which the command counts */
};

/* Opens the file `name` for writing, and makes the shared file in `folder`.
 * Returns 0, or -1 with errno and the name of the failed file in *about. */
int exec_rows_begin(struct exec_rows *r, const char *name, const char *folder,
		    const char **about);
/* After the command: writes each row with its count, and prints how many rows
 * were reached. Returns 0, or -1 with errno. */
int exec_rows_end(struct exec_rows *r);

#endif

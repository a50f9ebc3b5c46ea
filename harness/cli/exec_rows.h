/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The counts of `ibvet exec --rows`, written when the command has ended.
 */
#ifndef IBVET_CLI_EXEC_ROWS_H
#define IBVET_CLI_EXEC_ROWS_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct exec_rows {
	const char *name;
	FILE *to;
	uint64_t *count;
	char shared[PATH_MAX]; /* the file that the command counts in */
};

/* Opens the file called `name`, and makes a file of counts in a folder. Returns
 * 0, or -1 with errno and the name of the file that failed. */
int exec_rows_begin(struct exec_rows *r, const char *name, const char *folder,
		    const char **about);
/* Writes the rows; returns 0, or -1 with errno. */
int exec_rows_end(struct exec_rows *r);

#endif

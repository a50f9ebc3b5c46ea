/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What `ibvet exec --rows` writes when the command has ended.
 */
#ifndef IBVET_EXEC_ROWS_H
#define IBVET_EXEC_ROWS_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct exec_rows {
	const char *name;
	FILE *to;
	uint64_t *count;
	char shared[PATH_MAX]; /* the file of counts, for the command */
};

/* The file can be written, and there are counts in a folder: 0, or -1 with
 * errno and what it is about. */
int exec_rows_begin(struct exec_rows *r, const char *name, const char *folder,
		    const char **about);
/* 0, or -1 with errno. */
int exec_rows_end(struct exec_rows *r);

#endif

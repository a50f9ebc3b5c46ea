/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The arguments of repro and shrink, which read one program and write one file.
 */
#ifndef IBVET_CLI_ONE_FILE_H
#define IBVET_CLI_ONE_FILE_H

#include "cli/cli.h"

struct one_file {
	const char *command; /* "repro" or "shrink", for errors */
	const char *takes;   /* the argument in errors: "file" */
	const char *missing; /* the error if there is no argument */
	struct device_choice choice;
	const char *from; /* "-": standard input */
	const char *to;	  /* NULL: standard output */
};

/* The argp of a subcommand has one_file_child as its children. The input of the
 * child is a struct one_file. */
extern const struct argp one_file_argp;
extern const struct argp_child one_file_child[];

/* Returns true if the program is read from standard input ("-"). */
bool one_file_is_stdin(const struct one_file *f);
/* Reads the program. Returns 0, or prints an error and returns EXIT_USAGE. */
int one_file_read(const struct one_file *f, struct program *p);

/* Opens the output and calls `print` with the program and the name of its file.
 * Returns 0, or prints an error and returns EXIT_HARNESS. */
int one_file_write(const struct one_file *f, const struct program *p,
		   int (*print)(const struct program *p, const char *name,
				FILE *file));

#endif

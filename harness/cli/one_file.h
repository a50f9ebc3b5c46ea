/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The arguments of subcommands that take one program and write one file.
 */
#ifndef IBVET_CLI_ONE_FILE_H
#define IBVET_CLI_ONE_FILE_H

#include "cli/cli.h"

struct one_file {
	const char *command; /* "repro" */
	const char *takes;   /* "file", for an error */
	const char *missing; /* the error if none is given */
	struct device_choice choice;
	const char *from; /* "-": standard input */
	const char *to;	  /* NULL: standard output */
};

/* A parser lists one_file_argp as a child, with a struct one_file as the
 * child's input. */
extern const struct argp one_file_argp;
extern const struct argp_child one_file_child[];

/* Returns true if "-", standard input, was named. */
bool one_file_is_input(const struct one_file *f);
/* Reads the program. Returns 0, or prints an error and returns EXIT_USAGE. */
int one_file_read(const struct one_file *f, struct program *p);

/* Writes a program with `print`. Returns 0, or prints an error and returns
 * EXIT_HARNESS. */
int one_file_write(const struct one_file *f, const struct program *p,
		   int (*print)(const struct program *p, const char *name,
				FILE *file));

#endif

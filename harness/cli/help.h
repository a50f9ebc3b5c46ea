/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What tells about the subcommands. Each has its options in a table that argp
 * parses by; help, man page and completion are made of the same.
 */
#ifndef IBVET_HELP_H
#define IBVET_HELP_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

/* "ibvet help …" and "ibvet --help": the exit status. */
int help(const struct subcommand *commands, size_t n, int argc, char **argv);

/* What each subcommand has besides its own: --describe=FORM, which is in no
 * help. Prints the subcommand called `title` in that form. False: there is no
 * such form. */
bool describe(const struct argp *argp, const char *title, const char *form);

#endif

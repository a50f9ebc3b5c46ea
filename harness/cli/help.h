/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Help, man page and completion, all made from the tables that argp parses the
 * arguments of subcommands with.
 */
#ifndef IBVET_CLI_HELP_H
#define IBVET_CLI_HELP_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

/* "ibvet help …" and "ibvet --help"; returns the exit status. */
int cli_help(const struct subcommand *commands, size_t n, int argc,
	     char **argv);

/* The hidden option --describe=FORM of each subcommand: prints the subcommand
 * called `title` in that form. Returns false if there is no such form. */
bool cli_describe(const struct argp *argp, const char *title, const char *form);

#endif

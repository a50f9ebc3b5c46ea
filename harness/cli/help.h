/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Help, man page and completion. All are made from the argp tables with which
 * the subcommands parse their arguments.
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

/* "ibvet help …", and with an argc of 0 "ibvet --help". Returns the exit
 * status. */
int cli_help(const struct subcommand *commands, size_t n, int argc,
	     char **argv);

/* The hidden option --describe=FORM: describes the subcommand called `title`
 * ("ibvet run") in the form "man" or "table". Returns false if the form is
 * neither. */
bool cli_describe(const struct argp *argp, const char *title, const char *form);

#endif

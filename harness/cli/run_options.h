/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The options that ibvet run and ibvet replay share.
 */
#ifndef IBVET_CLI_RUN_OPTIONS_H
#define IBVET_CLI_RUN_OPTIONS_H

#include "cli/cli.h"
#include "run/run.h"

struct run_arguments {
	struct run_options run;
	struct device_choice device; /* parsed by target_argp; name is unused */
	/* An option of ibvet run alone that was given although --resume takes
	 * its value from the journal, or NULL. */
	const char *kept;
};

/* The children of the argps of run and replay. The input of both argps, and of
 * the child, is a struct run_arguments. */
extern const struct argp_child run_child[];

/* Parses the arguments and runs the cases. Returns the exit status. */
int run_arguments_run(const struct argp *argp, int argc, char **argv);

#endif

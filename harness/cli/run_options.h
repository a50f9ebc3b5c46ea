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
	struct device_choice device; /* parsed by target_argp */
	const char *kept; /* an option that --resume takes from the journal */
};

/* A parser lists run_argp as a child, with a struct run_arguments as the
 * child's input. */
extern const struct argp run_argp;

void run_arguments_init(struct run_arguments *a);
/* Runs, once all arguments are parsed; returns the exit status. */
int run_arguments_run(struct run_arguments *a);

#endif

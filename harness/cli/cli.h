/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The subcommands of ibvet. Each parses its own arguments with argp, prints
 * to standard output, and returns the exit status of the program.
 */
#ifndef IBVET_CLI_H
#define IBVET_CLI_H

#include <argp.h>
#include "cases/generate/case.h"
#include "target/target.h"

enum exit_status {
	EXIT_AS_EXPECTED = 0,
	EXIT_UNEXPECTED = 1, /* a deviation, or the like */
	EXIT_HARNESS = 2,    /* ibvet itself failed */
	EXIT_USAGE = 3,
	EXIT_NOTHING = 77, /* nothing applied */
};

/* Each is called with argv[0] "ibvet NAME". */
int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_devices(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_shrink(int argc, char **argv);
int cmd_repro(int argc, char **argv);
int cmd_mutants(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_fuzz(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_merge(int argc, char **argv);

/*
 * argp_parse with errors as one line and exit status 3. `input` reaches the
 * parser as state->input.
 */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Prints "ibvet NAME: what" to standard error; returns EXIT_USAGE. */
int cli_usage(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "quick", "full" or "exhaustive", or the end of the program */
enum profile cli_profile(struct argp_state *state, const char *name);
/* The arguments that are left, from argp's ARGP_KEY_ARGS on, as ids. */
void cli_ids(struct argp_state *state, struct selection *s);

/*
 * The options by which a subcommand chooses its device: -d, -i, -x, -m and
 * --limits. A parser lists device_argp as a child, with a struct
 * device_choice as the child's input; target_argp is the same without -d, for
 * those that take several devices.
 */
struct device_choice {
	const char *name; /* the last -d; "model" when there was none */
	bool given;	  /* there was one */
	struct target_options options;
};

extern const struct argp device_argp, model_argp;
extern const struct argp_child device_child[]; /* it alone */
extern const struct argp_child model_child[];  /* as well, and says that the
						  model is the default */
extern const struct argp target_argp;

/* What an option was given, or the end of the program where that is empty. */
const char *cli_given(struct argp_state *state, const char *option,
		      const char *text);
/* A number from low to high, or the end of the program. */
uint64_t cli_number(struct argp_state *state, const char *option,
		    const char *text, uint64_t low, uint64_t high);
/* K/N: part K of N, from 1. */
void cli_shard(struct argp_state *state, const char *text, unsigned int *k,
	       unsigned int *n);
unsigned int cli_timeout_ms(struct argp_state *state, const char *text);
/* Of --time, where 0 is no limit. */
int64_t cli_time_ms(struct argp_state *state, const char *text);
#define SEED_HELP "that of the run (default: 1)"
void device_choice_init(struct device_choice *choice);
/* An option that was given of a device and its port, NULL: none. What goes on
 * has them from before. */
const char *device_choice_given(const struct device_choice *choice);

/* Writes what is still buffered; 0, or EXIT_HARNESS with a line when the
 * output could not be written. */
int cli_flush(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The subcommands of ibvet. Each parses its own arguments with argp, prints
 * to standard output, and returns the exit status of the program.
 */
#ifndef IBVET_CLI_CLI_H
#define IBVET_CLI_CLI_H

#include <argp.h>
#include "cases/generate/case.h"
#include "target/target.h"

enum exit_status {
	EXIT_AS_EXPECTED = 0,
	EXIT_UNEXPECTED = 1, /* a deviation or another failure */
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
 * Calls argp_parse; on an error prints one line and exits with status 3.
 * `input` reaches the parser as state->input.
 */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Prints "ibvet NAME: MESSAGE" to standard error; returns EXIT_USAGE. */
int cli_usage(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Parses "quick", "full" or "exhaustive", or exits. */
enum profile cli_profile(struct argp_state *state, const char *name);
/* Takes the remaining arguments, from argp's ARGP_KEY_ARGS on, as ids. */
void cli_ids(struct argp_state *state, struct selection *s);

/*
 * The options by which a subcommand chooses its device: -d, -i, -x, -m,
 * --limits and others. A parser lists device_argp as a child, with a struct
 * device_choice as the child's input. target_argp lacks -d, for subcommands
 * that take several devices.
 */
struct device_choice {
	const char *name; /* the last -d; "model" if none was given */
	bool given;	  /* -d was given */
	struct target_options options;
};

extern const struct argp device_argp, model_argp;
extern const struct argp target_argp;
/* Lists of children with device_argp alone, and with model_argp alone, whose
 * help says that the model is the default */
extern const struct argp_child device_child[], model_child[];

/* Returns the text that an option was given, or exits if the text is empty. */
const char *cli_given(struct argp_state *state, const char *option,
		      const char *text);
/* Returns a number from low to high, or exits. */
uint64_t cli_number(struct argp_state *state, const char *option,
		    const char *text, uint64_t low, uint64_t high);
/* Parses K/N: part K of N, from 1. */
void cli_shard(struct argp_state *state, const char *text, unsigned int *k,
	       unsigned int *n);
unsigned int cli_timeout_ms(struct argp_state *state, const char *text);
/* Parses the seconds of --time, where 0 is no limit. */
int64_t cli_time_ms(struct argp_state *state, const char *text);
#define SEED_HELP "seed of the run (default: 1)"
void device_choice_init(struct device_choice *choice);
/* Returns an option for the device or its port that was given, or NULL. A run
 * that is resumed must not be given one. */
const char *device_choice_given(const struct device_choice *choice);

/* Flushes standard output. Returns 0, or prints one line and returns
 * EXIT_HARNESS if the output cannot be written. */
int cli_flush(const char *name);

#endif

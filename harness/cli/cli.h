/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The subcommands of ibvet, and the parsing of arguments that they share. Each
 * subcommand parses its own arguments with argp, prints to standard output, and
 * returns the exit status of the program.
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
	EXIT_NOTHING = 77, /* the device supports none of the cases */
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
int cmd_history(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_interop(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_fleet(int argc, char **argv);

/*
 * Parses the arguments of a subcommand. On an error prints one line and exits
 * with EXIT_USAGE. The parser of `argp` gets `input` as state->input.
 */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Prints "ibvet NAME: MESSAGE" to standard error; returns EXIT_USAGE. */
int cli_usage(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints "ibvet NAME: ERR" to standard error for a function that returned
 * -errno. Returns EXIT_USAGE if a name that the user gave is wrong, else
 * EXIT_HARNESS. */
int cli_failure(const char *name, int ret, const char *err);

/* The functions from here to cli_time_ms() return the value of an option. If
 * the text is not valid, they print one line and exit with EXIT_USAGE. */

/* Parses "quick", "full" or "exhaustive". */
enum profile cli_profile(struct argp_state *state, const char *name);
/* For ARGP_KEY_ARGS: takes all arguments that are left as ids of cases. */
void cli_ids(struct argp_state *state, struct selection *s);
/* Returns the text itself, which must not be empty. */
const char *cli_given(struct argp_state *state, const char *option,
		      const char *text);
/* Parses a number from low to high. */
uint64_t cli_number(struct argp_state *state, const char *option,
		    const char *text, uint64_t low, uint64_t high);
/* Parses K/N: part K, counted from 1, of N parts. */
void cli_shard(struct argp_state *state, const char *text, unsigned int *k,
	       unsigned int *n);
/* Parses the seconds of --timeout. Returns milliseconds. */
unsigned int cli_timeout_ms(struct argp_state *state, const char *text);
/* Parses the seconds of --time. Returns milliseconds, 0 for no limit. */
int64_t cli_time_ms(struct argp_state *state, const char *text);
#define SEED_HELP "seed of the run (default: 1)"

/*
 * The options with which a subcommand chooses its device: -d, -i, -x, -m,
 * --limits and others. The argp of a subcommand has device_child or model_child
 * as its children; the input of the child is a struct device_choice. In
 * model_child the help of -d says that the model is the default. A subcommand
 * that takes several devices has target_argp, which lacks -d.
 */
struct device_choice {
	const char *name; /* the last -d; "model" if there was none */
	bool given;	  /* -d was given */
	struct target_options options;
};

extern const struct argp device_argp, model_argp;
extern const struct argp target_argp;
/* --peer and its options, for subcommands that also have target_argp. The input
 * is the same. */
extern const struct argp peer_argp;
extern const struct argp_child device_child[], model_child[];

void device_choice_init(struct device_choice *choice);
/* Returns the name of an option for the device or its port that was given, NULL
 * if there was none. --resume excludes these options. */
const char *device_choice_given(const struct device_choice *choice);

/* Flushes standard output. Returns 0, or prints one line and returns
 * EXIT_HARNESS if the output cannot be written. */
int cli_flush(const char *name);

#endif

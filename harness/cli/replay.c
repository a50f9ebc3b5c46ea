/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet replay: runs programs from files. Each program is a case that is named
 * after its file.
 */
#include "cli/run_options.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_arguments *a = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = a;
		return 0;
	case ARGP_KEY_ARGS:
		a->run.programs =
			(const char *const *)state->argv + state->next;
		a->run.nprograms = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name a program file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_replay(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Runs program files (.ibv) on devices and judges every "
		       "call, with the same reports as \"ibvet run\".\v"
		       "Exit status: 0 all as expected, 1 something "
		       "unexpected, 2 ibvet failed, 3 usage, 77 the devices "
		       "support none of the programs.",
		.children = run_child,
	};

	return run_arguments_run(&argp, argc, argv);
}

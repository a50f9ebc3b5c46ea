/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet run: parses the options that ibvet replay does not have: cases, seed,
 * shard, time limit and --resume.
 */
#include <stdlib.h>
#include <string.h>
#include "cli/run_options.h"

enum {
	OPT_PROFILE = 0x300,
	OPT_RESUME,
	OPT_RETRY,
	OPT_SHARD,
	OPT_SHARD_PLAN,
	OPT_SEED,
	OPT_TIME
};

static void read_plan(struct argp_state *state, const char *path,
		      struct run_options *o)
{
	char err[RUN_ERROR_LEN];

	shard_plan_free(&o->plan);
	if (shard_plan_read(&o->plan, path, err, sizeof(err)))
		argp_error(state, "--shard-plan: %s", err);
	o->selection.plan = o->plan.n ? &o->plan : NULL;
}

/* A case in a part that there is not would run in none. */
static void check_plan(struct argp_state *state, const struct run_options *o)
{
	for (size_t i = 0; i < o->plan.n; i++)
		if (o->plan.move[i].shard > o->selection.shards)
			argp_error(state,
				   "--shard-plan: the case %s belongs to part "
				   "%u, and --shard has %u",
				   o->plan.move[i].id, o->plan.move[i].shard,
				   o->selection.shards);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = a;
		return 0;
	case OPT_PROFILE:
		a->run.selection.profile = cli_profile(state, arg);
		a->kept = "--profile";
		return 0;
	case OPT_RESUME:
		a->run.resume = cli_given(state, "--resume", arg);
		return 0;
	case OPT_RETRY:
		a->run.retry_lost = true;
		return 0;
	case OPT_SHARD:
		cli_shard(state, arg, &a->run.selection.shard,
			  &a->run.selection.shards);
		a->kept = "--shard";
		return 0;
	case OPT_SHARD_PLAN:
		read_plan(state, arg, &a->run);
		a->kept = "--shard-plan";
		return 0;
	case OPT_SEED:
		a->run.selection.seed =
			cli_number(state, "--seed", arg, 0, INT64_MAX);
		a->kept = "--seed";
		return 0;
	case OPT_TIME:
		a->run.time_ms = cli_time_ms(state, arg);
		return 0;
	case ARGP_KEY_END:
		check_plan(state, &a->run);
		return 0;
	case ARGP_KEY_ARGS:
		cli_ids(state, &a->run.selection);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"profile", OPT_PROFILE, "PROFILE", 0,
	 "quick, full or exhaustive (default: quick)", 0},
	{"resume", OPT_RESUME, "DIR", 0,
	 "continue the run in DIR after a crash or a full disk; the case that "
	 "was interrupted counts as lost and is not run again",
	 0},
	{"retry-lost", OPT_RETRY, NULL, 0,
	 "with --resume: run the interrupted case again", 0},
	{"shard", OPT_SHARD, "K/N", 0,
	 "divide the cases into N equal parts, and run part K, from 1 to N", 0},
	{"shard-plan", OPT_SHARD_PLAN, "FILE", 0,
	 "cases that belong to another part than their id says: lines \"K "
	 "ID\"; give all parts the same file",
	 0},
	{"seed", OPT_SEED, "N", 0,
	 "seed for everything random; the same seed gives the same run "
	 "(default: 1)",
	 0},
	{"time", OPT_TIME, "S", 0,
	 "seconds for the whole run, 0 for no limit (default: 40 for the quick "
	 "profile on a device, otherwise 0); \"--resume DIR --time 0\" runs "
	 "the cases that are left",
	 0},
	{0},
};

int cmd_run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[ID...]",
		.doc = "Runs cases and judges each call of the device. An ID "
		       "is the id of a case, a prefix that ends at a '/', or a "
		       "glob; without an ID all cases run. '!ID' leaves cases "
		       "out.\v"
		       "The run's folder has journal.jsonl, results.json, "
		       "results.tap, junit.xml, the page report.html, and "
		       "in repro/ a program and a C file for each "
		       "deviation.\n\n"
		       "The first interrupt (^C, SIGTERM, SIGHUP) ends the run "
		       "after the current case, with a report; the second "
		       "ends the run at once.\n\n"
		       "Exit status: 0 all as expected, 1 something "
		       "unexpected, 2 ibvet failed or was interrupted, 3 "
		       "usage, 77 the devices support none of the cases.",
		.children = run_child,
	};

	return run_arguments_run(&argp, argc, argv);
}

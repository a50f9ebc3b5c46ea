// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibvet sweep: parses the types, the pairs of states and the device to sweep.
 * sweep_run() does the work.
 */
#include "cli/cli.h"
#include "sweep/sweep.h"

struct arguments {
	struct sweep_options sweep;
	struct device_choice choice;
	const char *kept; /* see kept_option() */
};

enum {
	KEY_TYPE = 256,
	KEY_PAIR,
	KEY_VALUES,
	KEY_LIES,
	KEY_STRICT,
	KEY_SHARD,
	KEY_OUT,
	KEY_RESUME,
	KEY_TIME,
	KEY_TIMEOUT,
	KEY_JOBS
};

static void add_type(struct argp_state *state, struct arguments *a,
		     const char *name)
{
	enum qp_kind kind = qp_kind_by_name(name);

	if (kind == QK_NR)
		argp_error(state, "--type: \"%s\" is not a type of queue pair",
			   name);
	else
		a->sweep.type[kind] = true;
	a->kept = "--type";
}

static void add_pair(struct argp_state *state, struct arguments *a,
		     const char *text)
{
	char from[16] = "", to[16] = "", rest;
	int n = sscanf(text, "%15[^-]-%15[^-]%c", from, to, &rest);

	if (n != 2 || state_by_name(from) < 0 || state_by_name(to) < 0)
		argp_error(state,
			   "--pair: \"%s\" is not FROM-TO, two of RESET, INIT, "
			   "RTR, RTS, SQD, SQE and ERR",
			   text);
	else
		a->sweep.pair[state_by_name(from)][state_by_name(to)] = true;
	a->kept = "--pair";
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct sweep_options *o = &a->sweep;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->choice;
		return 0;
	case KEY_TYPE:
		add_type(state, a, arg);
		return 0;
	case KEY_PAIR:
		add_pair(state, a, arg);
		return 0;
	case KEY_VALUES:
		o->values = true;
		a->kept = "--values";
		return 0;
	case KEY_LIES:
		o->lies = true;
		a->kept = "--lies";
		return 0;
	case KEY_STRICT:
		o->strict = true;
		a->kept = "--strict";
		return 0;
	case KEY_SHARD:
		cli_shard(state, arg, &o->shard, &o->shards);
		a->kept = "--shard";
		return 0;
	case KEY_OUT:
		o->out = cli_given(state, "--out", arg);
		a->kept = "--out";
		return 0;
	case KEY_RESUME:
		o->resume = cli_given(state, "--resume", arg);
		return 0;
	case KEY_TIME:
		o->time_ms =
			1000 * cli_number(state, "--time", arg, 1, 1000000000);
		return 0;
	case KEY_TIMEOUT:
		o->timeout_ms = cli_timeout_ms(state, arg);
		return 0;
	case KEY_JOBS:
		o->jobs = (unsigned int)cli_number(state, "--jobs", arg, 1, 64);
		a->kept = "--jobs";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"type", KEY_TYPE, "TYPE", 0,
	 "a type of queue pair; can be given several times (default: all that "
	 "the device supports)",
	 0},
	{"pair", KEY_PAIR, "FROM-TO", 0,
	 "a pair of states; can be given several times (default: all 49)", 0},
	{"values", KEY_VALUES, NULL, 0,
	 "also try the range of every field, in legal masks: fields of 8 and "
	 "16 bits completely, wider fields at their bounds and each bit",
	 0},
	{"lies", KEY_LIES, NULL, 0,
	 "also try each mask with CUR_STATE with each false value of "
	 "cur_qp_state",
	 0},
	{"strict", KEY_STRICT, NULL, 0,
	 "also fail on outcomes that are permitted but not the best", 0},
	{"shard", KEY_SHARD, "K/N", 0,
	 "divide the calls into N equal parts, and make those of part K, from "
	 "1 "
	 "to N; \"ibvet merge\" makes one sweep of all parts",
	 0},
	{"out", KEY_OUT, "DIR", 0,
	 "folder of the sweep (default: a new one in runs/)", 0},
	{"resume", KEY_RESUME, "DIR", 0, "continue the sweep in that folder",
	 0},
	{"time", KEY_TIME, "S", 0, "stop after S seconds; --resume continues",
	 0},
	{"timeout", KEY_TIMEOUT, "S", 0,
	 "seconds after which a call counts as hung (default: 10)", 0},
	{"jobs", KEY_JOBS, "N", 0,
	 "number of processes that sweep a model (default: one per processor)",
	 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = model_child,
	.doc = "Tries every attribute mask on every pair of states, with the "
	       "values of a working connection, and compares what the device "
	       "accepts with the contract."
	       "\vThe sweep's folder has sheet.json: for each type and pair "
	       "the "
	       "attributes that the device requires and accepts, and the "
	       "differences from the contract. A sweep begins with the masks "
	       "that differ least from the legal masks of each pair. A sweep "
	       "that is cut off has therefore tried the most important "
	       "masks.\n\n"
	       "Exit status: 0 all as the contract says, 1 something "
	       "deviates, 2 ibvet failed, 3 usage, 77 the device supports "
	       "none of the types and pairs.",
};

/* Returns the name of an option that was given although --resume takes its
 * value from the sweep's folder, NULL if there is none. */
static const char *kept_option(const struct arguments *a)
{
	const char *given = device_choice_given(&a->choice);

	return given ? given : a->kept;
}

int cmd_sweep(int argc, char **argv)
{
	struct arguments a = {0};

	sweep_options_init(&a.sweep);
	device_choice_init(&a.choice);
	cli_parse(&argp, argc, argv, &a);
	if (a.choice.options.second)
		return cli_usage("sweep", "--second: a sweep takes one device");
	if (a.sweep.resume && kept_option(&a))
		return cli_usage(
			"sweep",
			"--resume keeps the options of the sweep; leave "
			"out %s",
			kept_option(&a));
	a.sweep.device = a.choice.name;
	a.sweep.target = a.choice.options;
	return sweep_run(&a.sweep);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet interop: runs the cases of two hosts for every pair of devices, and
 * draws a matrix of the verdicts.
 */
#include <string.h>
#include "cli/cli.h"
#include "interop/interop.h"
#include "supervise/pool.h"

struct arguments {
	struct interop_options o;
	struct selection selection; /* only its ids */
	bool link, serve, kept;
};

enum {
	KEY_PROFILE = 256,
	KEY_TIME,
	KEY_TIMEOUT,
	KEY_JOBS,
	KEY_SEED,
	KEY_STRICT,
	KEY_LINK,
	KEY_RESUME,
	KEY_SERVE
};

/* Gives an option and its value to each run. */
static void pass(struct arguments *a, const char *option, const char *value)
{
	json_array_append_new(a->o.arguments, json_string(option));
	if (value)
		json_array_append_new(a->o.arguments, json_string(value));
	a->kept = true;
}

static void pass_checked(struct arguments *a, int key, char *arg,
			 struct argp_state *state)
{
	switch (key) {
	case KEY_PROFILE:
		cli_profile(state, arg);
		pass(a, "--profile", arg);
		break;
	case KEY_TIME:
		cli_time_ms(state, arg);
		pass(a, "--time", arg);
		break;
	case KEY_TIMEOUT:
		cli_timeout_ms(state, arg);
		pass(a, "--timeout", arg);
		break;
	case KEY_JOBS:
		cli_number(state, "--jobs", arg, 1, POOL_MAX);
		pass(a, "--jobs", arg);
		break;
	case KEY_SEED:
		cli_number(state, "--seed", arg, 0, INT64_MAX);
		pass(a, "--seed", arg);
		break;
	default:
		pass(a, "--link", cli_given(state, "--link", arg));
		a->link = true;
	}
}

static void pass_ids(struct arguments *a)
{
	static const char *const usual[] = {"pair", "gone", "across",
					    "across-back"};

	for (int i = 0; i < a->selection.npatterns; i++)
		pass(a, a->selection.patterns[i], NULL);
	for (unsigned int i = 0; !a->selection.npatterns && i < COUNT(usual);
	     i++)
		json_array_append_new(a->o.arguments, json_string(usual[i]));
	if (!a->selection.npatterns && a->link)
		json_array_append_new(a->o.arguments, json_string("link"));
}

static void check(struct arguments *a, struct argp_state *state)
{
	if (a->serve)
		return;
	if (a->o.resume && (a->kept || a->o.out || a->o.hosts))
		argp_error(state, "--resume keeps the hosts and the options of "
				  "the matrix; give it alone");
	else if (!a->o.resume && !a->o.hosts)
		argp_error(state, "name a file of hosts");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'o':
		a->o.out = cli_given(state, "-o", arg);
		return 0;
	case KEY_RESUME:
		a->o.resume = cli_given(state, "--resume", arg);
		return 0;
	case KEY_STRICT:
		pass(a, "--strict", NULL);
		return 0;
	case KEY_SERVE:
		a->serve = true;
		return 0;
	case KEY_PROFILE:
	case KEY_TIME:
	case KEY_TIMEOUT:
	case KEY_JOBS:
	case KEY_SEED:
	case KEY_LINK:
		pass_checked(a, key, arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		a->o.hosts = state->argv[state->next++];
		cli_ids(state, &a->selection);
		return 0;
	case ARGP_KEY_END:
		check(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"out", 'o', "DIR", 0,
	 "folder of the matrix (default: a new one in runs/)", 0},
	{"resume", KEY_RESUME, "DIR", 0,
	 "go on with the matrix in DIR: runs the pairs that have no result", 0},
	{"profile", KEY_PROFILE, "PROFILE", 0,
	 "quick, full or exhaustive (default: quick)", 0},
	{"time", KEY_TIME, "S", 0,
	 "seconds for each pair, 0 for no limit (default: as ibvet run)", 0},
	{"timeout", KEY_TIMEOUT, "S", 0,
	 "seconds after which a case counts as hung (default: 10)", 0},
	{"jobs", KEY_JOBS, "N", 0,
	 "cases of a pair that run at once (default: as ibvet run)", 0},
	{"seed", KEY_SEED, "N", 0, SEED_HELP, 0},
	{"strict", KEY_STRICT, NULL, 0,
	 "also fail on outcomes that are permitted but not the best", 0},
	{"link", KEY_LINK, "CMD", 0,
	 "command that changes the link between the hosts, as for ibvet run; "
	 "it runs on the host of the first device",
	 0},
	{"serve", KEY_SERVE, NULL, OPTION_HIDDEN,
	 "run one pair for an ibvet interop on another host", 0},
	{0},
};

int cmd_interop(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE [ID...]\n--resume DIR",
		.doc = "Runs the cases of two hosts for every device of every "
		       "host against every other, both ways, and draws a "
		       "matrix. FILE has a host in each line: "
		       "\"[NAME [DEVICE[,port=N][,gid=N]]... : ]COMMAND\". "
		       "COMMAND starts ibvet there, such as \"ssh other "
		       "ibvet\"; \"local\" is this host. Without a DEVICE all "
		       "RDMA devices of the host take part. A line \"NAME from "
		       "HOST : COMMAND\" says how HOST reaches NAME, if not by "
		       "the command of NAME; HOST may be \"others\". '#' "
		       "begins a comment.\v"
		       "An ID is as for ibvet run (default: pair, across and "
		       "across-back, with --link also link). The folder has "
		       "interop.html, interop.json and in pairs/ the run of "
		       "each pair.\n\n"
		       "Exit status: 0 all as expected, 1 something "
		       "unexpected, 2 ibvet failed or a pair has no result, 3 "
		       "usage, 77 no pair supports any of the cases.",
	};
	struct arguments a = {.o = {.arguments = json_array()}};
	int status;

	cli_parse(&argp, argc, argv, &a);
	pass_ids(&a);
	status = a.serve ? interop_serve() : interop_execute(&a.o);
	json_decref(a.o.arguments);
	return status;
}

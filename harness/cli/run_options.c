/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the options that ibvet run and ibvet replay share: devices, the folder
 * of the run, expected deviations, and the form of the output. -d is parsed
 * here, not in options.c, because a run takes several devices.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/run_options.h"
#include "supervise/pool.h"

_Static_assert((int)RUN_AS_EXPECTED == (int)EXIT_AS_EXPECTED &&
		       (int)RUN_UNEXPECTED == (int)EXIT_UNEXPECTED &&
		       (int)RUN_BROKEN == (int)EXIT_HARNESS &&
		       (int)RUN_USAGE == (int)EXIT_USAGE &&
		       (int)RUN_NOTHING == (int)EXIT_NOTHING,
	       "a run and the program have the same exit statuses");

enum {
	OPT_OUT = 0x200,
	OPT_EXPECT,
	OPT_HOST,
	OPT_STRICT,
	OPT_TIMEOUT,
	OPT_NO_FORK,
	OPT_JOBS,
	OPT_TAP,
	OPT_KTAP,
	OPT_JUNIT,
	OPT_METRICS
};

static void add_device(struct argp_state *state, struct run_options *o,
		       const char *name)
{
	if (o->ndevices == RUN_MAX_TARGETS)
		argp_error(state, "-d: at most %d devices in one run",
			   RUN_MAX_TARGETS);
	else
		o->device[o->ndevices++] = name;
}

static void set_form(struct argp_state *state, struct run_options *o,
		     enum run_form form)
{
	if (o->form != FORM_CONSOLE && o->form != form)
		argp_error(state, "--tap, --ktap, --junit and --metrics "
				  "exclude each other");
	o->form = form;
}

/* Returns true if the option asks for rules instead of cases. */
static bool wants_rules(struct argp_state *state, const char *option,
			const char *arg)
{
	if (arg && strcmp(arg, "rules") != 0)
		argp_error(state, "%s: \"%s\" is not \"rules\"", option, arg);
	return arg != NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_arguments *a = state->input;
	struct run_options *o = &a->run;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->device;
		state->child_inputs[1] = &a->device;
		return 0;
	case 'd':
		add_device(state, o, cli_given(state, "-d", arg));
		return 0;
	case OPT_OUT:
		o->out = cli_given(state, "--out", arg);
		return 0;
	case OPT_EXPECT:
		o->expect = arg;
		return 0;
	case OPT_HOST:
		o->host = cli_given(state, "--host", arg);
		return 0;
	case OPT_STRICT:
		o->strict = true;
		return 0;
	case OPT_TIMEOUT:
		o->timeout_ms = cli_timeout_ms(state, arg);
		return 0;
	case OPT_JOBS:
		o->jobs = (unsigned int)cli_number(state, "--jobs", arg, 1,
						   POOL_MAX);
		return 0;
	case OPT_NO_FORK:
		o->no_fork = true;
		return 0;
	case OPT_TAP:
		set_form(state, o, FORM_TAP);
		return 0;
	case OPT_KTAP:
		set_form(state, o,
			 wants_rules(state, "--ktap", arg) ? FORM_KTAP_RULES
							   : FORM_KTAP);
		return 0;
	case OPT_JUNIT:
		wants_rules(state, "--junit", arg);
		set_form(state, o, FORM_JUNIT_RULES);
		return 0;
	case OPT_METRICS:
		set_form(state, o, FORM_METRICS);
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"device", 'd', "DEV", 0,
	 "model, model:MUTANT, virtual:NAME, virtual:FILE.dev, an RDMA "
	 "device, or uverbs:DEV for DEV below libibverbs; can be given several "
	 "times (default: all found)",
	 0},
	{"out", OPT_OUT, "DIR", 0,
	 "folder of the run (default: a new one in runs/)", 0},
	{"expect", OPT_EXPECT, "FILE", 0,
	 "expected deviations (default: the profile of the device's driver)",
	 0},
	{"host", OPT_HOST, "NAME", 0,
	 "name of this host in reports (default: its node name)", 0},
	{"strict", OPT_STRICT, NULL, 0,
	 "also fail on outcomes that are permitted but not the best", 0},
	{"timeout", OPT_TIMEOUT, "S", 0,
	 "seconds after which a case counts as hung (default: 10)", 0},
	{"jobs", OPT_JOBS, "N", 0,
	 "cases that run at once, from 1 to 64 (default: 32 on a virtual "
	 "device, 1 on the model, 8 on others)",
	 0},
	{"no-fork", OPT_NO_FORK, NULL, 0,
	 "run the cases in this process, for gdb, rr, strace and valgrind: "
	 "no timeout, and a case that crashes ends ibvet",
	 0},
	{"tap", OPT_TAP, NULL, 0, "print TAP 14 on standard output", 0},
	{"ktap", OPT_KTAP, "rules", OPTION_ARG_OPTIONAL,
	 "print KTAP on standard output; =rules: a test for each rule", 0},
	{"junit", OPT_JUNIT, "rules", 0,
	 "print JUnit XML with a test for each rule on standard output "
	 "(junit.xml has each case)",
	 0},
	{"metrics", OPT_METRICS, NULL, 0,
	 "print OpenMetrics on standard output, for a textfile collector", 0},
	{"verbose", 'v', NULL, 0, "print a line for each case", 0},
	{0},
};

static const struct argp_child children[] = {
	{&target_argp, 0, NULL, 0},
	{&peer_argp, 0, NULL, 0},
	{0},
};

static const struct argp run_argp = {
	.options = options,
	.parser = parse,
	.children = children,
};

const struct argp_child run_child[] = {{&run_argp, 0, NULL, 0}, {0}};

/* Returns the name of an option that was given although --resume takes its
 * value from the journal, NULL if there is none. */
static const char *kept_option(const struct run_arguments *a)
{
	const struct run_options *o = &a->run;
	const char *given = device_choice_given(&a->device);

	if (o->ndevices)
		return "-d";
	if (o->out)
		return "--out";
	if (o->expect)
		return "--expect";
	if (o->host)
		return "--host";
	if (o->strict)
		return "--strict";
	if (given)
		return given;
	return o->selection.npatterns ? "an ID" : a->kept;
}

int run_arguments_run(const struct argp *argp, int argc, char **argv)
{
	struct run_arguments a = {.kept = NULL};
	struct run_options *o = &a.run;
	const char *kept;
	int status;

	run_options_init(o);
	device_choice_init(&a.device);
	cli_parse(argp, argc, argv, &a);
	kept = o->resume ? kept_option(&a) : NULL;
	if (o->retry_lost && !o->resume)
		return cli_usage("run", "--retry-lost needs --resume");
	if (kept)
		return cli_usage("run",
				 "--resume keeps the options of the run; leave "
				 "out %s",
				 kept);
	o->target = a.device.options;
	status = run_execute(o);
	shard_plan_free(&o->plan);
	return status;
}

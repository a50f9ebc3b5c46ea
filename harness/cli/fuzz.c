// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibvet fuzz: parses the kind of random programs to run, the device, and the
 * limits. hunt() does the work.
 */
#include "cli/cli.h"
#include "fuzz/hunt/hunt.h"

struct arguments {
	struct hunt_options hunt;
	struct device_choice choice;
	bool what_given;
	const char *kept; /* see kept_option() */
};

enum {
	KEY_OUT = 256,
	KEY_RESUME,
	KEY_SEED,
	KEY_PROGRAMS,
	KEY_FIRST,
	KEY_STRICT,
	KEY_UNDEFINED,
	KEY_EXPECT,
	KEY_CORPUS,
	KEY_WEIGHTS,
	KEY_KCOV,
	KEY_JOBS,
	KEY_TIMEOUT
};

static void set_kind(struct argp_state *state, struct arguments *a,
		     const char *name)
{
	enum hunt_for what = hunt_by_name(name);

	if (a->what_given)
		argp_error(state,
			   "give only one of modify, program, create, walk and "
			   "fire");
	if (what == HUNT_NR)
		argp_error(state,
			   "\"%s\" is not modify, program, create, walk or "
			   "fire",
			   name);
	a->hunt.what = what;
	a->what_given = true;
	a->kept = name;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct run_options *o = &a->hunt.run;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->choice;
		state->child_inputs[1] = &a->choice;
		return 0;
	case 't':
		a->hunt.time_ms =
			1000 * cli_number(state, "-t", arg, 1, 10000000);
		return 0;
	case KEY_PROGRAMS:
		a->hunt.programs =
			cli_number(state, "--programs", arg, 1, INT64_MAX);
		return 0;
	case KEY_FIRST:
		a->hunt.first = true;
		return 0;
	case KEY_STRICT:
		o->strict = true;
		a->kept = "--strict";
		return 0;
	case KEY_UNDEFINED:
		a->hunt.undefined = true;
		a->kept = "--undefined";
		return 0;
	case KEY_SEED:
		o->selection.seed =
			cli_number(state, "--seed", arg, 0, INT64_MAX);
		a->kept = "--seed";
		return 0;
	case KEY_OUT:
		o->out = cli_given(state, "--out", arg);
		a->kept = "--out";
		return 0;
	case KEY_EXPECT:
		o->expect = arg;
		a->kept = "--expect";
		return 0;
	case KEY_CORPUS:
		a->hunt.corpus = cli_given(state, "--corpus", arg);
		a->kept = "--corpus";
		return 0;
	case KEY_WEIGHTS:
		a->hunt.weights = arg;
		a->kept = "--weights";
		return 0;
	case KEY_KCOV:
		a->hunt.kcov = kcov_use_by_name(arg);
		if (a->hunt.kcov == KCOV_NR)
			argp_error(state,
				   "--kcov is auto, on or off, not \"%s\"",
				   arg);
		a->kept = "--kcov";
		return 0;
	case KEY_JOBS:
		o->jobs = (unsigned int)cli_number(state, "--jobs", arg, 1,
						   HUNT_JOBS_MAX);
		a->kept = "--jobs";
		return 0;
	case KEY_RESUME:
		o->resume = cli_given(state, "--resume", arg);
		return 0;
	case KEY_TIMEOUT:
		o->timeout_ms = cli_timeout_ms(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		set_kind(state, a, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"time", 't', "S", 0,
	 "stop after S seconds (default: 60); with --resume after S more "
	 "seconds (default: what was left)",
	 0},
	{"programs", KEY_PROGRAMS, "N", 0,
	 "stop after N programs, or walks (default: no limit)", 0},
	{"first", KEY_FIRST, NULL, 0, "stop after the first finding", 0},
	{"strict", KEY_STRICT, NULL, 0,
	 "also take outcomes that are permitted but not the best as findings",
	 0},
	{"undefined", KEY_UNDEFINED, NULL, 0,
	 "make calls without an object that they require, at most one such "
	 "call in a program. Their outcomes are undefined and not judged, but "
	 "a crash or a hang is a finding",
	 0},
	{"seed", KEY_SEED, "N", 0,
	 "seed for everything random; with --programs the same seed gives the "
	 "same findings on a model (default: 1)",
	 0},
	{"out", KEY_OUT, "DIR", 0,
	 "folder of the run (default: a new one in runs/)", 0},
	{"resume", KEY_RESUME, "DIR", 0,
	 "continue in that folder, with its corpus and findings", 0},
	{"expect", KEY_EXPECT, "FILE", 0,
	 "expected deviations (default: the profile of the device's driver)",
	 0},
	{"corpus", KEY_CORPUS, "DIR", 0,
	 "folder that hunts on several hosts share: each takes the programs "
	 "that the others keep; not for walk",
	 0},
	{"weights", KEY_WEIGHTS, "FILE", 0,
	 "weights and bounds for walk: lines of \"call VERB N\", \"alive KIND "
	 "N\", \"state STATE N\", \"steps N\", \"odd N\"",
	 0},
	{"kcov", KEY_KCOV, "WHEN", 0,
	 "also keep programs that reach new code of the kernel: on, off or "
	 "auto (default: on if the kernel has KCOV)",
	 0},
	{"jobs", KEY_JOBS, "N", 0,
	 "programs that run at once, from 1 to 63 (default: as ibvet run; "
	 "modify "
	 "on a virtual device: one for each processor)",
	 0},
	{"timeout", KEY_TIMEOUT, "S", 0,
	 "seconds after which a program counts as hung (default: 10)", 0},
	{0},
};

static const struct argp_child children[] = {
	{&model_argp, 0, NULL, 0},
	{&peer_argp, 0, NULL, 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[modify|program|create|walk|fire]",
	.doc = "Makes random programs, runs them on a device and judges "
	       "every call. A program that reaches something new in the "
	       "contract, or in the kernel's code where coverage is "
	       "available, is kept and mutated further. modify (the default) "
	       "takes one queue pair of any type through its states; program "
	       "makes any calls on any objects; create makes calls that create "
	       "objects; walk makes thousands of calls in a row on objects "
	       "that stay alive; fire has threads that post and poll while "
	       "others change, reset and destroy the queue pair."
	       "\vA program that deviates, crashes, hangs, leaves objects "
	       "behind or makes the kernel report a problem is a finding, once "
	       "for each rule and outcome. ibvet shrinks the finding and goes "
	       "on. Deviations that the device's profile expects are only "
	       "counted.\n\n"
	       "The folder has the files of a run whose cases are the findings "
	       "(results.json, report.html, repro/). In addition, corpus/ has "
	       "the programs that were kept, found/ the findings before they "
	       "were shrunk, and coverage.csv the coverage over time.\n\n"
	       "Exit status: 0 nothing unexpected, 1 a finding, 2 ibvet failed "
	       "or was interrupted, 3 usage.",
};

/* Returns the name of an option that was given although --resume takes its
 * value from the journal, NULL if there is none. */
static const char *kept_option(const struct arguments *a)
{
	const char *given = device_choice_given(&a->choice);

	return given ? given : a->kept;
}

static bool makes_objects(enum hunt_for what)
{
	return what == HUNT_PROGRAM || what == HUNT_CREATE;
}

int cmd_fuzz(int argc, char **argv)
{
	struct arguments a = {0};
	struct run_options *o = &a.hunt.run;

	run_options_init(o);
	device_choice_init(&a.choice);
	cli_parse(&argp, argc, argv, &a);
	if (o->resume && kept_option(&a))
		return cli_usage(
			"fuzz",
			"--resume keeps the options of that folder; leave "
			"out %s",
			kept_option(&a));
	if (!o->resume && a.hunt.corpus && a.hunt.what == HUNT_WALK)
		return cli_usage("fuzz",
				 "--corpus is not for walk, which changes no "
				 "kept programs");
	if (!o->resume && a.hunt.weights && a.hunt.what != HUNT_WALK)
		return cli_usage("fuzz", "--weights is for walk, not for %s",
				 hunt_name(a.hunt.what));
	if (!o->resume && a.hunt.undefined && !makes_objects(a.hunt.what))
		return cli_usage("fuzz",
				 "--undefined is for program and create, "
				 "not for %s",
				 hunt_name(a.hunt.what));
	if (a.choice.options.peer && a.hunt.what != HUNT_PROGRAM)
		return cli_usage("fuzz", "--peer is for program, not for %s",
				 hunt_name(a.hunt.what));
	if (!o->resume) {
		o->device[0] = a.choice.name;
		o->ndevices = 1;
		o->target = a.choice.options;
	}
	return hunt(&a.hunt);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet fleet: plans and starts a lab's night, shows its progress, and collects
 * what it found.
 */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "fleet/fleet.h"
#include "run/run.h"

struct arguments {
	struct fleet_options o;
	const char *word, *folder; /* folder and shard: of a job */
	unsigned int shard;
};

enum { KEY_NIGHT = 256, KEY_PROFILE, KEY_LOCAL, KEY_ASK, KEY_NOW };

static const struct {
	const char *word;
	int (*run)(const struct fleet_options *o);
} actions[] = {
	{"plan", fleet_plan},
	{"start", fleet_start},
	{"status", fleet_status},
	{"collect", fleet_collect},
};

static bool is_shard(const struct arguments *a)
{
	return a->word && !strcmp(a->word, "shard");
}

static void take_argument(struct argp_state *state, struct arguments *a,
			  char *arg)
{
	if (!a->word)
		a->word = arg;
	else if (!a->o.lab)
		a->o.lab = cli_given(state, "fleet", arg);
	else if (is_shard(a) && !a->folder)
		a->folder = arg;
	else if (is_shard(a) && !a->shard)
		a->shard = (unsigned int)cli_number(state, "shard", arg, 1,
						    1000000);
	else
		argp_error(state, "one lab at a time: leave out \"%s\"", arg);
}

static int action_of(const struct arguments *a)
{
	for (unsigned int i = 0; a->word && i < COUNT(actions); i++)
		if (!strcmp(actions[i].word, a->word))
			return (int)i;
	return -1;
}

static void check(struct argp_state *state, const struct arguments *a)
{
	const struct fleet_options *o = &a->o;

	if (is_shard(a) && !a->shard)
		argp_error(state, "shard is for the jobs of a night");
	else if (!is_shard(a) && action_of(a) < 0)
		argp_error(state,
			   "%s%s%s: there are plan, start, status and "
			   "collect",
			   a->word ? "no action \"" : "name an action",
			   a->word ? a->word : "", a->word ? "\"" : "");
	else if (!o->lab)
		argp_error(state, "name the file of the lab");
	else if (o->page && strcmp(a->word, "status") != 0)
		argp_error(state, "-o is for status");
	else if (o->now && strcmp(a->word, "collect") != 0)
		argp_error(state, "--now is for collect");
	else if ((o->local || o->ask || o->profile) &&
		 strcmp(a->word, "plan") != 0 && strcmp(a->word, "start") != 0)
		argp_error(state,
			   "--local, --ask and --profile are for plan and "
			   "start");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case KEY_NIGHT:
		a->o.night = cli_given(state, "--night", arg);
		return 0;
	case KEY_PROFILE:
		cli_profile(state, arg);
		a->o.profile = arg;
		return 0;
	case KEY_LOCAL:
		a->o.local = true;
		return 0;
	case KEY_ASK:
		a->o.ask = true;
		return 0;
	case KEY_NOW:
		a->o.now = true;
		return 0;
	case 'o':
		a->o.page = cli_given(state, "-o", arg);
		return 0;
	case ARGP_KEY_ARG:
		take_argument(state, a, arg);
		return 0;
	case ARGP_KEY_END:
		check(state, a);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"night", KEY_NIGHT, "NAME", 0,
	 "name of the night (default: for plan and start today's date, for "
	 "status and collect the night that was started last)",
	 0},
	{"profile", KEY_PROFILE, "PROFILE", 0,
	 "plan, start: quick, full or exhaustive for all devices (default: as "
	 "the file says)",
	 0},
	{"local", KEY_LOCAL, NULL, 0,
	 "plan, start: without Slurm, all shards one after the other by the "
	 "commands of the hosts",
	 0},
	{"ask", KEY_ASK, NULL, 0,
	 "plan, start: ask the hosts again for their devices", 0},
	{"now", KEY_NOW, NULL, 0,
	 "collect: take what there is, although jobs have not ended", 0},
	{"out", 'o', "FILE", 0, "status: also write a page", 0},
	{0},
};

int cmd_fleet(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "plan FILE\nstart FILE\nstatus FILE\ncollect FILE",
		.doc = "Vets all devices of a lab in a night, as jobs of "
		       "Slurm, "
		       "or with --local one after the other. FILE is the YAML "
		       "file of the lab; docs/fleet.md describes it. FILE can "
		       "also be the folder of a night."
		       "\v\"plan\" prints the jobs of the night and starts "
		       "none. \"start\" submits what has neither ended nor is "
		       "in the queue, so that it can be called again. "
		       "\"status\" reads the journals. \"collect\" merges the "
		       "runs, adds them to the lab's history, and tells what "
		       "changed; under Slurm the last job does that.\n\n"
		       "Exit status: 0; of collect 1 if a case fails that is "
		       "new and not flaky; 2 ibvet failed, or a device has no "
		       "whole result; 3 usage.",
	};
	struct arguments a = {.shard = 0};

	cli_parse(&argp, argc, argv, &a);
	if (is_shard(&a))
		return fleet_shard(a.o.lab, a.folder, a.shard);
	return actions[action_of(&a)].run(&a.o);
}

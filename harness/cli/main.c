/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The program: finds the subcommand in a table and hands over.
 */
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/help.h"

static const struct subcommand subcommands[] = {
	{"devices", cmd_devices, "what can be vetted here, what each claims"},
	{"list", cmd_list, "the cases for a device, one id a line"},
	{"run", cmd_run, "run cases and judge what the device does"},
	{"report", cmd_report, "one page of one run or several, to mail"},
	{"sweep", cmd_sweep, "every mask on every pair of states"},
	{"fuzz", cmd_fuzz, "programs by chance, on any device, for a time"},
	{"explain", cmd_explain, "a rule or a transition, with its sources"},
	{"replay", cmd_replay, "run a program from a file, call by call"},
	{"shrink", cmd_shrink, "the smallest program that shows the same"},
	{"repro", cmd_repro, "turn a case or a program into a C file"},
	{"mutants", cmd_mutants, "the seeded faults of the model"},
	{"profile", cmd_profile, "measure a device, write what it deviates in"},
	{"diff", cmd_diff, "what changed from one run to another"},
	{"merge", cmd_merge, "one run of the runs of its shards"},
	{"exec", cmd_exec, "run a command that sees a virtual device"},
};

#define NSUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static const struct subcommand *find(const char *name)
{
	for (size_t i = 0; i < NSUBCOMMANDS; i++)
		if (!strcmp(subcommands[i].name, name))
			return &subcommands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct subcommand *command = find(name);
	char title[32];

	if (!strcmp(name, "--help") || !strcmp(name, "-?"))
		return help(subcommands, NSUBCOMMANDS, 0, NULL);
	if (!strcmp(name, "help")) {
		argv[1] = "ibvet help";
		return help(subcommands, NSUBCOMMANDS, argc - 1, argv + 1);
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("ibvet %s\n", IBVET_VERSION);
		return cli_flush("--version");
	}
	if (!command) {
		fprintf(stderr,
			"ibvet: %s%s%s; \"ibvet --help\" lists the commands\n",
			*name ? "no command \"" : "which command?", name,
			*name ? "\"" : "");
		return EXIT_USAGE;
	}
	snprintf(title, sizeof(title), "ibvet %s", name);
	argv[1] = title;
	return command->run(argc - 1, argv + 1);
}

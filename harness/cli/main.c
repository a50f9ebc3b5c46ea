/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The main function: finds the subcommand in a table and calls it.
 */
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/help.h"

static const struct subcommand subcommands[] = {
	{"devices", cmd_devices, "list devices and their claims"},
	{"list", cmd_list, "list the cases for a device"},
	{"run", cmd_run, "run cases and judge each call of the device"},
	{"report", cmd_report, "write an HTML page about one or more runs"},
	{"sweep", cmd_sweep, "try every mask on every pair of states"},
	{"fuzz", cmd_fuzz, "run random programs on a device"},
	{"explain", cmd_explain,
	 "explain a rule or a transition, with its sources"},
	{"replay", cmd_replay, "run programs from files"},
	{"shrink", cmd_shrink, "reduce a program, keeping its verdict"},
	{"repro", cmd_repro, "turn a case or a program into a C file"},
	{"mutants", cmd_mutants,
	 "list the seeded faults of the model, or test that cases find them"},
	{"profile", cmd_profile,
	 "write the deviations of a device as a profile, for run --expect"},
	{"diff", cmd_diff, "show the differences between two runs"},
	{"merge", cmd_merge, "merge the runs of shards into one run"},
	{"import", cmd_import,
	 "say which failures of other suites are explained"},
	{"history", cmd_history,
	 "what many nights say: new, since when, flaky"},
	{"interop", cmd_interop,
	 "run every device of several hosts against every other"},
	{"lab", cmd_lab,
	 "vet a driver that needs no hardware, in a virtual machine"},
	{"fleet", cmd_fleet, "vet all devices of a lab, night by night"},
	{"exec", cmd_exec, "run a command with a virtual device"},
	{"agent", cmd_agent, "make the calls of a run on another host"},
};

#define NSUBCOMMANDS COUNT(subcommands)

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
		return cli_help(subcommands, NSUBCOMMANDS, 0, NULL);
	if (!strcmp(name, "help")) {
		argv[1] = "ibvet help";
		return cli_help(subcommands, NSUBCOMMANDS, argc - 1, argv + 1);
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("ibvet %s\n", IBVET_VERSION);
		return cli_flush("--version");
	}
	if (!command) {
		fprintf(stderr,
			"ibvet: %s%s%s; \"ibvet --help\" lists the commands\n",
			*name ? "no command \"" : "name a command", name,
			*name ? "\"" : "");
		return EXIT_USAGE;
	}
	snprintf(title, sizeof(title), "ibvet %s", name);
	argv[1] = title;
	return command->run(argc - 1, argv + 1);
}

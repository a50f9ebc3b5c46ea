/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The program: finds the subcommand in a table and hands over.
 */
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"

static const struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} subcommands[] = {
	{"devices", cmd_devices, "what can be vetted here, what each claims"},
	{"list", cmd_list, "the cases for a device, one id a line"},
	{"run", cmd_run, "run cases and judge what the device does"},
	{"report", cmd_report, "one page of one run or several, to mail"},
	{"explain", cmd_explain, "a rule or a transition, with its sources"},
	{"replay", cmd_replay, "run a program from a file, call by call"},
	{"shrink", cmd_shrink, "the smallest program that shows the same"},
	{"repro", cmd_repro, "turn a case or a program into a C file"},
	{"mutants", cmd_mutants, "the seeded faults of the model"},
	{"diff", cmd_diff, "what changed from one run to another"},
	{"exec", cmd_exec, "run a command that sees a virtual device"},
};

#define NSUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static int print_help(void)
{
	printf("usage: ibvet COMMAND [ARGUMENTS]\n\n");
	for (size_t i = 0; i < NSUBCOMMANDS; i++)
		printf("  %-9s %s\n", subcommands[i].name, subcommands[i].help);
	printf("\n\"ibvet COMMAND --help\" tells more about each.\n"
	       "Exit status: 0 all as expected, 1 something unexpected, "
	       "2 ibvet failed,\n3 usage, 77 nothing applied.\n");
	return cli_flush("--help");
}

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

	if (!strcmp(name, "--help") || !strcmp(name, "-?") ||
	    !strcmp(name, "help"))
		return print_help();
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

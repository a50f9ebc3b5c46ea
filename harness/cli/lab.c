// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibvet lab: starts the script of the lab, which takes the arguments. The help
 * is made here, so that the man page and completion have it too.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "contract/own_files.h"

static const struct argp_option options[] = {
#define OPTION(name, arg, doc) {name, 256 + __COUNTER__, arg, 0, doc, 0},
#include "lab/options.def"
#undef OPTION
	{0},
};

static const struct argp argp = {
	.options = options,
	.args_doc = "[ARGUMENT OF ibvet run...]\nsweep [ARGUMENT OF ibvet "
		    "sweep...]\n-- COMMAND...",
	.doc = "Boots a kernel with a driver that needs no hardware in a "
	       "virtual machine (the guest), and runs `ibvet run` with the "
	       "arguments, `ibvet sweep` or COMMAND in the guest."
	       "\vWith --peer, COMMAND finds the command for ibvet's --peer in "
	       "LAB_PEER_IBVET.\n\n"
	       "Exit status: that of ibvet run or of COMMAND; 2 if a guest "
	       "died "
	       "or could not be started, 3 for a wrong argument.",
};

static bool asks_for_help(const char *argument)
{
	static const char *const words[] = {"--help", "-?", "--usage",
					    "--describe=man",
					    "--describe=table"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (!strcmp(argument, words[i]))
			return true;
	return false;
}

static int fail(const char *path, int error)
{
	fprintf(stderr, "ibvet lab: %s: %s\n", path, strerror(error));
	return EXIT_HARNESS;
}

int cmd_lab(int argc, char **argv)
{
	char self[PATH_MAX], script[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int ret;

	if (argc == 2 && asks_for_help(argv[1]))
		cli_parse(&argp, argc, argv, NULL);
	if (n < 0)
		return fail("/proc/self/exe", errno);
	self[n] = '\0';
	ret = own_data(script, sizeof(script), "lab/lab");
	if (ret)
		return fail(script, -ret);
	setenv("IBVET", self, 0);
	setenv("LAB_NAME", "ibvet lab", 1);
	argv[0] = script;
	execv(script, argv);
	return fail(script, errno);
}

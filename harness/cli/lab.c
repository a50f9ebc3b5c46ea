// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibvet lab: starts the script of the lab, which takes the arguments. The help
 * is here, so that the man page and completion have it too.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "contract/own_files.h"

enum {
	KEY_NONE = 256,
	KEY_DRIVER,
	KEY_TOPOLOGY,
	KEY_GID,
	KEY_MTU,
	KEY_LIBRARIES,
	KEY_OUT,
	KEY_RESUME,
	KEY_REBOOTS,
	KEY_PEER,
	KEY_PEER_KERNEL,
	KEY_PEER_COMMAND,
	KEY_LIMIT,
	KEY_MEMORY,
	KEY_REAL_TIME,
	KEY_SHELL,
	KEY_PREPARE,
	KEY_UPDATE,
};

static const struct argp_option options[] = {
	{"kernel", KEY_NONE, "NAME", 0,
	 "6.1 (default), 6.12, newest (in Debian) or kasan (6.1 with KASAN, "
	 "KCOV and lockdep; built on first use: ten minutes)",
	 0},
	{"driver", KEY_DRIVER, "NAME", 0,
	 "rxe (soft RoCE, default) or siw (soft iWARP)", 0},
	{"topology", KEY_TOPOLOGY, "NAME", 0,
	 "one (one device; default), pair (a device at each end of a link), "
	 "netns (a device in each of two namespaces; rxe from Linux 7.1 on) or "
	 "two-vm (a device in each of two guests)",
	 0},
	{"gid", KEY_GID, "KIND", 0,
	 "the GID of RoCE: ipv4 (default), ipv6, link-local or vlan", 0},
	{"mtu", KEY_MTU, "BYTES", 0, "path MTU: 1024 (default), 2048 or 4096",
	 0},
	{"rdma-core", KEY_LIBRARIES, "DIR", 0,
	 "use the libraries in DIR, the lib folder of a build of rdma-core, "
	 "instead of the host's; \"newest\" builds the newest of Debian",
	 0},
	{"out", KEY_OUT, "DIR", 0,
	 "the run's folder (default: a new one under runs/)", 0},
	{"resume", KEY_RESUME, "DIR", 0,
	 "continue a run, a sweep or an ibvet fuzz, whose guest died, in a new "
	 "guest",
	 0},
	{"reboots", KEY_REBOOTS, "N", 0,
	 "if a guest dies, continue at once in a new guest, at most N times "
	 "(default: 0)",
	 0},
	{"peer", KEY_PEER, NULL, 0,
	 "two-vm: vet the device of the first guest against that of the "
	 "second, with ibvet's --peer",
	 0},
	{"peer-kernel", KEY_PEER_KERNEL, "NAME", 0,
	 "two-vm: the kernel of the second guest (default: that of --kernel)",
	 0},
	{"peer-command", KEY_PEER_COMMAND, "COMMAND", 0,
	 "two-vm without --peer: the command of the second guest", 0},
	{"limit", KEY_LIMIT, "S", 0,
	 "kill the guest after S seconds (default: 900)", 0},
	{"memory", KEY_MEMORY, "MIB", 0,
	 "the guest's memory in MiB (default: 2048)", 0},
	{"real-time", KEY_REAL_TIME, NULL, 0,
	 "give the guest priority over all other work of this host; needs root",
	 0},
	{"shell", KEY_SHELL, NULL, 0,
	 "run a shell in the guest, on this terminal", 0},
	{"prepare", KEY_PREPARE, NULL, 0,
	 "fetch and build what the options need, and stop", 0},
	{"update", KEY_UPDATE, NULL, 0,
	 "fetch the newest package of the kernel first", 0},
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

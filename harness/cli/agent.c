/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet agent: the other end of --peer, on standard input and output.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "cli/cli.h"
#include "run/environment.h"
#include "target/peer/agent.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "takes no argument, such as \"%s\"", arg);
	return 0;
}

int cmd_agent(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.doc = "Makes the calls that ibvet on another host asks for, "
		       "on an RDMA device of this host. \"ibvet run --peer "
		       "CMD\" starts it, with standard input and output as the "
		       "session; nothing else does.\v"
		       "When standard input ends, the agent destroys what the "
		       "session made, and ends.\n\n"
		       "Exit status: 0 the session ended, 2 the caller sent "
		       "something that makes no sense, 3 usage.",
	};
	char host[256];
	int ret;

	cli_parse(&argp, argc, argv, NULL);
	if (isatty(STDIN_FILENO))
		return cli_usage("agent", "a terminal is no session: \"ibvet "
					  "run --peer CMD\" starts an agent");
	environment_host_text(host, sizeof(host));
	ret = agent_serve(STDIN_FILENO, STDOUT_FILENO, host, true);
	return ret ? EXIT_HARNESS : EXIT_AS_EXPECTED;
}

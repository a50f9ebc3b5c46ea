// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What is done to the link between two devices: a command that the user
 * gives, with words for what is to be done after it.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "target/target.h"

#define COMMAND_LEN 4096

int link_do(const char *command, const struct link_args *in)
{
	char line[COMMAND_LEN], words[32];
	int status;

	if (in->action > LINK_DELAY)
		return EINVAL;
	link_words(in, words, sizeof(words));
	if (snprintf(line, sizeof(line), "%s %s", command, words) >=
	    (int)sizeof(line))
		return E2BIG;
	status = system(line);
	if (status == -1)
		return errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : EIO;
}

int link_heal(const char *command)
{
	static const struct link_args heal = {.action = LINK_HEAL};

	return command ? link_do(command, &heal) : 0;
}

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

static void add_words(char *text, size_t len, const struct link_args *in)
{
	switch (in->action) {
	case LINK_CUT:
		snprintf(text, len, "cut");
		return;
	case LINK_LOSS:
		snprintf(text, len, "loss %u%%", in->amount);
		return;
	case LINK_DELAY:
		snprintf(text, len, "delay %ums", in->amount);
		return;
	default:
		snprintf(text, len, "heal");
		return;
	}
}

int link_do(const char *command, const struct link_args *in)
{
	char line[COMMAND_LEN], words[32];
	int status;

	if (in->action > LINK_DELAY)
		return EINVAL;
	add_words(words, sizeof(words), in);
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Changes the link between two devices: runs the user's command with words
 * that say what to do.
 */
#include <errno.h>
#include <string.h>
#include "program/repro/parts/link_run.h"
#include "target/target.h"

static int change(const char *command, const struct link_args *in)
{
	char words[32];

	if (in->action > LINK_DELAY)
		return EINVAL;
	link_words(in, words, sizeof(words));
	return link_run(command, words);
}

int target_heal_link(const char *command)
{
	static const struct link_args heal = {.action = LINK_HEAL};

	return command ? change(command, &heal) : 0;
}

static int heal(const char *command, char *err, size_t errlen)
{
	int ret = target_heal_link(command);

	if (ret)
		snprintf(err, errlen, "--link: \"%s heal\" failed: %s", command,
			 strerror(ret));
	return ret ? -EINVAL : 0;
}

int target_link_open(struct target_link *link, const char *command, char *err,
		     size_t errlen)
{
	*link = (struct target_link){.command = command};
	return heal(command, err, errlen);
}

int target_link_step(struct target_link *link, const struct link_args *in)
{
	link->changed = true;
	return change(link->command, in);
}

void target_link_end(struct target_link *link, char *broken, size_t len)
{
	if (link->changed && heal(link->command, broken, len))
		return;
	link->changed = false;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Changes the link between two devices: runs the user's command with words
 * that say what to do.
 */
#include <errno.h>
#include "program/repro/parts/link_run.h"
#include "target/target.h"

int target_change_link(const char *command, const struct link_args *in)
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

	return command ? target_change_link(command, &heal) : 0;
}

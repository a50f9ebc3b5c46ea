/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The user's command that cuts and heals the link between two devices.
 */
#pragma once
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/* part: link_run */
/* Runs the command with words behind it. Returns 0 or an errno value. */
static inline int link_run(const char *command, const char *words)
{
	char line[4096];
	int status;

	if (snprintf(line, sizeof(line), "%s %s", command, words) >=
	    (int)sizeof(line))
		return E2BIG;
	status = system(line);
	if (status == -1)
		return errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : EIO;
}

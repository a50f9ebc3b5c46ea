/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The link of a reproducer is whole when the program begins and when it ends.
 */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include "program/repro/parts/link_run.h"

/* part: link_command choose_link heal_link */
static const char *link_command; /* -l */

static void heal_link(void)
{
	link_run(link_command, "heal");
}

/* However the program ends, the link is whole afterwards. */
static void choose_link(void)
{
	if (!link_command || link_run(link_command, "heal")) {
		fputs("-l: a command that cuts and heals the link\n", stderr);
		exit(77);
	}
	atexit(heal_link);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The steps about threads change nothing of a device. fire/run.c takes them,
 * and makes the calls between them.
 */
#include "model/internal.h"

void do_thread(struct step *s)
{
	answer_accept(s, ROW_LIFE_ACCEPT);
}

void do_nap(struct step *s)
{
	do_thread(s);
}

void do_join(struct step *s)
{
	do_thread(s);
}

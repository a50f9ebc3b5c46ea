// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The words that the user's command gets for a change of the link between two
 * devices.
 */
#include "program/program.h"

void link_words(const struct link_args *in, char *buf, size_t len)
{
	switch (in->action) {
	case LINK_CUT:
		snprintf(buf, len, "cut");
		return;
	case LINK_LOSS:
		snprintf(buf, len, "loss %u%%", in->amount);
		return;
	case LINK_DELAY:
		snprintf(buf, len, "delay %ums", in->amount);
		return;
	default:
		snprintf(buf, len, "heal");
		return;
	}
}

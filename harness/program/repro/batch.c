/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints the calls of batches. A call for a batch that has not begun is left
 * out, as it is on a target.
 */
#include "program/repro/repro.h"

static void put_call(struct exporter *x, const struct call *c)
{
	const char *on = c_object(x, c->on);
	char call[C_NAME_LEN + 20];

	if (c->verb == V_wr_start)
		snprintf(call, sizeof(call), "wr_start(%s)", on);
	else
		snprintf(call, sizeof(call), "wr_end(%s, %d)", on,
			 c->verb == V_wr_abort);
	export_block(x, c, "", call, RET_INT, "");
}

void export_batch_call(struct exporter *x, const struct call *c)
{
	if (c->verb != V_wr_start)
		put_line(x, 1, "if (batch_of(%s))", c_object(x, c->on));
	if (c->verb == V_wr)
		export_post(x, c);
	else
		put_call(x, c);
}

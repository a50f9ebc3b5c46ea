/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which row a mask on a pair of states depends on, layer by layer.
 * Values are assumed to be legal, and a claimed current state to be true.
 */
#include "contract/explain/explain.h"

/* Returns true if uverbs refuses AV before the table is checked: it compares
 * the ports, and a queue pair in RESET has none. */
static bool av_before_port(const struct mask_case *c)
{
	return c->from == IBV_QPS_RESET && (c->mask & A_AV) &&
	       (c->mask & A_STATE) && c->to == IBV_QPS_RTR;
}

static enum row deciding_row(const struct mask_case *c)
{
	enum row row =
		table_row(qp_table(), c->kind, c->from, c->next, c->passed);

	if (c->mask & ~(uint32_t)(A_DEFINED | A_RESERVED))
		return ROW_MASK_UNKNOWN;
	if (c->mask & A_RESERVED)
		return ROW_MASK_RESERVED;
	return av_before_port(c) ? ROW_AV_PORT_RTR : row;
}

static void add_row(struct mask_case *c, enum row row, bool when)
{
	if (when && row != c->row)
		c->also[c->nalso++] = row;
}

/* Adds the rows that decide instead on some devices or for some values. */
static void other_rows(struct mask_case *c)
{
	add_row(c, ROW_PAIR_INVALID, c->row == ROW_AV_PORT_RTR);
	add_row(c, ROW_MASK_RATE, c->mask & A_RATE_LIMIT);
	add_row(c, ROW_XRC_RC_MASK, c->mask & xrc_dropped(c->kind));
	add_row(c, ROW_ALT_ROCE, c->mask & A_ALT_PATH);
	add_row(c, ROW_ALT_UNSUPPORTED,
		c->mask & (A_ALT_PATH | A_PATH_MIG_STATE));
	add_row(c, ROW_CUR_LIE, c->mask & A_CUR_STATE);
	add_row(c, ROW_SQD_DRAINING,
		c->from == IBV_QPS_SQD && (c->mask & A_STATE) &&
			c->next != IBV_QPS_ERR);
	add_row(c, ROW_IWARP_TABLE, c->kind == QK_RC);
}

void mask_judge(struct mask_case *c, enum qp_kind kind, int from, int to,
		uint32_t mask)
{
	*c = (struct mask_case){
		.kind = kind,
		.from = from,
		.to = to,
		.mask = mask,
		.next = mask & A_STATE ? to : from,
	};
	c->passed = uverbs_mask(kind, to, mask);
	c->table = table_judge(qp_table(), kind, from, c->next, c->passed,
			       &c->missing, &c->surplus);
	c->row = deciding_row(c);
	other_rows(c);
}

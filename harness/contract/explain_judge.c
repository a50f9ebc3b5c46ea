/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which row decides about a mask on a pair of states, layer by layer. Only
 * the mask is known here: values are taken to be legal, and a claimed current
 * state to be true.
 */
#include "contract/explain.h"

#define RC_PACED(from, to)                                                     \
	(((from) == IBV_QPS_INIT && (to) == IBV_QPS_RTR) ||                    \
	 ((from) == IBV_QPS_RTR && (to) == IBV_QPS_RTS) ||                     \
	 ((from) == IBV_QPS_RTS && (to) == IBV_QPS_RTS))

/* What uverbs makes of the mask before the table sees it. */
static uint32_t uverbs_passes(const struct mask_case *c)
{
	uint32_t mask = c->mask & ~xrc_dropped(c->kind);
	bool to_rtr = (mask & A_STATE) && c->to == IBV_QPS_RTR;

	return (mask & A_AV) && !to_rtr ? mask | A_PORT : mask;
}

static enum row surplus_row(const struct mask_case *c)
{
	if (c->surplus == A_CAP)
		return ROW_CAP_RESIZE;
	if (c->kind == QK_UC && c->from == IBV_QPS_SQD &&
	    c->surplus == A_PORT && (c->mask & A_AV))
		return ROW_UC_AV_SQD;
	if (!(c->mask & A_STATE))
		return ROW_MASK_NO_STATE;
	if (c->kind == QK_RAW_PACKET && c->from == IBV_QPS_INIT &&
	    c->next == IBV_QPS_INIT && c->surplus == A_PORT)
		return ROW_RAW_PORT_INIT;
	return ROW_TABLE_SURPLUS;
}

static enum row pair_row(const struct mask_case *c)
{
	if (!c->passed)
		return ROW_MASK_ZERO;
	if (!(c->passed & A_STATE))
		return ROW_MASK_NO_STATE;
	if (c->from == IBV_QPS_RESET && c->next == IBV_QPS_ERR &&
	    c->passed == A_STATE)
		return ROW_RESET_TO_ERR;
	return ROW_PAIR_INVALID;
}

static enum row refusing_row(const struct mask_case *c)
{
	if (c->table == TABLE_CUR_STATE)
		return ROW_CUR_WHERE;
	if (c->table == TABLE_PAIR)
		return pair_row(c);
	if (c->table == TABLE_MISSING)
		return ROW_TABLE_MISSING;
	return surplus_row(c);
}

static enum row accepting_row(const struct mask_case *c)
{
	if (c->from == IBV_QPS_RESET && c->next == IBV_QPS_RESET)
		return c->mask ? ROW_RESET_TO_RESET : ROW_MOD_ACCEPT;
	if (c->from == IBV_QPS_RTS && c->next == IBV_QPS_SQD)
		return ROW_RTS_TO_SQD;
	if (c->from == IBV_QPS_SQD && c->next == IBV_QPS_SQD)
		return ROW_SQD_TO_SQD;
	return ROW_MOD_ACCEPT;
}

/* Newer tables leave the RATE_LIMIT of an RC queue pair to the driver. */
static enum row rate_row(const struct mask_case *c)
{
	if (c->kind == QK_RC && RC_PACED(c->from, c->next) &&
	    c->table == TABLE_SURPLUS && c->surplus == A_RATE_LIMIT)
		return ROW_MASK_RATE_RC;
	return ROW_MASK_RATE;
}

/* uverbs compares the ports before the table is asked, and RESET has none. */
static bool av_before_port(const struct mask_case *c)
{
	return c->from == IBV_QPS_RESET && (c->mask & A_AV) &&
	       (c->mask & A_STATE) && c->to == IBV_QPS_RTR;
}

static enum row deciding_row(const struct mask_case *c)
{
	if (c->mask & ~(uint32_t)(A_DEFINED | A_RESERVED))
		return ROW_MASK_UNKNOWN;
	if (c->mask & A_RESERVED)
		return ROW_MASK_RESERVED;
	if ((c->surplus & A_RATE_LIMIT) && c->kind != QK_RAW_PACKET)
		return rate_row(c);
	if (av_before_port(c))
		return ROW_AV_PORT_RTR;
	return c->table == TABLE_OK ? accepting_row(c) : refusing_row(c);
}

static void also(struct mask_case *c, enum row row, bool when)
{
	if (when && row != c->row)
		c->also[c->nalso++] = row;
}

/* What else may decide, on some devices or for some values. */
static void other_rows(struct mask_case *c)
{
	also(c, ROW_PAIR_INVALID, c->row == ROW_AV_PORT_RTR);
	also(c, ROW_MASK_RATE, c->mask & A_RATE_LIMIT);
	also(c, ROW_XRC_RC_MASK, c->mask & xrc_dropped(c->kind));
	also(c, ROW_ALT_ROCE, c->mask & A_ALT_PATH);
	also(c, ROW_ALT_UNSUPPORTED, c->mask & (A_ALT_PATH | A_PATH_MIG_STATE));
	also(c, ROW_CUR_LIE, c->mask & A_CUR_STATE);
	also(c, ROW_SQD_DRAINING,
	     c->from == IBV_QPS_SQD && (c->mask & A_STATE) &&
		     c->next != IBV_QPS_ERR);
	also(c, ROW_IWARP_TABLE, c->kind == QK_RC);
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
	c->passed = uverbs_passes(c);
	c->table = table_judge(qp_table(), kind, from, c->next, c->passed,
			       &c->missing, &c->surplus);
	c->row = deciding_row(c);
	other_rows(c);
}

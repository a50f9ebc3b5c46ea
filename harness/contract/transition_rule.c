/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which row a transition depends on: the general rule, or the choice
 * row for exactly that transition. Model, generator and explain use this.
 */
#include "contract/contract.h"

static enum row surplus_row(enum qp_kind kind, int from, int to, uint32_t mask,
			    uint32_t surplus)
{
	if (surplus == A_CAP)
		return ROW_CAP_RESIZE;
	if (kind == QK_UC && from == IBV_QPS_SQD && surplus == A_PORT &&
	    (mask & A_AV))
		return ROW_UC_AV_SQD;
	if (!(mask & A_STATE))
		return ROW_MASK_NO_STATE;
	if (surplus == A_RATE_LIMIT)
		return ROW_MASK_RATE_ELSEWHERE;
	if (kind == QK_RAW_PACKET && from == IBV_QPS_INIT &&
	    to == IBV_QPS_INIT && surplus == A_PORT)
		return ROW_RAW_PORT_INIT;
	return ROW_TABLE_SURPLUS;
}

static enum row pair_row(int from, int to, uint32_t mask)
{
	if (!mask)
		return ROW_MASK_ZERO;
	if (!(mask & A_STATE))
		return ROW_MASK_NO_STATE;
	if (from == IBV_QPS_RESET && to == IBV_QPS_ERR && mask == A_STATE)
		return ROW_RESET_TO_ERR;
	return ROW_PAIR_INVALID;
}

/* Returns the row for a transition that the table allows; some devices cannot
 * make some of them. */
static enum row allowed_row(int from, int to, uint32_t mask)
{
	if (from == IBV_QPS_RESET && to == IBV_QPS_RESET && mask)
		return ROW_RESET_TO_RESET;
	if (from == IBV_QPS_RTS && to == IBV_QPS_SQD)
		return ROW_RTS_TO_SQD;
	if (from == IBV_QPS_SQD && to == IBV_QPS_SQD)
		return ROW_SQD_TO_SQD;
	return ROW_MOD_ACCEPT;
}

/* Returns the row for a vendor's type. Such types have rows of their own, and a
 * choice row only for optional attributes. */
static enum row vendors_row(const struct qp_table *t, enum qp_kind kind,
			    int from, int to, uint32_t mask)
{
	const struct kind_traits *is = kind_traits(kind);

	switch (table_judge(t, kind, from, to, mask, NULL, NULL)) {
	case TABLE_PAIR:
		return mask & A_STATE ? is->step.pair : is->step.state;
	case TABLE_MISSING:
		return mask & A_STATE ? is->step.missing : is->step.state;
	case TABLE_SURPLUS:
		return mask & A_STATE ? is->step.surplus : is->step.state;
	default:
		break;
	}
	return mask & t->cell[from][to][kind].optional ? is->step.option
						       : ROW_MOD_ACCEPT;
}

enum row table_row(const struct qp_table *t, enum qp_kind kind, int from,
		   int to, uint32_t mask)
{
	uint32_t surplus;

	if (kind_is_vendors(kind))
		return vendors_row(t, kind, from, to, mask);
	switch (table_judge(t, kind, from, to, mask, NULL, &surplus)) {
	case TABLE_CUR_STATE:
		return ROW_CUR_WHERE;
	case TABLE_PAIR:
		return pair_row(from, to, mask);
	case TABLE_MISSING:
		return ROW_TABLE_MISSING;
	case TABLE_SURPLUS:
		return surplus_row(kind, from, to, mask, surplus);
	case TABLE_OK:
		break;
	}
	return allowed_row(from, to, mask);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which row a transition rests on: the plain rule, or the contested point that
 * lies exactly there. Model, generator and explain all ask here.
 */
#include "contract/contract.h"

static bool newer_tables_pace_rc(int from, int to)
{
	return (from == IBV_QPS_INIT && to == IBV_QPS_RTR) ||
	       (from == IBV_QPS_RTR && to == IBV_QPS_RTS) ||
	       (from == IBV_QPS_RTS && to == IBV_QPS_RTS);
}

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
	if (surplus == A_RATE_LIMIT && kind == QK_RC &&
	    newer_tables_pace_rc(from, to))
		return ROW_MASK_RATE_RC;
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

/* Moves that the table allows and some devices cannot make. */
static enum row move_row(int from, int to, uint32_t mask)
{
	if (from == IBV_QPS_RESET && to == IBV_QPS_RESET && mask)
		return ROW_RESET_TO_RESET;
	if (from == IBV_QPS_RTS && to == IBV_QPS_SQD)
		return ROW_RTS_TO_SQD;
	if (from == IBV_QPS_SQD && to == IBV_QPS_SQD)
		return ROW_SQD_TO_SQD;
	return ROW_MOD_ACCEPT;
}

/* The types of vendors have rows of their own, and no contested points but
 * what an attribute does that a step can do without. */
static enum row vendors_row(const struct qp_table *t, enum qp_kind kind,
			    int from, int to, uint32_t mask)
{
	static const struct {
		enum row state, pair, missing, surplus, option;
	} rows[QK_END] = {
		[QK_DCI] = {ROW_DCI_STATE, ROW_DCI_PAIR, ROW_DCI_MISSING,
			    ROW_DCI_SURPLUS, ROW_DCI_OPTION},
		[QK_DCT] = {ROW_DCT_STATE, ROW_DCT_BEYOND_RTR, ROW_DCT_MISSING,
			    ROW_DCT_SURPLUS, ROW_MOD_ACCEPT},
	};
	enum table_verdict verdict =
		table_judge(t, kind, from, to, mask, NULL, NULL);

	if (verdict == TABLE_PAIR)
		return mask & A_STATE ? rows[kind].pair : rows[kind].state;
	if (verdict == TABLE_MISSING)
		return mask & A_STATE ? rows[kind].missing : rows[kind].state;
	if (verdict == TABLE_SURPLUS)
		return mask & A_STATE ? rows[kind].surplus : rows[kind].state;
	return mask & t->cell[from][to][kind].optional ? rows[kind].option
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
	return move_row(from, to, mask);
}

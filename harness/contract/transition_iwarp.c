/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which row a transition of an iWARP queue pair depends on. RDMAC verbs
 * have five states, which drivers map to verbs: RESET and INIT are IDLE, SQD is
 * CLOSING, SQE is TERMINATE. RTR has no counterpart.
 */
#include "contract/contract.h"

static bool is_idle(int state)
{
	return state == IBV_QPS_RESET || state == IBV_QPS_INIT;
}

static enum row from_idle(int to)
{
	if (is_idle(to))
		return ROW_MOD_ACCEPT;
	switch (to) {
	case IBV_QPS_RTR:
		return ROW_IWARP_RTR;
	case IBV_QPS_RTS:
		return ROW_IWARP_RTS;
	case IBV_QPS_ERR:
		return ROW_IWARP_IDLE_ERR;
	default:
		return ROW_IWARP_PAIR;
	}
}

static enum row from_rts(int to)
{
	switch (to) {
	case IBV_QPS_RTS:
	case IBV_QPS_ERR:
		return ROW_MOD_ACCEPT;
	case IBV_QPS_RESET:
		return ROW_IWARP_RTS_RESET;
	case IBV_QPS_SQD:
		return ROW_IWARP_CLOSE;
	case IBV_QPS_SQE:
		return ROW_IWARP_TERMINATE;
	default:
		return ROW_IWARP_PAIR;
	}
}

static enum row from_error(int to)
{
	if (is_idle(to))
		return ROW_IWARP_ERR_IDLE;
	switch (to) {
	case IBV_QPS_RTS:
		return ROW_IWARP_RTS;
	case IBV_QPS_ERR:
		return ROW_MOD_ACCEPT;
	default:
		return ROW_IWARP_PAIR;
	}
}

enum row iwarp_row(int from, int to, uint32_t mask)
{
	if (!mask)
		return ROW_IWARP_CM_MASK;
	if (!(mask & A_STATE))
		return ROW_MOD_ACCEPT;
	if (to == IBV_QPS_INIT && is_idle(from) &&
	    mask == (A_STATE | A_ACCESS_FLAGS))
		return ROW_IWARP_CM_MASK;
	if (is_idle(from))
		return from_idle(to);
	if (from == IBV_QPS_RTS)
		return from_rts(to);
	if (from == IBV_QPS_ERR)
		return from_error(to);
	return to == IBV_QPS_RTS ? ROW_IWARP_RTS : ROW_IWARP_ENDING;
}

bool iwarp_plain(enum qp_kind kind, int from, int to, uint32_t mask)
{
	if (!mask || mask == A_STATE)
		return true;
	if (iwarp_row(from, to, mask) == ROW_IWARP_CM_MASK)
		return true;
	return (mask & A_STATE) && table_judge(qp_table(), kind, from, to, mask,
					       NULL, NULL) == TABLE_OK;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds the transition table from pairs.def and transitions.def, and the man
 * page's table from manpage.def.
 */
#include "contract/contract.h"

#define ACCESS_FLAGS	    A_ACCESS_FLAGS
#define ALT_PATH	    A_ALT_PATH
#define AV		    A_AV
#define CUR_STATE	    A_CUR_STATE
#define DEST_QPN	    A_DEST_QPN
#define EN_SQD_ASYNC_NOTIFY A_EN_SQD_ASYNC_NOTIFY
#define MAX_DEST_RD_ATOMIC  A_MAX_DEST_RD_ATOMIC
#define MAX_QP_RD_ATOMIC    A_MAX_QP_RD_ATOMIC
#define MIN_RNR_TIMER	    A_MIN_RNR_TIMER
#define PATH_MIG_STATE	    A_PATH_MIG_STATE
#define PATH_MTU	    A_PATH_MTU
#define PKEY_INDEX	    A_PKEY_INDEX
#define PORT		    A_PORT
#define QKEY		    A_QKEY
#define RATE_LIMIT	    A_RATE_LIMIT
#define RETRY_CNT	    A_RETRY_CNT
#define RNR_RETRY	    A_RNR_RETRY
#define RQ_PSN		    A_RQ_PSN
#define SQ_PSN		    A_SQ_PSN
#define STATE		    A_STATE
#define TIMEOUT		    A_TIMEOUT

static const struct qp_table table = {
	.valid =
		{
#define PAIR(from, to, is)                                                     \
	[IBV_QPS_##from][IBV_QPS_##to] = {[0 ... QK_NR - 1] = is},
#include "contract/tables/pairs.def"
#define TRANS(from, to, type, req, opt)                                        \
	[IBV_QPS_##from][IBV_QPS_##to][QK_##type] = true,
#define VENDORS_TRANSITIONS
#include "vendor/vendors.def"
		},
	.cell =
		{
#define TRANS(from, to, type, req, opt)                                        \
	[IBV_QPS_##from][IBV_QPS_##to][QK_##type] = {req, opt, 0},
#include "contract/tables/transitions.def"
		},
};

static const uint32_t man[QK_END][STATE_NR] = {
#define MAN(type, next, attributes) [QK_##type][IBV_QPS_##next] = attributes,
#include "contract/tables/manpage.def"
};

const struct qp_table *qp_table(void)
{
	return &table;
}

bool man_required(enum qp_kind kind, int from, int to, uint32_t *required)
{
	/* The page's chain: Reset --> Init --> RTR --> RTS. */
	if (to != from + 1 || to > IBV_QPS_RTS)
		return false;
	*required = man[kind][to];
	return *required != 0;
}

bool kind_stops_in_sqe(enum qp_kind kind)
{
	return kind == QK_UC || kind == QK_UD || kind == QK_RAW_PACKET;
}

bool kind_reaches(enum qp_kind kind, int state)
{
	int path[STATE_NR], from = IBV_QPS_RESET;
	int n = state_path(state, path);

	for (int i = 0; i < n; i++) {
		if (!table.valid[from][path[i]][kind])
			return false;
		from = path[i];
	}
	return n >= 0;
}

bool kind_enters(enum qp_kind kind, int state)
{
	return state == IBV_QPS_SQE ? kind_stops_in_sqe(kind)
				    : kind_reaches(kind, state);
}

int state_path(int to, int path[STATE_NR])
{
	static const int order[] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
				    IBV_QPS_SQD};
	int n = 0;

	if (to == IBV_QPS_RESET)
		return 0;
	if (to == IBV_QPS_SQE)
		return -1; /* only a send error leads there */
	if (to == IBV_QPS_ERR) {
		path[n++] = IBV_QPS_INIT;
		path[n++] = IBV_QPS_ERR;
		return n;
	}
	do
		path[n] = order[n];
	while (order[n++] != to);
	return n;
}

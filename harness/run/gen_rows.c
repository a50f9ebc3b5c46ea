/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides, from the tables alone, what a mask on a pair of states rests on:
 * the row that judges it, and the claims without which it cannot be tried.
 */
#include "run/gen.h"

static bool connected_state(int state)
{
	return state != IBV_QPS_RESET && state != IBV_QPS_INIT &&
	       state != IBV_QPS_ERR;
}

bool gen_stops_in_sqe(enum qp_kind kind)
{
	return kind == QK_UC || kind == QK_UD || kind == QK_RAW_PACKET;
}

enum claim gen_claim(const struct gen *g, enum qp_kind kind, int from, int to)
{
	bool connects = connected_state(from) ||
			(qp_table()->valid[from][to] && connected_state(to));
	uint32_t rtr = gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR);
	enum claim claims[6] = {claim_of_kind(kind)};
	int n = 1;

	if (kind == QK_XRC_SEND || kind == QK_XRC_RECV)
		claims[n++] = CLAIM_XRC;
	if (connects)
		claims[n++] = CLAIM_VERBS_CONNECT;
	if (connects && (rtr & A_AV) && g->global)
		claims[n++] = CLAIM_GID;
	if (from == IBV_QPS_SQE)
		claims[n++] =
			gen_stops_in_sqe(kind) ? CLAIM_SQE : CLAIM_SQE_TYPE;
	claims[n] = CLAIM_NONE;
	return gen_missing(g, claims);
}

enum claim gen_claim_mask(const struct gen *g, enum qp_kind kind, int from,
			  int to, uint32_t mask)
{
	enum claim claim = gen_claim(g, kind, from, to);

	if (claim != CLAIM_NONE)
		return claim;
	if ((mask & (A_ALT_PATH | A_PATH_MIG_STATE)) &&
	    !claim_holds(CLAIM_APM, g->d))
		return CLAIM_APM;
	if ((mask & A_RATE_LIMIT) && !claim_holds(CLAIM_RATE_LIMIT, g->d))
		return CLAIM_RATE_LIMIT;
	return CLAIM_NONE;
}

static enum row pair_row(int from, int to)
{
	if (from == IBV_QPS_RESET && to == IBV_QPS_RESET)
		return ROW_RESET_TO_RESET;
	if (from == IBV_QPS_RTS && to == IBV_QPS_SQD)
		return ROW_RTS_TO_SQD;
	if (from == IBV_QPS_SQD && to == IBV_QPS_SQD)
		return ROW_SQD_TO_SQD;
	return ROW_MOD_ACCEPT;
}

static enum row surplus_row(enum qp_kind kind, int from, int to,
			    uint32_t surplus)
{
	if (surplus & A_CAP)
		return ROW_CAP_RESIZE;
	if (kind == QK_RAW_PACKET && from == IBV_QPS_INIT &&
	    to == IBV_QPS_INIT && (surplus & A_PORT))
		return ROW_RAW_PORT_INIT;
	return ROW_TABLE_SURPLUS;
}

/* What the table says about a mask that has come through the layers above. */
static enum row table_row(enum qp_kind kind, int from, int to, uint32_t mask)
{
	uint32_t surplus;

	switch (table_judge(qp_table(), kind, from, to, mask, NULL, &surplus)) {
	case TABLE_CUR_STATE:
		return ROW_CUR_WHERE;
	case TABLE_PAIR:
		if (from == IBV_QPS_RESET && to == IBV_QPS_ERR &&
		    mask == A_STATE)
			return ROW_RESET_TO_ERR;
		return ROW_PAIR_INVALID;
	case TABLE_MISSING:
		return ROW_TABLE_MISSING;
	case TABLE_SURPLUS:
		return surplus_row(kind, from, to, surplus);
	case TABLE_OK:
		break;
	}
	return pair_row(from, to);
}

static bool rate_limit_contested(enum qp_kind kind, int from, int to)
{
	return kind == QK_RC && from <= to && to <= IBV_QPS_RTS &&
	       from >= IBV_QPS_INIT && qp_table()->valid[from][to] &&
	       to != IBV_QPS_INIT;
}

static enum row bits_row(enum qp_kind kind, int from, int to, uint32_t mask)
{
	if (mask & ~(uint32_t)(A_DEFINED | A_RESERVED))
		return ROW_MASK_UNKNOWN;
	if (mask & A_RESERVED)
		return ROW_MASK_RESERVED;
	if (!(mask & A_RATE_LIMIT) ||
	    (gen_allowed(kind, from, to) & A_RATE_LIMIT))
		return ROW_NONE;
	return rate_limit_contested(kind, from, to) ? ROW_MASK_RATE_RC
						    : ROW_MASK_RATE;
}

static enum row stateless_row(enum qp_kind kind, int state, uint32_t mask)
{
	enum table_verdict v =
		table_judge(qp_table(), kind, state, state, mask, NULL, NULL);

	if (v == TABLE_OK)
		return pair_row(state, state);
	return mask ? ROW_MASK_NO_STATE : ROW_MASK_ZERO;
}

enum row gen_row(const struct gen *g, enum qp_kind kind, int from, int to,
		 uint32_t mask)
{
	uint32_t kept = mask & ~xrc_dropped(kind);
	enum row row = bits_row(kind, from, to, mask);

	if (row != ROW_NONE)
		return row;
	if (device_iwarp(g->d))
		return ROW_IWARP_TABLE;
	if (kind == QK_UC && from == IBV_QPS_SQD && to == IBV_QPS_SQD &&
	    (mask & A_AV))
		return ROW_UC_AV_SQD;
	if (!(mask & A_STATE))
		return stateless_row(kind, from, kept);
	row = table_row(kind, from, to, kept);
	return row == ROW_MOD_ACCEPT && kept != mask ? ROW_XRC_RC_MASK : row;
}

bool row_accepts(enum row row)
{
	return out_errno(rule(row)->out[0]) == 0 &&
	       rule(row)->out[0] != OUT_UNCHANGED;
}

const char *attr_label(int bit, char buf[16])
{
	snprintf(buf, 16, "bit%d", bit);
	return attr_name(bit) ? attr_name(bit) : buf;
}

void gen_plus(char *name)
{
	for (; *name; name++)
		*name = *name == '|' ? '+' : *name;
}

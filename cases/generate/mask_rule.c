/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Computes from the tables the rule that judges a mask on a pair of states, and
 * the claims without which the case cannot be tried.
 */
#include "cases/generate/generate.h"

static bool connected_state(int state)
{
	return state != IBV_QPS_RESET && state != IBV_QPS_INIT &&
	       state != IBV_QPS_ERR;
}

/* iWARP has no RTR, and a queue pair leaves SQE by itself. */
static enum claim iwarp_claim(const struct gen *g, enum qp_kind kind, int from,
			      int to)
{
	bool rtr = from == IBV_QPS_RTR || from == IBV_QPS_SQE ||
		   (from == IBV_QPS_INIT && to == IBV_QPS_RTR);
	enum claim claims[3] = {claim_of_kind(kind)};
	int n = 1;

	if (rtr)
		claims[n++] = CLAIM_VERBS_CONNECT;
	else if (from == IBV_QPS_RTS || from == IBV_QPS_SQD)
		claims[n++] = CLAIM_IWARP_CM;
	claims[n] = CLAIM_NONE;
	return gen_missing(g, claims);
}

enum claim gen_claim(const struct gen *g, enum qp_kind kind, int from, int to)
{
	bool connects =
		connected_state(from) ||
		(qp_table()->valid[from][to][kind] && connected_state(to));
	uint32_t rtr = gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR);
	enum claim claims[7] = {claim_of_kind(kind)};
	int n = 1;

	if (kind == QK_XRC_SEND || kind == QK_XRC_RECV)
		claims[n++] = CLAIM_XRC;
	if (device_iwarp(g->d))
		return iwarp_claim(g, kind, from, to);
	if (connects)
		claims[n++] = CLAIM_VERBS_CONNECT;
	if (connects && (rtr & A_AV) && g->global)
		claims[n++] = CLAIM_GID;
	if (kind_is_vendors(kind) && !kind_reaches(kind, from))
		claims[n++] = kind_traits(kind)->reach;
	else if (from == IBV_QPS_SQE)
		claims[n++] =
			kind_stops_in_sqe(kind) ? CLAIM_SQE : CLAIM_SQE_TYPE;
	claims[n] = CLAIM_NONE;
	return gen_missing(g, claims);
}

enum claim gen_claim_mask(const struct gen *g, enum qp_kind kind, int from,
			  int to, uint32_t mask)
{
	enum claim claim = gen_claim(g, kind, from, to);

	if (mask & (A_ALT_PATH | A_PATH_MIG_STATE))
		claim = gen_also(g, claim, CLAIM_APM);
	if (mask & A_RATE_LIMIT)
		claim = gen_also(g, claim, claim_of_pacing(kind));
	return claim;
}

/* Returns the rule about bits that are no attributes, or about RATE_LIMIT on a
 * type without packet pacing; else ROW_NONE. A transition that allows
 * RATE_LIMIT has cases that need the claim. */
static enum row bits_row(const struct gen *g, enum qp_kind kind, int from,
			 int to, uint32_t mask)
{
	bool paced = gen_allowed(kind, from, to) & A_RATE_LIMIT ||
		     device_paces(g->d, kind);

	if (mask & ~(uint32_t)(A_DEFINED | A_RESERVED))
		return ROW_MASK_UNKNOWN;
	if (mask & A_RESERVED)
		return ROW_MASK_RESERVED;
	return mask & A_RATE_LIMIT && !paced ? ROW_MASK_RATE : ROW_NONE;
}

static enum row iwarp_gen_row(enum qp_kind kind, int from, int to,
			      uint32_t mask)
{
	int next = mask & A_STATE ? to : from;
	enum row row = iwarp_row(from, next, mask);

	if (!iwarp_plain(kind, from, next, mask) &&
	    (row == ROW_MOD_ACCEPT || row_accepts(row)))
		return ROW_IWARP_TABLE;
	return row;
}

enum row gen_row(const struct gen *g, enum qp_kind kind, int from, int to,
		 uint32_t mask)
{
	uint32_t passed = uverbs_mask(kind, to, mask);
	enum row table = table_row(qp_table(), kind, from, to, passed);
	enum row bits = bits_row(g, kind, from, to, mask);

	if (bits != ROW_NONE)
		return bits;
	if (device_iwarp(g->d))
		return iwarp_gen_row(kind, from, to, mask);
	if (table == ROW_MOD_ACCEPT && mask & xrc_dropped(kind))
		return ROW_XRC_RC_MASK;
	return table;
}

void gen_plus(char *name)
{
	for (; *name; name++)
		*name = *name == '|' ? '+' : *name;
}

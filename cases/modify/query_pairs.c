// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_query_qp of pairs of attributes that are alike: each of the two reports
 * its own value. Cases have different values for both, and the same values
 * exchanged.
 */
#include "cases/generate/generate.h"

/* Two attributes, with two values that both may have. */
static const struct pair {
	const char *name;
	uint32_t mask_a, mask_b;
	enum field a, b;
	int64_t x, y;
} pairs[] = {
	{"retries", A_RETRY_CNT, A_RNR_RETRY, F_retry_cnt, F_rnr_retry, 5, 2},
	{"timers", A_TIMEOUT, A_MIN_RNR_TIMER, F_timeout, F_min_rnr_timer, 17,
	 9},
	{"reads", A_MAX_QP_RD_ATOMIC, A_MAX_DEST_RD_ATOMIC, F_max_rd_atomic,
	 F_max_dest_rd_atomic, 1, 2},
	{"psns", A_SQ_PSN, A_RQ_PSN, F_sq_psn, F_rq_psn, 0x123456, 0x654321},
	{"timer-and-retries", A_MIN_RNR_TIMER, A_RETRY_CNT, F_min_rnr_timer,
	 F_retry_cnt, 3, 6},
	{"timer-and-rnr-retries", A_MIN_RNR_TIMER, A_RNR_RETRY, F_min_rnr_timer,
	 F_rnr_retry, 4, 1},
};

/* Returns the attributes that a queue pair needs on its way to RTS. */
static uint32_t needed(enum qp_kind kind)
{
	return gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR) |
	       gen_minimal(kind, IBV_QPS_RTR, IBV_QPS_RTS);
}

static bool has_pair(const struct gen *g, enum qp_kind kind,
		     const struct pair *is)
{
	uint32_t both = is->mask_a | is->mask_b;

	if (is->mask_a == A_MAX_QP_RD_ATOMIC &&
	    (g->d->limit[LIM_max_qp_rd_atom] < (uint64_t)is->y ||
	     g->d->limit[LIM_max_qp_init_rd_atom] < (uint64_t)is->y))
		return false;
	return (needed(kind) & both) == both;
}

/* Brings the queue pair to RTS with these values. */
static void bring(struct gen *g, const struct gen_values *v)
{
	gen_bring(g, g->qp, IBV_QPS_INIT);
	gen_modify(g, g->qp, gen_minimal(g->kind, IBV_QPS_INIT, IBV_QPS_RTR),
		   IBV_QPS_INIT, IBV_QPS_RTR, v);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, gen_minimal(g->kind, IBV_QPS_RTR, IBV_QPS_RTS),
		   IBV_QPS_RTR, IBV_QPS_RTS, v);
}

/* Queries all attributes, and each of the two alone. */
static void query(struct gen *g, const struct pair *is)
{
	const uint32_t masks[] = {is->mask_a, is->mask_b};

	gen_query(g, g->qp);
	for (size_t i = 0; i < COUNT(masks); i++) {
		gen_make(g, V_query_qp, g->qp);
		prog_num(g->p, F_mask, masks[i]);
	}
}

static void reported(struct gen *g, enum qp_kind kind, const struct pair *is,
		     bool exchanged)
{
	struct gen_values v = {0};

	if (!has_pair(g, kind, is) ||
	    !gen_id(g, "pairs/%s%s", is->name, exchanged ? "-exchanged" : "") ||
	    !gen_says_rule(g, ROW_VAL_READBACK,
			   gen_claim(g, kind, IBV_QPS_RTR, IBV_QPS_RTS),
			   "ibv_query_qp of %s in RTS, two attributes that are "
			   "alike",
			   qp_kind_name(kind)))
		return;
	gen_value(&v, is->a, NULL, exchanged ? is->y : is->x);
	gen_value(&v, is->b, NULL, exchanged ? is->x : is->y);
	gen_qp(g, kind);
	bring(g, &v);
	query(g, is);
	gen_done(g);
}

void gen_modify_query_pairs(struct gen *g, enum qp_kind kind)
{
	if (device_iwarp(g->d) || kind_is_vendors(kind) ||
	    !kind_enters(kind, IBV_QPS_RTS))
		return;
	gen_prefix(g, "query/%s/rts/", qp_kind_slug(kind));
	for (size_t i = 0; i < COUNT(pairs); i++) {
		reported(g, kind, &pairs[i], false);
		reported(g, kind, &pairs[i], true);
	}
}

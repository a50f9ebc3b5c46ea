// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for the number of a DCT, which it gets on its way to RTR, and for its
 * queries, which are accepted only in RTR.
 */
#include "vendor-mlx5/cases/cases.h"

/* Two DCTs at the same time: queries show that their numbers differ. */
static void numbers(struct gen *g)
{
	uint8_t other;

	if (!gen_id(g, "number") ||
	    !gen_says(g, ROW_DCT_NUMBER,
		      gen_claim(g, QK_DCT, IBV_QPS_RTR, IBV_QPS_RTR), "%s",
		      rule(ROW_DCT_NUMBER)->text))
		return;
	gen_fixture(g, QK_DCT, IBV_QPS_RTR);
	gen_query(g, g->qp);
	other = gen_qp_of(g, QK_DCT);
	gen_bring(g, other, IBV_QPS_RTR);
	gen_query(g, other);
	gen_query(g, g->qp);
	gen_call(g, V_destroy_qp, g->qp);
	gen_query(g, other);
	gen_done(g);
}

static void query(struct gen *g, int state, uint32_t mask, enum row row,
		  const char *name)
{
	if (gen_id(g, "query/%s/%s", state_slug(state), name))
		gen_modify_query_mask(g, QK_DCT, state, mask, row, name);
}

/* sq_draining is read by a query, so it is refused as well. */
static void draining(struct gen *g, int state)
{
	if (!gen_id(g, "query/%s/draining", state_slug(state)) ||
	    !gen_says_rule(g, ROW_DCT_QUERY_STATE,
			   gen_claim(g, QK_DCT, state, state),
			   "sq_draining of DCT in %s", state_name(state)))
		return;
	gen_modify_query_draining(g, QK_DCT, state);
}

static enum row mask_row(uint32_t mask)
{
	uint32_t queried = kind_traits(QK_DCT)->queried;

	if (mask & ~(uint32_t)(A_DEFINED | A_RESERVED))
		return ROW_QRY_UNKNOWN;
	if (mask & A_RATE_LIMIT)
		return ROW_QRY_RATE;
	return mask & ~queried ? ROW_DCT_QUERY_MASK : ROW_QRY_ACCEPT;
}

void mlx5_gen_dct(struct gen *g)
{
	uint32_t queried = kind_traits(QK_DCT)->queried;
	char buf[16];

	gen_prefix(g, "mlx5/dct/");
	numbers(g);
	for (int state = IBV_QPS_RESET; state < IBV_QPS_RTR; state++) {
		query(g, state, A_STATE, ROW_DCT_QUERY_STATE, "STATE");
		query(g, state, queried, ROW_DCT_QUERY_STATE, "all");
		draining(g, state);
	}
	for (int bit = 0; bit < 32; bit++)
		query(g, IBV_QPS_RTR, 1u << bit, mask_row(1u << bit),
		      attr_label(bit, buf));
	query(g, IBV_QPS_RTR, queried, ROW_QRY_ACCEPT, "all");
	query(g, IBV_QPS_RTR, A_STANDARD, ROW_DCT_QUERY_MASK, "standard");
}

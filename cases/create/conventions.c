/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Return values of verbs: sign and errno of a refusal, outputs and inputs that
 * stay unchanged. Each case has an accepted and a refused call.
 */
#include "cases/generate/generate.h"

static bool convention(struct gen *g, const char *name, enum row row,
		       enum claim claim)
{
	return gen_id(g, "%s", name) &&
	       gen_says(g, row, claim, "%s", rule(row)->text);
}

static void of_modify(struct gen *g)
{
	enum claim claim = gen_claim(g, QK_UD, IBV_QPS_RESET, IBV_QPS_INIT);
	uint32_t init = gen_minimal(QK_UD, IBV_QPS_RESET, IBV_QPS_INIT);

	if (convention(g, "modify-return", ROW_MOD_RETURN, claim)) {
		gen_qp(g, QK_UD);
		gen_modify(g, g->qp, init & ~(uint32_t)A_QKEY, 0, IBV_QPS_INIT,
			   NULL);
		gen_modify(g, g->qp, init | 1u << 31, 0, IBV_QPS_INIT, NULL);
		gen_modify(g, g->qp, init, 0, IBV_QPS_INIT, NULL);
		gen_done(g);
	}
	if (convention(g, "modify-input", ROW_MOD_CONST, claim)) {
		gen_qp(g, QK_UD);
		gen_modify(g, g->qp, init, 0, IBV_QPS_INIT, NULL);
		prog_num(g->p, F_poison, 2);
		gen_modify(g, g->qp, init, IBV_QPS_INIT, IBV_QPS_SQE, NULL);
		prog_num(g->p, F_poison, 1);
		gen_query(g, g->qp);
		gen_done(g);
	}
	if (convention(g, "query-return", ROW_QRY_RETURN, claim)) {
		gen_qp(g, QK_UD);
		gen_make(g, V_query_qp, g->qp);
		prog_num(g->p, F_mask, A_RATE_LIMIT);
		gen_make(g, V_query_qp, g->qp);
		prog_num(g->p, F_mask, A_QKEY | A_STATE);
		gen_done(g);
	}
}

static void of_create(struct gen *g)
{
	enum claim claim = gen_claim(g, QK_UD, IBV_QPS_RESET, IBV_QPS_RESET);

	if (convention(g, "create-return", ROW_CRE_RETURN, claim)) {
		gen_qp(g, QK_UD);
		gen_qp_of(g, QK_UD);
		prog_num(g->p, F_max_send_wr, 0xffffffff);
		gen_qp_of(g, QK_UD);
		prog_num(g->p, F_qp_type, 1);
		gen_done(g);
	}
	if (convention(g, "create-input", ROW_CRE_CONST, claim)) {
		gen_parents(g, QK_UD);
		gen_qp_by(g, QK_UD, true);
		prog_num(g->p, F_max_send_wr, 6);
		gen_qp_by(g, QK_UD, true);
		prog_num(g->p, F_max_recv_sge, 0xffffffff);
		gen_done(g);
	}
}

/* Each object shows the context pointer that it was created with. */
static void of_context(struct gen *g)
{
	enum claim claim = gen_claim(g, QK_UD, IBV_QPS_RESET, IBV_QPS_RESET);

	if (convention(g, "create-context", ROW_CRE_CONTEXT, claim)) {
		gen_parents(g, QK_UD);
		gen_query_all(g, gen_qp_by(g, QK_UD, false));
		gen_query_all(g, gen_qp_by(g, QK_UD, true));
		gen_done(g);
	}
	if (convention(g, "srq-context", ROW_CRE_CONTEXT,
		       gen_needs(g, CLAIM_SRQ))) {
		gen_call(g, V_query_srq, gen_srq(g, gen_pd(g)));
		gen_done(g);
	}
	if (convention(g, "xrc-srq-context", ROW_CRE_CONTEXT,
		       gen_needs(g, CLAIM_SRQ, CLAIM_XRC))) {
		gen_parents(g, QK_XRC_RECV);
		gen_call(g, V_query_srq,
			 gen_xrc_srq(g, gen_pd(g), g->xrcd, gen_cq(g)));
		gen_done(g);
	}
}

static void of_others(struct gen *g)
{
	uint8_t pd, mr;

	if (convention(g, "object-return", ROW_OBJ_RETURN, CLAIM_NONE)) {
		gen_pd(g);
		gen_make(g, V_create_cq, NO_OBJ);
		prog_num(g->p, F_cqe, 0);
		gen_cq(g);
		gen_done(g);
	}
	if (convention(g, "int-return", ROW_INT_RETURN, CLAIM_NONE)) {
		pd = gen_pd(g);
		mr = gen_mr(g, pd);
		gen_call(g, V_dealloc_pd, pd);
		gen_call(g, V_dereg_mr, mr);
		mr = gen_mr(g, pd);
		gen_call(g, V_dealloc_pd, pd);
		gen_call(g, V_dereg_mr, mr);
		gen_call(g, V_dealloc_pd, pd);
		gen_done(g);
	}
	if (convention(g, "minus-one-return", ROW_MINUS_RETURN, CLAIM_NONE)) {
		for (uint64_t port = 0; port < 2; port++) {
			gen_call(g, V_query_gid, NO_OBJ);
			prog_num(g->p, F_index_port_num, port);
			gen_call(g, V_query_pkey, NO_OBJ);
			prog_num(g->p, F_index_port_num, port);
		}
		gen_done(g);
	}
}

/* An object that the device does not support is refused with the right errno.
 */
static void unoffered(struct gen *g, const char *name, enum claim claim,
		      uint8_t (*make)(struct gen *g))
{
	if (claim_holds(claim, g->d) || !gen_id(g, "unoffered/%s", name) ||
	    !gen_says_rule(g, ROW_OBJ_UNSUPPORTED, CLAIM_NONE,
			   "A %s on a device that has none", name))
		return;
	g->pd = gen_pd(g);
	make(g);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

static uint8_t make_srq(struct gen *g)
{
	return gen_srq(g, g->pd);
}

static uint8_t make_wq(struct gen *g)
{
	return gen_wq(g, g->pd, gen_cq(g));
}

static uint8_t make_ah(struct gen *g)
{
	return gen_ah(g, g->pd);
}

void gen_create_conventions(struct gen *g)
{
	gen_prefix(g, "convention/");
	of_modify(g);
	of_create(g);
	of_context(g);
	of_others(g);
	unoffered(g, "xrcd", CLAIM_XRC, gen_xrcd);
	unoffered(g, "srq", CLAIM_SRQ, make_srq);
	unoffered(g, "wq", CLAIM_WQ, make_wq);
	unoffered(g, "ah", CLAIM_VERBS_CONNECT, make_ah);
}

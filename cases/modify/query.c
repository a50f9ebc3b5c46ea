/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_query_qp in every state: the attributes given at creation, the state, and
 * the masks; and destroying a queue pair in every state.
 */
#include "cases/generate/generate.h"

static enum row mask_row(uint32_t mask)
{
	if (mask & ~(uint32_t)(A_DEFINED | A_RESERVED))
		return ROW_QRY_UNKNOWN;
	if (mask & A_RATE_LIMIT)
		return ROW_QRY_RATE;
	switch (mask) {
	case A_STATE:
		return ROW_QRY_STATE;
	case A_CUR_STATE:
		return ROW_QRY_CUR_STATE;
	case A_CAP:
		return ROW_QRY_CAP;
	default:
		return mask & A_RESERVED ? ROW_QRY_RESERVED : ROW_QRY_ACCEPT;
	}
}

void gen_modify_query_mask(struct gen *g, enum qp_kind kind, int state,
			   uint32_t mask, enum row row, const char *name)
{
	if (!gen_says_rule(g, row, gen_claim(g, kind, state, state),
			   "ibv_query_qp of %s in %s with %s",
			   qp_kind_name(kind), state_name(state), name))
		return;
	gen_fixture(g, kind, state);
	gen_make(g, V_query_qp, g->qp);
	prog_num(g->p, F_mask, mask);
	gen_query(g, g->qp);
	gen_done(g);
}

static void query_mask_case(struct gen *g, enum qp_kind kind, int state,
			    uint32_t mask, const char *name)
{
	if (gen_id(g, "%s", name))
		gen_modify_query_mask(g, kind, state, mask, mask_row(mask),
				      name);
}

static void masks(struct gen *g, enum qp_kind kind, int state)
{
	char buf[16], name[48];

	query_mask_case(g, kind, state, 0, "mask-0");
	for (int bit = 0; bit < 32; bit++) {
		snprintf(name, sizeof(name), "mask-%s", attr_label(bit, buf));
		query_mask_case(g, kind, state, 1u << bit, name);
	}
	query_mask_case(g, kind, state, A_STANDARD | A_RATE_LIMIT,
			"mask-all-rate");
	query_mask_case(g, kind, state, 0xffffffff, "mask-ones");
}

/* Creates the queue pair with other attributes than fixtures do. The last query
 * has an empty mask and so reports the creation attributes only. */
static void init_attr(struct gen *g, enum qp_kind kind, int state)
{
	if (!gen_id(g, "init-attr") ||
	    !gen_says(g, state == IBV_QPS_SQD ? ROW_QRY_DRAINING : ROW_QRY_INIT,
		      gen_claim(g, kind, state, state),
		      "ibv_query_qp of %s in %s reports the attributes given "
		      "at creation each time.",
		      qp_kind_name(kind), state_name(state)))
		return;
	gen_qp(g, kind);
	if (kind_has_send(kind)) {
		prog_num(g->p, F_max_send_wr, 7);
		prog_num(g->p, F_max_send_sge, 2);
		prog_num(g->p, F_sq_sig_all, 1);
	}
	if (kind_has_recv(kind)) {
		prog_num(g->p, F_max_recv_wr, 9);
		prog_num(g->p, F_max_recv_sge, 2);
		prog_obj(g->p, F_recv_cq, g->cq);
	}
	gen_bring(g, g->qp, state);
	gen_query(g, g->qp);
	gen_query(g, g->qp);
	gen_make(g, V_query_qp, g->qp);
	prog_num(g->p, F_mask, 0);
	gen_done(g);
}

/* The same for a queue pair that receives through an SRQ. */
static void init_attr_srq(struct gen *g, enum qp_kind kind, int state)
{
	uint8_t recv, srq;

	if ((kind != QK_RC && kind != QK_UD) || !gen_id(g, "init-attr-srq") ||
	    !gen_says(g, ROW_QRY_INIT,
		      gen_also(g, gen_claim(g, kind, state, state), CLAIM_SRQ),
		      "ibv_query_qp of %s with an SRQ in %s reports the "
		      "attributes given at creation.",
		      qp_kind_name(kind), state_name(state)))
		return;
	gen_parents(g, kind);
	recv = gen_cq(g);
	srq = gen_srq(g, g->pd);
	g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_send_wr, 7);
	prog_num(g->p, F_max_send_sge, 2);
	prog_num(g->p, F_sq_sig_all, 1);
	prog_obj(g->p, F_recv_cq, recv);
	prog_obj(g->p, F_srq, srq);
	gen_bring(g, g->qp, state);
	gen_make(g, V_query_qp, g->qp);
	prog_num(g->p, F_mask, 0);
	gen_done(g);
}

/* The attributes given at creation, in ERR and in RESET after another state. A
 * queue pair in ERR otherwise comes from RESET. */
static void init_attr_after(struct gen *g, enum qp_kind kind, int before,
			    int state, bool with_srq)
{
	uint8_t srq = NO_OBJ;

	if (!gen_id(g, "init-attr%s-after-%s", with_srq ? "-srq" : "",
		    state_slug(before)) ||
	    !gen_says(g, ROW_QRY_INIT,
		      gen_also(g, gen_claim(g, kind, before, state),
			       with_srq ? CLAIM_SRQ : CLAIM_NONE),
		      "ibv_query_qp of %s%s that went from %s to %s reports "
		      "the attributes given at creation.",
		      qp_kind_name(kind), with_srq ? " with an SRQ" : "",
		      state_name(before), state_name(state)))
		return;
	gen_parents(g, kind);
	if (with_srq)
		srq = gen_srq(g, g->pd);
	g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_send_wr, 7);
	prog_num(g->p, F_max_send_sge, 2);
	prog_num(g->p, F_sq_sig_all, 1);
	if (with_srq)
		prog_obj(g->p, F_srq, srq);
	gen_bring(g, g->qp, before);
	gen_step(g, g->qp, before, state);
	gen_make(g, V_query_qp, g->qp);
	prog_num(g->p, F_mask, 0);
	gen_query(g, g->qp);
	gen_done(g);
}

/* The same after each state that leads to ERR or RESET. */
static void init_attr_history(struct gen *g, enum qp_kind kind, int state)
{
	if ((state != IBV_QPS_ERR && state != IBV_QPS_RESET) ||
	    !kind_has_send(kind) || device_iwarp(g->d))
		return;
	for (int before = IBV_QPS_INIT; before < STATE_NR; before++) {
		if (before == state || !kind_enters(kind, before) ||
		    !qp_table()->valid[before][state][kind])
			continue;
		init_attr_after(g, kind, before, state, false);
		if (kind == QK_RC || kind == QK_UD)
			init_attr_after(g, kind, before, state, true);
	}
}

void gen_modify_query_draining(struct gen *g, enum qp_kind kind, int state)
{
	gen_fixture(g, kind, state);
	gen_call(g, V_wait_drained, g->qp);
	gen_done(g);
}

/* Outside SQD sq_draining may have any value; the query succeeds. */
static void draining(struct gen *g, enum qp_kind kind, int state)
{
	if (state == IBV_QPS_SQD || !gen_id(g, "draining") ||
	    !gen_says_rule(g, ROW_QRY_NOT_DRAINING,
			   gen_claim(g, kind, state, state),
			   "ibv_query_qp of %s in %s", qp_kind_name(kind),
			   state_name(state)))
		return;
	gen_modify_query_draining(g, kind, state);
}

static enum claim route_claim(const struct gen *g, enum qp_kind kind, int state)
{
	enum claim claim = gen_claim(g, kind, state, state);

	claim = gen_also(g, claim,
			 gen_claim(g, kind, IBV_QPS_RTR, IBV_QPS_RTR));
	return gen_also(g, claim, CLAIM_GID);
}

/* Brings the queue pair through RTR with the values `v` to RTR or a later
 * state. */
static void bring_routed(struct gen *g, int state, const struct gen_values *v)
{
	gen_bring(g, g->qp, IBV_QPS_INIT);
	gen_modify(g, g->qp, gen_minimal(g->kind, IBV_QPS_INIT, IBV_QPS_RTR),
		   IBV_QPS_INIT, IBV_QPS_RTR, v);
	if (state == IBV_QPS_RTR)
		return;
	gen_step(g, g->qp, IBV_QPS_RTR, IBV_QPS_RTS);
	if (state == IBV_QPS_SQE)
		gen_call(g, V_inject_send_error, g->qp);
	else if (state != IBV_QPS_RTS)
		gen_step(g, g->qp, IBV_QPS_RTS, state);
}

/* A global route is kept. Its values differ from the defaults. */
static void route(struct gen *g, enum qp_kind kind, int state)
{
	struct gen_values v = {0};

	if (state < IBV_QPS_RTR ||
	    !(gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR) & A_AV))
		return;
	if (!gen_id(g, "grh") ||
	    !gen_says(g, ROW_VAL_READBACK, route_claim(g, kind, state),
		      "ibv_query_qp of %s in %s reports the global route that "
		      "was set in RTR.",
		      qp_kind_name(kind), state_name(state)))
		return;
	gen_value(&v, F_ah_flow_label, NULL, 0x54321);
	gen_value(&v, F_ah_hop_limit, NULL, 63);
	gen_value(&v, F_ah_traffic_class, NULL, 0x2b);
	gen_qp(g, kind);
	bring_routed(g, state, &v);
	gen_query(g, g->qp);
	gen_query(g, g->qp);
	gen_done(g);
}

static void destroy(struct gen *g, enum qp_kind kind, int state)
{
	if (!gen_id(g, "destroy") ||
	    !gen_says(g, ROW_LIFE_ACCEPT, gen_claim(g, kind, state, state),
		      "%s in %s can be destroyed, and its parents afterwards.",
		      qp_kind_name(kind), state_name(state)))
		return;
	gen_fixture(g, kind, state);
	gen_call(g, V_destroy_qp, g->qp);
	if (kind == QK_XRC_RECV) {
		gen_call(g, V_close_xrcd, g->xrcd);
	} else {
		gen_call(g, V_destroy_cq, g->cq);
		gen_call(g, V_dealloc_pd, g->pd);
	}
	gen_done(g);
}

void gen_modify_query(struct gen *g, enum qp_kind kind)
{
	for (int state = 0; state < STATE_NR && !g->stop; state++) {
		if (!kind_enters(kind, state))
			continue;
		gen_prefix(g, "query/%s/%s/", qp_kind_slug(kind),
			   state_slug(state));
		init_attr(g, kind, state);
		init_attr_srq(g, kind, state);
		init_attr_history(g, kind, state);
		draining(g, kind, state);
		masks(g, kind, state);
		route(g, kind, state);
		gen_prefix(g, "lifetime/%s/%s/", qp_kind_slug(kind),
			   state_slug(state));
		destroy(g, kind, state);
	}
}

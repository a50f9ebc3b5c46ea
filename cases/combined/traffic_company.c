// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Who else uses the objects of combined traffic: another pair of queue pairs,
 * or an object that is like one of the traffic's and is destroyed before.
 */
#include "cases/combined/traffic.h"

static void twin_qp(const struct traffic *t)
{
	struct data twin = t->d;
	struct gen *g = t->d.p.g;
	uint8_t qp = g->qp;

	data_pair(&twin);
	gen_call(g, V_destroy_qp, twin.p.a);
	gen_call(g, V_destroy_qp, twin.p.b);
	g->qp = qp;
}

static void twin_mw(const struct traffic *t)
{
	struct gen *g = t->d.p.g;

	gen_call(g, V_dealloc_mw, gen_any_mw(g, g->pd));
}

static void twin_srq(const struct traffic *t)
{
	uint8_t srq;

	traffic_srq(t, &srq);
	gen_call(t->d.p.g, V_destroy_srq, srq);
}

static void twin_ah(struct gen *g, bool global)
{
	uint8_t ah = gen_ah(g, g->pd);

	if (global && !g->global) {
		prog_num(g->p, F_addr_is_global, 1);
		prog_mygid(g->p, F_addr_dgid);
		prog_sym(g->p, F_addr_sgid_index, "gid_index", 0);
	}
	gen_call(g, V_destroy_ah, ah);
}

void traffic_company(struct traffic *t)
{
	struct gen *g = t->d.p.g;
	uint32_t access = IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g);

	switch (t->row[COMPANY]) {
	case WITH_PAIR:
		post_both(&t->company.p, 0);
		return;
	case TWIN_QP:
		twin_qp(t);
		return;
	case TWIN_MR:
		gen_call(g, V_dereg_mr, traffic_region(t, access));
		return;
	case TWIN_MW:
		twin_mw(t);
		return;
	case TWIN_CQ:
		gen_call(g, V_destroy_cq, traffic_cq(t));
		return;
	case TWIN_SRQ:
		twin_srq(t);
		return;
	case TWIN_AH:
		twin_ah(g, false);
		twin_ah(g, claim_holds(CLAIM_GID, g->d));
		return;
	default:
		return;
	}
}

bool traffic_goes_astray(const struct traffic *t)
{
	return t->company.p.a != NO_OBJ && t->d.p.kind == QK_UD && t->row[ODD];
}

/* With an SRQ the message takes the traffic's first receive, and leaves its own
 * one to the traffic. */
void traffic_company_sends(struct traffic *t)
{
	static const struct length message = {"", NULL, TRAFFIC_LEAST};
	struct gen *g = t->d.p.g;

	if (t->company.p.a == NO_OBJ)
		return;
	traffic_receive(t, &t->company);
	data_send(&t->company, opcode_of(IBV_WR_SEND), 90 + t->round, &message);
	traffic_take_plain(t, 1, 1);
	gen_query(g, t->company.p.a);
}

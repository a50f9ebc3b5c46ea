// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Joins groups of IP by rdma_cm, as a host must that wants their messages from
 * the network: as full member, whose attached queue pair gets messages, and to
 * send only.
 */
#include "cases/data/multicast.h"

#define JOIN_MS 5000

/* 239.255.17.1, as RoCE v2 names it. */
static const union ibv_gid ip_group = {
	.raw = {[10] = 0xff, [11] = 0xff, 239, 255, 17, 1}};

void mcast_join(struct gen *g, uint8_t qp, const union ibv_gid *gid,
		bool send_only)
{
	gen_call(g, V_join_mcast, qp);
	prog_gid(g->p, F_join_gid, gid);
	prog_num(g->p, F_join_timeout, JOIN_MS);
	if (send_only)
		prog_num(g->p, F_join_send_only, 1);
}

static bool join_case(struct gen *g, const char *name, const char *how,
		      struct post *p)
{
	enum claim claim = post_claim(g, QK_UD, IBV_QPS_RTS, NULL);
	int source = device_gid4_v2(g->d);

	claim = gen_also(g, gen_also(g, claim, CLAIM_MCAST), CLAIM_MCAST_CM);
	if (!gen_id(g, "join/%s", name) ||
	    !gen_says_rule(g, ROW_MC_JOIN, claim,
			   "A group that rdma_cm joins %s", how))
		return false;
	gen_parents(g, QK_UD);
	*p = post_bare(g, QK_UD);
	p->mr = gen_mr(g, g->pd);
	p->ah = gen_make(g, V_create_ah, g->pd);
	prog_num(g->p, F_addr_is_global, 1);
	prog_gid(g->p, F_addr_dgid, &ip_group);
	prog_num(g->p, F_addr_sgid_index, source < 0 ? 0 : (uint64_t)source);
	prog_num(g->p, F_addr_hop_limit, 1);
	prog_sym(g->p, F_addr_port_num, "port", 0);
	return true;
}

void gen_data_multicast_join(struct gen *g)
{
	struct post p;

	gen_prefix(g, "mcast/");
	if (join_case(g, "member", "as full member", &p))
		mcast_some_arrive(&p, &ip_group, true);
	if (join_case(g, "send-only", "to send only", &p)) {
		g->qp = gen_qp_of(g, QK_UD);
		post_bring(&p, g->qp, g->qp, IBV_QPS_RTS);
		mcast_join(g, g->qp, &ip_group, true);
		gen_query(g, g->qp);
		gen_done(g);
	}
}

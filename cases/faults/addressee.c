// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Addresses that lead nowhere, an address handle that is destroyed while a send
 * waits, one of another protection domain, and one whose twin is destroyed. The
 * first are tested on
 * InfiniBand only, because Ethernet refuses such addresses before anything is
 * sent (choice/unreachable).
 */
#include "cases/post/post.h"

#define NO_LID 0xbffe /* the last but one unicast LID, which no port has */

/* A LID that no port has, so nobody answers. */
static void connected_nowhere(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "retry/nowhere") ||
	    !post_says_with(g, QK_RC, IBV_QPS_RTS, CLAIM_INFINIBAND,
			    ROW_RETRY_ANSWER,
			    "A send to a LID that no port has"))
		return;
	p = post_pair(g, QK_RC);
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	post_recv(&p, p.b, 200, 0);
	gen_value(&p.with, F_ah_dlid, NULL, NO_LID);
	post_retries(&p.with, POST_TIMER, 1);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_send(&p, IBV_WR_SEND, 2, 0);
	post_poll_for(&p, 2, POST_ENDS);
	post_poll(&p, 0);
	gen_query(g, p.a);
	gen_query(g, p.b);
	gen_done(g);
}

static void datagram_nowhere(struct gen *g)
{
	struct post p;
	uint8_t good;

	if (!gen_id(g, "nowhere") ||
	    !post_says_with(g, QK_UD, IBV_QPS_RTS, CLAIM_INFINIBAND,
			    ROW_POLL_NONE, "A send to a LID that no port has"))
		return;
	p = post_ready(g, QK_UD, IBV_QPS_RTS);
	good = p.ah;
	p.ah = gen_ah(g, g->pd);
	prog_num(g->p, F_addr_dlid, NO_LID);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 1);
	post_poll(&p, 0);
	p.ah = good;
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_query(g, p.a);
	gen_done(g);
}

/* SQD holds the send while its address handle is destroyed. */
static void handle_destroyed(struct gen *g)
{
	uint8_t doomed;
	struct post p;

	if (!post_case(g, QK_UD, IBV_QPS_RTS, ROW_AH_GONE,
		       "A held send whose address handle is destroyed",
		       "ah-destroyed"))
		return;
	p = post_ready(g, QK_UD, IBV_QPS_SQD);
	doomed = p.ah;
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	p.ah = gen_ah(g, g->pd);
	gen_call(g, V_destroy_ah, doomed);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll_for(&p, 4, POST_MAYBE);
	gen_query(g, p.a);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll_for(&p, 2, POST_MAYBE);
	gen_done(g);
}

/* Two sends with the wrong handle, and one with a valid handle later. */
static void handle_of_other_domain(struct gen *g)
{
	struct post p;
	uint8_t good;

	if (!post_case(g, QK_UD, IBV_QPS_RTS, ROW_AH_PD,
		       "An address handle of another protection domain",
		       "ah-pd"))
		return;
	p = post_ready(g, QK_UD, IBV_QPS_RTS);
	good = p.ah;
	p.ah = gen_ah(g, gen_pd(g));
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_more, 1);
	post_poll_for(&p, 4, POST_WAIT);
	gen_query(g, p.a);
	gen_query(g, p.b);
	p.ah = good;
	post_send(&p, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	post_poll_for(&p, 2, POST_MAYBE);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll_for(&p, 2, POST_MAYBE);
	gen_query(g, p.a);
	gen_done(g);
}

/* Two handles with the same address, one of which is destroyed. The other one
 * still leads to the receiver. */
static void twin_destroyed(struct gen *g, bool first, bool other_pd)
{
	uint8_t twin = NO_OBJ, own;
	struct post p;

	if (!post_case(g, QK_UD, IBV_QPS_RTS, ROW_POLL_ARRIVES,
		       "An address handle like one that is destroyed",
		       "ah-twin/%s%s", first ? "first" : "second",
		       other_pd ? "-of-other-pd" : ""))
		return;
	p = post_losable_pair(g, QK_UD);
	own = p.ah;
	twin = gen_ah(g, other_pd ? gen_pd(g) : g->pd);
	if (!other_pd && first) {
		p.ah = twin;
		twin = own;
	}
	post_both(&p, POST_LOSABLE);
	gen_call(g, V_destroy_ah, twin);
	for (uint64_t i = 1; i <= POST_LOSABLE; i++) {
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		post_poll_for(&p, 2, i < POST_LOSABLE ? POST_MAYBE : POST_WAIT);
	}
	gen_query(g, p.b);
	gen_done(g);
}

void gen_faults_addressee(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "fault/%s/", qp_kind_slug(kind));
	if (kind == QK_RC)
		connected_nowhere(g);
	if (kind != QK_UD)
		return;
	datagram_nowhere(g);
	handle_destroyed(g);
	handle_of_other_domain(g);
	twin_destroyed(g, true, false);
	twin_destroyed(g, false, false);
	twin_destroyed(g, false, true);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Datagrams from and to a queue pair that is made with source_qpn.
 */
#include "cases/post/post.h"

#define SOURCE_QPN 0xabcde1 /* that no queue pair of a case has */

/* Makes a queue pair with source_qpn, and a usual one that it sends to. Both
 * are in RTS, and the usual one has two receives. */
static struct post stage(struct gen *g)
{
	struct post p = post_parents(g, QK_UD);

	p.a = g->qp = gen_qp_by(g, QK_UD, true);
	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS);
	prog_num(g->p, F_create_flags, IBV_QP_CREATE_SOURCE_QPN);
	prog_num(g->p, F_source_qpn, SOURCE_QPN);
	p.b = gen_qp_of(g, QK_UD);
	post_both(&p, 2);
	return p;
}

/* `from`: the state from which the queue pair went to RESET before, or 0 */
static void sends(struct gen *g, const char *name, int from)
{
	struct post p;

	if (!post_case(g, QK_UD, IBV_QPS_RTS, ROW_SOURCE_QPN_SENT,
		       "A datagram of a queue pair with source_qpn", "%s",
		       name))
		return;
	p = stage(g);
	if (from)
		post_restart(&p, p.a, p.b, from, 0);
	for (uint64_t i = 1; i <= 2; i++) {
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		post_poll_for(&p, 2, POST_MAYBE);
	}
	gen_query(g, p.a);
	gen_done(g);
}

/* Neither the number of the queue pair nor source_qpn is an address. */
static void receives(struct gen *g, bool by_source)
{
	struct post p, back;

	if (!post_case(g, QK_UD, IBV_QPS_RTS, ROW_SOURCE_QPN_RECEIVES,
		       "A datagram to a queue pair with source_qpn",
		       by_source ? "to-source" : "to-number"))
		return;
	p = stage(g);
	post_recv(&p, p.a, 300, 1);
	back = post_back(&p);
	post_send(&back, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	if (by_source)
		prog_num(g->p, F_send_remote_qpn, SOURCE_QPN);
	post_poll_for(&p, 2, POST_MAYBE);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_poll_for(&p, 2, POST_MAYBE);
	gen_query(g, p.a);
	gen_done(g);
}

void gen_post_source_qpn(struct gen *g)
{
	gen_prefix(g, "post/ud/source-qpn/");
	sends(g, "sends", 0);
	sends(g, "sends-after-reset", IBV_QPS_RTS);
	sends(g, "sends-after-err", IBV_QPS_ERR);
	receives(g, false);
	receives(g, true);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A creation that is refused holds nothing: the objects that it named can be
 * destroyed.
 */
#include <stdio.h>
#include "cases/generate/generate.h"

static bool refused_case(struct gen *g, enum claim claim, const char *what)
{
	return gen_id(g, "refused/%s", what) &&
	       gen_says(g, ROW_LIFE_ACCEPT, claim,
			"The objects that a refused creation named can be "
			"destroyed (%s).",
			what);
}

/* Creates a queue pair with two completion queues, and with an SRQ if there is
 * one. */
static void make_qp(struct gen *g, enum qp_kind kind, uint8_t recv, uint8_t srq)
{
	gen_qp_of(g, kind);
	if (kind_has_recv(kind))
		prog_obj(g->p, F_recv_cq, recv);
	if (srq != NO_OBJ)
		prog_obj(g->p, F_srq, srq);
}

static void queue_pair(struct gen *g, enum qp_kind kind, bool with_srq)
{
	enum claim claim = gen_claim(g, kind, 0, 0);
	uint8_t recv, srq = NO_OBJ;
	char what[32];

	snprintf(what, sizeof(what), "qp-%s%s", qp_kind_slug(kind),
		 with_srq ? "-srq" : "");
	if (!refused_case(g, with_srq ? gen_also(g, claim, CLAIM_SRQ) : claim,
			  what))
		return;
	g->kind = kind;
	gen_parents(g, kind);
	recv = gen_cq(g);
	if (with_srq)
		srq = gen_srq(g, g->pd);
	make_qp(g, kind, recv, srq);
	prog_limit(g->p, F_max_send_wr, LIM_max_qp_wr, 1);
	if (with_srq)
		gen_call(g, V_destroy_srq, srq);
	gen_call(g, V_destroy_cq, recv);
	gen_call(g, V_destroy_cq, g->cq);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

static void completion_queue(struct gen *g)
{
	uint8_t channel;

	if (!refused_case(g, CLAIM_NONE, "cq"))
		return;
	channel = gen_make(g, V_create_comp_channel, NO_OBJ);
	gen_cq(g);
	prog_obj(g->p, F_cq_channel, channel);
	prog_limit(g->p, F_cqe, LIM_max_cqe, 1);
	gen_call(g, V_destroy_comp_channel, channel);
	gen_done(g);
}

static void shared_queue(struct gen *g)
{
	uint8_t pd;

	if (!refused_case(g, gen_needs(g, CLAIM_SRQ), "srq"))
		return;
	pd = gen_pd(g);
	gen_srq(g, pd);
	prog_limit(g->p, F_srq_max_wr, LIM_max_srq_wr, 1);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

void gen_create_refused(struct gen *g)
{
	static const enum qp_kind kinds[] = {QK_RC, QK_UC, QK_UD, QK_XRC_SEND};

	for (size_t i = 0; i < COUNT(kinds); i++)
		queue_pair(g, kinds[i], false);
	queue_pair(g, QK_RC, true);
	queue_pair(g, QK_UD, true);
	completion_queue(g);
	shared_queue(g);
}

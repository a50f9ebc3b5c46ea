/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Thread domains: their creation, parent domains that use them, and messages
 * between queue pairs whose objects belong to such a parent domain.
 */
#include "cases/memory/memory.h"
#include "cases/post/post.h"

static void flags(struct gen *g)
{
	static const int bits[] = {0, 1, 31};

	for (size_t i = 0; i < COUNT(bits); i++) {
		if (!gen_id(g, "bit%d", bits[i]) ||
		    !gen_says_rule(g, ROW_TD_FLAGS, CLAIM_NONE,
				   "ibv_alloc_td with bit %d in comp_mask",
				   bits[i]))
			continue;
		gen_make(g, V_alloc_td, NO_OBJ);
		prog_num(g->p, F_td_comp_mask, 1u << bits[i]);
		gen_done(g);
	}
}

static void alone(struct gen *g)
{
	uint8_t first, second;

	if (!gen_id(g, "two") ||
	    !gen_says_rule(g, ROW_TD_OFFERED, CLAIM_NONE, "Two thread domains"))
		return;
	first = gen_make(g, V_alloc_td, NO_OBJ);
	second = gen_make(g, V_alloc_td, NO_OBJ);
	gen_call(g, V_dealloc_td, first);
	first = gen_make(g, V_alloc_td, NO_OBJ);
	gen_call(g, V_dealloc_td, second);
	gen_call(g, V_dealloc_td, first);
	gen_done(g);
}

/* A thread domain is in use until its last parent domain is gone. */
static void two_parents(struct gen *g)
{
	uint8_t pd, td, first, second;

	if (!gen_id(g, "two-parent-domains") ||
	    !gen_says_rule(g, ROW_LIFE_TD, CLAIM_NONE,
			   "A thread domain of two parent domains"))
		return;
	pd = gen_pd(g);
	td = gen_make(g, V_alloc_td, NO_OBJ);
	first = gen_parent_domain(g, pd, td);
	second = gen_parent_domain(g, pd, td);
	gen_call(g, V_dealloc_td, td);
	gen_call(g, V_dealloc_pd, first);
	gen_call(g, V_dealloc_td, td);
	gen_call(g, V_dealloc_pd, second);
	gen_call(g, V_dealloc_td, td);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

/* A parent domain takes the place of its protection domain: region, completion
 * queue and queue pairs are made in it, and a message arrives. */
static void traffic(struct gen *g, enum qp_kind kind, bool with_td)
{
	struct post p;
	uint8_t pd, td = NO_OBJ;

	if (!gen_id(g, "%s/%s", with_td ? "traffic" : "traffic-without",
		    qp_kind_slug(kind)) ||
	    !post_says(g, kind, IBV_QPS_RTS, ROW_DATA_BYTES,
		       with_td ? "Queue pairs of a thread domain"
			       : "Queue pairs of a parent domain"))
		return;
	gen_parents(g, kind);
	pd = g->pd;
	if (with_td)
		td = gen_make(g, V_alloc_td, NO_OBJ);
	g->pd = gen_parent_domain(g, pd, td);
	p = post_pair_in_domain(g, kind);
	post_both(&p, 4);
	for (uint64_t i = 1; i <= 3; i++) {
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
	}
	gen_call(g, V_dealloc_pd, g->pd);
	gen_call(g, V_dealloc_pd, pd);
	if (with_td)
		gen_call(g, V_dealloc_td, td);
	gen_done(g);
}

/* A thread domain is in use though there is another one. */
static void beside_another(struct gen *g)
{
	uint8_t pd, td, parent;

	if (!gen_id(g, "used-beside-another") ||
	    !gen_says_rule(
		    g, ROW_LIFE_TD, CLAIM_NONE,
		    "A thread domain of a parent domain, and another one"))
		return;
	pd = gen_pd(g);
	td = gen_make(g, V_alloc_td, NO_OBJ);
	gen_make(g, V_alloc_td, NO_OBJ);
	parent = gen_parent_domain(g, pd, td);
	gen_call(g, V_dealloc_td, td);
	gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_dealloc_pd, parent);
	gen_call(g, V_dealloc_td, td);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

/* Objects of a parent domain and of its protection domain go together. */
static void mixed(struct gen *g, enum qp_kind kind, bool with_td, bool mr)
{
	uint8_t pd, parent, td = NO_OBJ;
	struct post p;

	if (!gen_id(g, "mixed/%s/%s%s", qp_kind_slug(kind),
		    mr ? "region" : "queue-pairs", with_td ? "" : "-without") ||
	    !post_says(g, kind, IBV_QPS_RTS, ROW_DATA_BYTES,
		       mr ? "A region of a parent domain"
			  : "Queue pairs of a parent domain"))
		return;
	gen_parents(g, kind);
	pd = g->pd;
	if (with_td)
		td = gen_make(g, V_alloc_td, NO_OBJ);
	parent = gen_parent_domain(g, pd, td);
	p = post_bare(g, kind);
	p.mr = gen_mr(g, mr ? parent : pd);
	g->pd = mr ? pd : parent;
	post_shared_parents(&p);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 2);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_done(g);
}

static void traffic_of_type(struct gen *g, enum qp_kind kind)
{
	traffic(g, kind, true);
	traffic(g, kind, false);
	for (int mr = 0; mr < 2; mr++) {
		mixed(g, kind, true, mr);
		mixed(g, kind, false, mr);
	}
}

void gen_create_thread_domain(struct gen *g)
{
	gen_prefix(g, "thread-domain/");
	alone(g);
	flags(g);
	two_parents(g);
	beside_another(g);
	post_each_kind(g, traffic_of_type);
	post_each_kind(g, gen_memory_parent_domain);
}

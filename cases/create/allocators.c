// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Allocators of parent domains: queues of every kind whose memory the program
 * gives, leaves to the library, or refuses.
 */
#include "cases/post/post.h"

#define ALLOCATORS   IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS
#define WITH_CONTEXT IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT
#define BOTH	     (ALLOCATORS | WITH_CONTEXT)
#define ROUNDS	     4 /* of messages: once around each ring and more */
#define AT_ONCE	     3

/* A kind of queue: a queue pair of the type, or another object. */
struct subject {
	const char *name;
	enum object_kind object;
	enum qp_kind kind;
	enum verb destroy;
	enum claim claim;
};

/* Allocators of a parent domain, each with the row that is in question then. */
static const struct given {
	const char *name;
	uint32_t allocator, comp_mask;
	enum row row;
} givens[] = {
	{"gives", ALLOCATOR_GIVES, BOTH, ROW_ALLOCATOR_FREED},
	{"without-context", ALLOCATOR_GIVES, ALLOCATORS, ROW_ALLOCATOR_CONTEXT},
	{"unmasked", ALLOCATOR_GIVES, WITH_CONTEXT, ROW_ALLOCATOR_MASKED},
	{"default", ALLOCATOR_DEFAULT, BOTH, ROW_ALLOCATOR_FOREIGN},
	{"fails", ALLOCATOR_FAILS, BOTH, ROW_ALLOCATOR_NULL},
	{"fails-second", ALLOCATOR_FAILS_SECOND, BOTH, ROW_ALLOCATOR_NULL},
};

/* Makes a parent domain of g->pd. */
static uint8_t domain(struct gen *g, const struct given *is)
{
	uint8_t parent = gen_parent_domain(g, g->pd, NO_OBJ);

	prog_num(g->p, F_parent_comp_mask, is->comp_mask);
	prog_num(g->p, F_parent_allocator, is->allocator);
	return parent;
}

static uint8_t cq_in(struct gen *g, uint8_t pd)
{
	uint8_t cq = gen_make(g, V_create_cq_ex, NO_OBJ);

	prog_num(g->p, F_cqe, 16);
	prog_num(g->p, F_wc_flags, IBV_WC_STANDARD_FLAGS);
	prog_num(g->p, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_PD);
	prog_obj(g->p, F_cq_parent, pd);
	return cq;
}

static uint8_t qp_in(struct gen *g, const struct subject *of, uint8_t pd)
{
	uint8_t plain = g->pd, qp;

	if (kind_is_vendors(of->kind))
		g->srq = gen_srq(g, plain);
	g->pd = pd;
	qp = gen_qp_of(g, of->kind);
	g->pd = plain;
	return qp;
}

static uint8_t make(struct gen *g, const struct subject *of, uint8_t pd)
{
	switch (of->object) {
	case OBJ_QP:
		return qp_in(g, of, pd);
	case OBJ_CQ:
		return cq_in(g, pd);
	case OBJ_WQ:
		return gen_wq(g, pd, g->cq);
	default:
		return of->kind == QK_XRC_RECV
			       ? gen_xrc_srq(g, pd, g->xrcd, g->cq)
			       : gen_srq(g, pd);
	}
}

/* Makes the last call ask for too much. */
static void ask_too_much(struct gen *g, const struct subject *of)
{
	switch (of->object) {
	case OBJ_QP:
		prog_limit(g->p, F_max_send_wr, LIM_max_qp_wr, 1);
		break;
	case OBJ_CQ:
		prog_limit(g->p, F_comp_vector, LIM_num_comp_vectors, 0);
		break;
	case OBJ_WQ:
		prog_limit(g->p, F_wq_max_wr, LIM_max_qp_wr, 1);
		break;
	default:
		prog_limit(g->p, F_srq_max_wr, LIM_max_srq_wr, 1);
	}
}

static bool allocator_case(struct gen *g, const struct subject *of,
			   const char *what, enum row row)
{
	enum claim claim = of->object == OBJ_QP ? gen_claim(g, of->kind, 0, 0)
						: CLAIM_NONE;

	return gen_id(g, "%s/%s", of->name, what) &&
	       gen_says_rule(g, row, gen_also(g, claim, of->claim),
			     "Queues of a domain with an allocator (%s, %s)",
			     of->name, what);
}

static void parents(struct gen *g, const struct subject *of)
{
	gen_parents(g, of->object == OBJ_QP ? of->kind : QK_RC);
	if (of->kind == QK_XRC_RECV)
		g->xrcd = gen_xrcd(g);
}

static void count(struct gen *g, uint8_t pd)
{
	gen_call(g, V_count_buffers, pd);
}

/* Two queues of the domain end one after the other. */
static void two(struct gen *g, const struct subject *of, const struct given *is)
{
	uint8_t pd, first, second;

	if (!allocator_case(g, of, is->name, is->row))
		return;
	parents(g, of);
	pd = domain(g, is);
	first = make(g, of, pd);
	count(g, pd);
	second = make(g, of, pd);
	count(g, pd);
	gen_call(g, of->destroy, first);
	count(g, pd);
	gen_call(g, of->destroy, second);
	count(g, pd);
	gen_done(g);
}

/* A refused queue leaves no buffer behind. */
static void refused(struct gen *g, const struct subject *of)
{
	uint8_t pd, other;

	if (!allocator_case(g, of, "refused", ROW_ALLOCATOR_FREED))
		return;
	parents(g, of);
	pd = domain(g, &givens[0]);
	other = make(g, of, pd);
	count(g, pd);
	make(g, of, pd);
	ask_too_much(g, of);
	count(g, pd);
	gen_call(g, of->destroy, other);
	count(g, pd);
	gen_done(g);
}

/* Each of two domains is asked for its own queue alone. */
static void beside(struct gen *g, const struct subject *of)
{
	uint8_t pd, other, first, second;

	if (!allocator_case(g, of, "beside", ROW_ALLOCATOR_OWN))
		return;
	parents(g, of);
	pd = domain(g, &givens[0]);
	other = domain(g, &givens[0]);
	count(g, other);
	first = make(g, of, pd);
	count(g, other);
	second = make(g, of, other);
	count(g, pd);
	gen_call(g, of->destroy, first);
	count(g, other);
	gen_call(g, of->destroy, second);
	count(g, pd);
	count(g, other);
	gen_done(g);
}

static void subject(struct gen *g, const struct subject *of)
{
	for (size_t i = 0; i < COUNT(givens); i++)
		two(g, of, &givens[i]);
	refused(g, of);
	beside(g, of);
}

static void resized(struct gen *g)
{
	static const int sizes[] = {100, 10, 1000};
	uint8_t pd, cq;

	if (!gen_id(g, "cq/resized") ||
	    !gen_says_rule(g, ROW_ALLOCATOR_FREED, gen_needs(g, CLAIM_CQ_EX),
			   "A completion queue of a domain with an allocator, "
			   "which is resized"))
		return;
	g->pd = gen_pd(g);
	pd = domain(g, &givens[0]);
	cq = cq_in(g, pd);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		count(g, pd);
		gen_call(g, V_resize_cq, cq);
		prog_num(g->p, F_cqe, (uint64_t)sizes[i]);
	}
	count(g, pd);
	gen_call(g, V_destroy_cq, cq);
	count(g, pd);
	gen_done(g);
}

/* Messages on memory of the program, then RESET. Each round has one poll, since
 * a device without such domains waits for it. */
static void traffic(struct gen *g, enum qp_kind kind, const struct given *is)
{
	struct post p;
	uint8_t pd;

	if (!gen_id(g, "traffic/%s/%s", qp_kind_slug(kind), is->name) ||
	    !post_says(g, kind, IBV_QPS_RTS, ROW_ALLOCATOR_SIZE,
		       "Messages of a domain with an allocator"))
		return;
	gen_parents(g, kind);
	pd = domain(g, is);
	g->pd = pd;
	p = post_pair_in_domain(g, kind);
	post_both(&p, 0);
	count(g, pd);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		post_recv(&p, p.b, 200 + AT_ONCE * round, AT_ONCE - 1);
		for (uint64_t i = 0; i < AT_ONCE; i++)
			post_send(&p, IBV_WR_SEND, 1 + AT_ONCE * round + i,
				  IBV_SEND_SIGNALED);
		post_poll(&p, 2 * AT_ONCE);
	}
	count(g, pd);
	gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	count(g, pd);
	gen_call(g, V_destroy_qp, p.a);
	count(g, pd);
	gen_call(g, V_destroy_qp, p.b);
	count(g, pd);
	gen_done(g);
}

static void traffic_of_type(struct gen *g, enum qp_kind kind)
{
	traffic(g, kind, &givens[0]);
	traffic(g, kind, &givens[3]);
}

static void queue_pairs(struct gen *g)
{
	for (int k = 0; k < QK_END && !g->stop; k++) {
		const struct subject of = {
			.name = qp_kind_slug((enum qp_kind)k),
			.object = OBJ_QP,
			.kind = (enum qp_kind)k,
			.destroy = V_destroy_qp,
			.claim = CLAIM_NONE,
		};

		if (k != QK_NR && k != QK_XRC_RECV)
			subject(g, &of);
	}
}

void gen_create_allocators(struct gen *g)
{
	static const struct subject others[] = {
		{"srq", OBJ_SRQ, QK_RC, V_destroy_srq, CLAIM_SRQ},
		{"srq-xrc", OBJ_SRQ, QK_XRC_RECV, V_destroy_srq, CLAIM_XRC},
		{"cq", OBJ_CQ, QK_RC, V_destroy_cq, CLAIM_CQ_EX},
		{"wq", OBJ_WQ, QK_RC, V_destroy_wq, CLAIM_WQ},
	};

	gen_prefix(g, "parent-domain/allocator/");
	queue_pairs(g);
	for (size_t i = 0; i < COUNT(others); i++)
		subject(g, &others[i]);
	resized(g);
	post_each_kind(g, traffic_of_type);
}

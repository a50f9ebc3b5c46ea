// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The prologue of a program with threads: two connected queue pairs, a region
 * that data are sent from, one that receives take, and one that the other end
 * writes to. With an SRQ a second pair takes its receives, too.
 */
#include "fuzz/fire/stage.h"

enum {
	DEPTH = 64,
	SMALL_DEPTH = 8,
	ENTRIES = 1024,
	SECOND_DEPTH = 2 * DEPTH, /* for all receives of the SRQ, and more */
};

/* The queue pairs of a program. `weight` of all programs have them. */
static const struct shape {
	enum qp_kind kind;
	bool by_srq;
	unsigned int weight;
} shapes[] = {
	{QK_RC, false, 6}, {QK_RC, true, 3},	    {QK_UD, false, 2},
	{QK_UC, false, 2}, {QK_XRC_SEND, false, 2},
};

static uint8_t make_cq(struct gen *g)
{
	uint8_t cq = gen_cq(g);

	prog_num(g->p, F_cqe, ENTRIES);
	return cq;
}

static uint8_t make_qp(struct fire_stage *s, enum qp_kind kind, uint8_t cq,
		       unsigned int depth)
{
	struct gen *g = &s->g;
	uint8_t qp;

	g->cq = cq;
	qp = gen_qp_of(g, kind);
	if (kind_has_send(kind))
		prog_num(g->p, F_max_send_wr, depth);
	if (kind_has_recv(kind))
		prog_num(g->p, F_max_recv_wr, depth);
	return qp;
}

/* With access 0 the region gives all rights. */
static uint8_t make_region(struct fire_stage *s, unsigned int pattern,
			   uint32_t access)
{
	const struct length length = {"", NULL, FIRE_ROOM};
	uint8_t mr = data_region(&s->g, &length);

	if (access)
		prog_num(s->g.p, F_mr_access, access);
	data_fill(&s->d, mr, pattern);
	return mr;
}

/* A send that waits for a receive gives up early, or never. With the smallest
 * MTU long messages have several packets. */
static void draw_values(struct fire_stage *s)
{
	struct gen_values *v = &s->d.p.with;

	if (s->d.p.kind != QK_UD && !device_iwarp(s->g.d) && fire_below(s, 2))
		gen_value(v, F_path_mtu, NULL, IBV_MTU_256);
	if (!fire_below(s, 2))
		return;
	post_rnr(v, fire_below(s, 2) ? POST_FOREVER : fire_below(s, 3),
		 1 + fire_below(s, 4));
}

static bool is_offered(const struct gen *g, const struct shape *shape)
{
	if (shape->kind == QK_RC && !shape->by_srq)
		return true;
	return !device_iwarp(g->d) &&
	       (!shape->by_srq || claim_holds(CLAIM_SRQ, g->d)) &&
	       post_claim(g, shape->kind, IBV_QPS_RTS, NULL) == CLAIM_NONE;
}

static const struct shape *draw_shape(struct fire_stage *s)
{
	unsigned int weights[COUNT(shapes)];

	for (size_t i = 0; i < COUNT(shapes); i++)
		weights[i] =
			is_offered(&s->g, &shapes[i]) ? shapes[i].weight : 0;
	return &shapes[fire_weighted(s, weights, COUNT(shapes))];
}

/* Makes the SRQ, or the address handle, that the queue pairs need. */
static void make_parents(struct fire_stage *s, const struct shape *shape)
{
	struct post *p = &s->d.p;

	s->g.cq = s->cq_b;
	post_shared_parents(p);
	if (shape->by_srq)
		p->srq = gen_srq(&s->g, s->g.pd);
	s->srq = p->xsrq != NO_OBJ ? p->xsrq : p->srq;
	if (s->srq != NO_OBJ)
		prog_num(s->g.p, F_srq_max_wr, s->depth);
}

static void make_pair(struct fire_stage *s, struct post *p, unsigned int depth)
{
	p->a = make_qp(s, p->kind, s->cq_a, depth);
	p->b = make_qp(s, kind_receiver(p->kind), s->cq_b, depth);
	if (p->srq != NO_OBJ)
		prog_obj(s->g.p, F_srq, p->srq);
	s->g.qp = p->a;
}

/* The second pair does not give up while the SRQ is empty, so that it can take
 * the receives that are left in the end. */
static void make_second(struct fire_stage *s)
{
	s->second = s->d.p;
	s->second.with.n = 0;
	post_rnr(&s->second.with, POST_FOREVER, 1);
	make_pair(s, &s->second, SECOND_DEPTH);
	post_both(&s->second, 0);
}

/* A window of type 2 that the receiver binds. The region gives no right by
 * itself. */
static void make_window(struct fire_stage *s)
{
	s->mw = s->mw_mr = NO_OBJ;
	if (s->d.p.kind != QK_RC || !claim_holds(CLAIM_MW_2, s->g.d) ||
	    !fire_below(s, 2))
		return;
	s->mw_mr =
		make_region(s, 4, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	s->mw = gen_mw(&s->g, s->g.pd, IBV_MW_TYPE_2);
}

void fire_set_stage(struct fire_stage *s, const struct device_info *d)
{
	static const struct selection all = {
		.shard = 1, .shards = 1, .seed = CASE_SEED};
	const struct shape *shape;

	gen_init(&s->g, d, &all, s->g.p);
	shape = draw_shape(s);
	s->d = (struct data){.p = post_bare(&s->g, shape->kind)};
	s->second = s->d.p;
	s->depth = fire_below(s, 4) ? DEPTH : SMALL_DEPTH;
	gen_parents(&s->g, shape->kind);
	s->cq_a = make_cq(&s->g);
	s->cq_b = fire_below(s, 2) ? make_cq(&s->g) : s->cq_a;
	s->d.from = make_region(s, 1, 0);
	s->d.into = make_region(s, 2, 0);
	s->remote = make_region(s, 3, 0);
	make_window(s);
	make_parents(s, shape);
	draw_values(s);
	if (s->srq != NO_OBJ)
		make_second(s);
	make_pair(s, &s->d.p, s->depth);
	post_both(&s->d.p, 0);
	s->wr_id = 1;
}

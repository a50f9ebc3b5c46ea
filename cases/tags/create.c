// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creation of tag-matching SRQs: the parts that they need, and their limits.
 */
#include "cases/tags/tags.h"

#define PARTS                                                                  \
	(IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |                       \
	 IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_TM)

static const struct variant {
	const char *id, *what;
	enum row row;
	uint32_t mask;
	enum field field; /* FIELD_NR: none */
	enum limit limit; /* LIM_NR: `plus` is the value */
	int plus;
} variants[] = {
	{"usual", "A tag-matching SRQ", ROW_OBJ_ACCEPT, PARTS, FIELD_NR, LIM_NR,
	 0},
	{"without-cq", "A tag-matching SRQ without CQ in comp_mask",
	 ROW_TM_PARTS, PARTS & ~(uint32_t)IBV_SRQ_INIT_ATTR_CQ, FIELD_NR,
	 LIM_NR, 0},
	{"without-tm", "A tag-matching SRQ without TM in comp_mask",
	 ROW_TM_PARTS, PARTS & ~(uint32_t)IBV_SRQ_INIT_ATTR_TM, FIELD_NR,
	 LIM_NR, 0},
	{"without-pd", "A tag-matching SRQ without PD in comp_mask",
	 ROW_SRQ_EX_MASK, PARTS & ~(uint32_t)IBV_SRQ_INIT_ATTR_PD, FIELD_NR,
	 LIM_NR, 0},
	{"tags/0", "max_num_tags 0", ROW_TM_PARTS, PARTS, F_srq_max_num_tags,
	 LIM_NR, 0},
	{"tags/1", "max_num_tags 1", ROW_OBJ_ACCEPT, PARTS, F_srq_max_num_tags,
	 LIM_NR, 1},
	{"tags/limit", "max_num_tags of tm_caps", ROW_OBJ_ACCEPT, PARTS,
	 F_srq_max_num_tags, LIM_tm_max_num_tags, 0},
	{"tags/over", "max_num_tags past that of tm_caps", ROW_TM_TAGS_OVER,
	 PARTS, F_srq_max_num_tags, LIM_tm_max_num_tags, 1},
	{"ops/0", "max_ops 0", ROW_TM_NO_OPS, PARTS, F_srq_max_ops, LIM_NR, 0},
	{"ops/1", "max_ops 1", ROW_OBJ_ACCEPT, PARTS, F_srq_max_ops, LIM_NR, 1},
	{"ops/limit", "max_ops of tm_caps", ROW_TM_OPS_LIMIT, PARTS,
	 F_srq_max_ops, LIM_tm_max_ops, 0},
	{"ops/over", "max_ops past that of tm_caps", ROW_TM_OPS_OVER, PARTS,
	 F_srq_max_ops, LIM_tm_max_ops, 1},
};

static void create(struct gen *g, const struct variant *v)
{
	uint8_t srq;

	if (!tags_case(g, v->row, v->what, "create/%s", v->id))
		return;
	g->pd = gen_pd(g);
	srq = tags_srq(g, tags_cq(g));
	prog_num(g->p, F_srq_comp_mask, v->mask);
	if (v->field != FIELD_NR && v->limit != LIM_NR)
		prog_limit(g->p, v->field, v->limit, v->plus);
	else if (v->field != FIELD_NR)
		prog_num(g->p, v->field, (uint64_t)v->plus);
	if (row_accepts(v->row)) {
		gen_call(g, V_query_srq, srq);
		gen_call(g, V_destroy_srq, srq);
	}
	gen_done(g);
}

/* The completion queue is one of ibv_create_cq, or is destroyed first. */
static void queues(struct gen *g)
{
	uint8_t cq, srq;

	if (tags_case(g, ROW_TM_PLAIN_CQ, "A CQ of ibv_create_cq",
		      "create/plain-cq")) {
		g->pd = gen_pd(g);
		srq = tags_srq(g, gen_cq(g));
		gen_call(g, V_destroy_srq, srq);
		gen_done(g);
	}
	if (tags_case(g, ROW_LIFE_CQ, "The CQ of a tag-matching SRQ",
		      "create/destroy-cq")) {
		g->pd = gen_pd(g);
		cq = tags_cq(g);
		srq = tags_srq(g, cq);
		gen_call(g, V_destroy_cq, cq);
		gen_call(g, V_destroy_srq, srq);
		gen_call(g, V_destroy_cq, cq);
		gen_done(g);
	}
}

/* A destroy is refused while queue pairs use the SRQ. The SRQ goes on matching.
 */
static void refused_destroy(struct gen *g)
{
	struct tags t;

	if (!tags_case(g, ROW_LIFE_AGAIN, "A tag-matching SRQ in use",
		       "create/destroy-busy"))
		return;
	t = tags_ready(g, 0);
	tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
	gen_call(g, V_destroy_srq, t.p.srq);
	tags_message(&t, 0, TAGS_TAG);
	tags_poll(&t, 1);
	tags_added(&t, 1, TAGS_TAG + 1, TAGS_MASK);
	tags_message(&t, 1, TAGS_TAG + 1);
	tags_poll(&t, 1);
	tags_end(&t);
}

/* A device that does not claim tag matching has no such SRQs. */
static void unclaimed(struct gen *g)
{
	if (!gen_id(g, "create/unclaimed") ||
	    !gen_says_rule(g, ROW_SRQ_EX_MASK, gen_needs(g, CLAIM_SRQ),
			   "Type TM, which tm_caps does not claim"))
		return;
	g->pd = gen_pd(g);
	tags_srq(g, gen_cq(g));
	gen_done(g);
}

void gen_tags_create(struct gen *g)
{
	for (size_t i = 0; i < COUNT(variants); i++)
		create(g, &variants[i]);
	queues(g);
	refused_destroy(g);
	if (!claim_holds(CLAIM_TM, g->d))
		unclaimed(g);
}

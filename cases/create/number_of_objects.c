/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creates as many objects of a kind as the device advertises, if one program
 * can do that, and one more, which is refused until another one is destroyed.
 */
#include "cases/generate/generate.h"

struct counted {
	const char *name;
	enum limit limit;
	enum verb end;
	enum claim claim;
	uint8_t (*make)(struct gen *g);
};

static uint8_t make_srq(struct gen *g)
{
	return gen_srq(g, g->pd);
}

static uint8_t make_mr(struct gen *g)
{
	return gen_mr(g, g->pd);
}

static uint8_t make_mw(struct gen *g)
{
	return gen_any_mw(g, g->pd);
}

static uint8_t make_ah(struct gen *g)
{
	return gen_ah(g, g->pd);
}

static uint8_t make_qp(struct gen *g)
{
	return gen_qp_of(g, QK_RC);
}

static const struct counted counted[] = {
	{"pd", LIM_max_pd, V_dealloc_pd, CLAIM_NONE, gen_pd},
	{"cq", LIM_max_cq, V_destroy_cq, CLAIM_NONE, gen_cq},
	{"srq", LIM_max_srq, V_destroy_srq, CLAIM_SRQ, make_srq},
	{"mr", LIM_max_mr, V_dereg_mr, CLAIM_NONE, make_mr},
	{"mw", LIM_max_mw, V_dealloc_mw, CLAIM_MW, make_mw},
	{"ah", LIM_max_ah, V_destroy_ah, CLAIM_VERBS_CONNECT, make_ah},
	{"qp", LIM_max_qp, V_destroy_qp, CLAIM_TYPE_RC, make_qp},
};

/* A program must have room for all of them and one more. */
static bool reachable(uint64_t limit)
{
	return limit > 1 && limit + 4 <= PROG_MAX_OBJECTS;
}

static void number_case(struct gen *g, const struct counted *c, bool over)
{
	uint64_t limit = g->d->limit[c->limit];
	bool is_pd = c->limit == LIM_max_pd, is_cq = c->limit == LIM_max_cq;
	uint8_t last = NO_OBJ;

	if (!reachable(limit) ||
	    !gen_id(g, "%s/%s", c->name, over ? "over" : "all") ||
	    !gen_says(g, over ? ROW_OBJ_OVER_MAX : ROW_OBJ_MAX,
		      gen_needs(g, c->claim),
		      over ? "With %llu of %s, one more is refused until one "
			     "is destroyed."
			   : "%llu of %s, the advertised maximum, can be "
			     "created.",
		      (unsigned long long)limit, c->name))
		return;
	g->kind = QK_RC;
	if (!is_pd && !is_cq)
		g->pd = gen_pd(g);
	if (c->limit == LIM_max_qp)
		g->cq = gen_cq(g);
	for (uint64_t i = 0; i < limit; i++)
		last = c->make(g);
	if (over)
		c->make(g);
	gen_call(g, c->end, last);
	if (over)
		c->make(g);
	gen_done(g);
}

void gen_create_number_of_objects(struct gen *g)
{
	gen_prefix(g, "number/");
	for (size_t i = 0; i < COUNT(counted); i++) {
		number_case(g, &counted[i], false);
		number_case(g, &counted[i], true);
	}
}

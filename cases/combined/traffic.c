// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined traffic: requests between two queue pairs, with the factors of
 * traffic_factors.c all at once.
 */
#include "cases/combined/traffic.h"

/* In the life "held" the requests of the second round are posted in SQD. */
static bool is_held(const struct traffic *t)
{
	return t->round && traffic_has(t, LIFE, LIFE_HELD);
}

static void carry(struct traffic *t)
{
	const struct post *p = &t->d.p;

	traffic_plan(t);
	traffic_windows(t);
	traffic_receives(t);
	traffic_company_sends(t);
	if (!t->round)
		traffic_refused(t);
	traffic_arm(t);
	if (is_held(t))
		gen_step(p->g, p->a, IBV_QPS_RTS, IBV_QPS_SQD);
	traffic_requests(t);
	if (is_held(t))
		gen_step(p->g, p->a, IBV_QPS_SQD, IBV_QPS_RTS);
	traffic_take(t);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct traffic t;
	bool wr = g->wr;

	traffic_stage(&t, g, kind, row);
	traffic_path(&t);
	post_both(&t.d.p, 0);
	traffic_company(&t);
	traffic_resize(&t);
	carry(&t);
	t.round = 1;
	traffic_live(&t);
	carry(&t);
	traffic_look(&t);
	traffic_end(&t);
	g->wr = wr;
	g->cq_ex = false;
	g->window_ops = 0;
}

static const struct combined traffic = {
	.name = "traffic",
	.factor = traffic_factors,
	.n = TRAFFIC_FACTORS,
	.three = 1u << QK_RC,
	.offered = traffic_offered,
	.permitted = traffic_permitted,
	.build = build,
};

void gen_combined_traffic(struct gen *g, enum qp_kind kind)
{
	if (post_carries(kind))
		combined_cases(g, kind, &traffic, data_bytes_row(kind),
			       post_claim(g, kind, IBV_QPS_RTS, NULL));
}

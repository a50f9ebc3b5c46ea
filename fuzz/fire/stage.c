// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The prologue of a program with threads: two connected queue pairs, a region
 * that data are sent from, one that receives take, and one that the other end
 * writes to.
 */
#include "fuzz/fire/stage.h"

enum { DEPTH = 64, ENTRIES = 1024 };

static uint8_t make_cq(struct gen *g)
{
	uint8_t cq = gen_cq(g);

	prog_num(g->p, F_cqe, ENTRIES);
	return cq;
}

static uint8_t make_qp(struct fire_stage *s, enum qp_kind kind, uint8_t cq)
{
	struct gen *g = &s->g;
	uint8_t qp;

	g->cq = cq;
	qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_send_wr, DEPTH);
	prog_num(g->p, F_max_recv_wr, DEPTH);
	return qp;
}

static uint8_t make_region(struct fire_stage *s, unsigned int pattern)
{
	const struct length length = {"", NULL, FIRE_ROOM};
	uint8_t mr = data_region(&s->g, &length);

	data_fill(&s->d, mr, pattern);
	return mr;
}

/* A send that waits for a receive gives up early, or never. */
static void draw_values(struct fire_stage *s)
{
	struct gen_values *v = &s->d.p.with;

	if (!fire_below(s, 2))
		return;
	gen_value(v, F_rnr_retry, NULL,
		  fire_below(s, 2) ? POST_FOREVER : fire_below(s, 3));
	gen_value(v, F_min_rnr_timer, NULL, 1 + fire_below(s, 4));
}

void fire_set_stage(struct fire_stage *s, const struct device_info *d,
		    enum qp_kind kind)
{
	static const struct selection all = {
		.shard = 1, .shards = 1, .seed = CASE_SEED};
	struct program *p = s->g.p;

	gen_init(&s->g, d, &all, p);
	s->d = (struct data){.p = post_bare(&s->g, kind)};
	gen_parents(&s->g, kind);
	s->cq_a = make_cq(&s->g);
	s->cq_b = fire_below(s, 2) ? make_cq(&s->g) : s->cq_a;
	s->d.from = make_region(s, 1);
	s->d.into = make_region(s, 2);
	s->remote = make_region(s, 3);
	s->d.p.a = s->g.qp = make_qp(s, kind, s->cq_a);
	s->d.p.b = make_qp(s, kind_receiver(kind), s->cq_b);
	draw_values(s);
	post_both(&s->d.p, 0);
	s->wr_id = 1;
}

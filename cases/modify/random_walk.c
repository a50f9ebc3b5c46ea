/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Random walks: a queue pair is modified by a seeded generator, mostly legally,
 * and queried after each call. The model tracks its state.
 */
#include "cases/generate/generate.h"

#define WALK_STEPS 8

struct walk {
	const struct gen *g;
	const char *name;
	uint64_t drawn;
	uint32_t
		poison; /* differs by walk, so that no two programs are equal */
	int state;
};

static uint32_t draw(struct walk *w, uint32_t below)
{
	return (uint32_t)(gen_random(w->g, w->name, w->drawn++) % below);
}

/* Draws a next state that is a transition and that the device supports. */
static int draw_next(struct walk *w)
{
	int to;

	do
		to = (int)draw(w, STATE_NR);
	while (!qp_table()->valid[w->state][to][w->g->kind] ||
	       gen_claim(w->g, w->g->kind, w->state, to) != CLAIM_NONE);
	return to;
}

static uint32_t draw_subset(struct walk *w, uint32_t mask)
{
	return mask & (uint32_t)gen_random(w->g, w->name, w->drawn++);
}

static void draw_values(struct walk *w, uint32_t mask, struct gen_values *v)
{
	for (int bit = 1; bit < 32; bit++) {
		if ((mask & (1u << bit)) && draw(w, 2))
			gen_other(w->g, bit, v);
	}
}

/* Adds or removes one attribute. One call in four is spoiled so. */
static uint32_t spoil(struct walk *w, uint32_t mask)
{
	uint32_t bit = 1u << (1 + draw(w, 20));

	if (bit == A_CUR_STATE || bit == A_CAP)
		bit = A_QKEY;
	return mask ^ bit;
}

/* On iWARP only a connection leads to RTS: one walk in three connects when it
 * can. */
static bool walk_connects(struct gen *g, struct walk *w)
{
	if (!claim_holds(CLAIM_IWARP_CM, g->d) || w->state != IBV_QPS_INIT ||
	    draw(w, 3) != 0)
		return false;
	gen_connect(g, g->qp);
	gen_query(g, g->qp);
	w->state = IBV_QPS_RTS;
	return true;
}

static void walk_step(struct gen *g, struct walk *w)
{
	int to = draw_next(w);
	uint32_t least = gen_minimal(g->kind, w->state, to);
	uint32_t most = gen_maximal(g, g->kind, w->state, to);
	uint32_t mask = least | draw_subset(w, most);
	struct gen_values v = {0};

	if (draw(w, 4) == 0)
		mask = spoil(w, mask);
	draw_values(w, mask, &v);
	gen_modify(g, g->qp, mask, w->state, to, &v);
	prog_num(g->p, F_poison, w->poison);
	if (row_accepts(gen_row(g, g->kind, w->state, to, mask))) {
		if (to == IBV_QPS_SQD)
			gen_wait_drained(g, g->qp);
		w->state = to;
	}
	gen_query(g, g->qp);
}

static void walk(struct gen *g, enum qp_kind kind, unsigned int n)
{
	struct walk w = {.g = g, .poison = 3 + n};
	char name[32];

	snprintf(name, sizeof(name), "walk%u", n);
	w.name = name;
	if (!gen_id(g, "%s", name) ||
	    !gen_says(g, ROW_MOD_ACCEPT, gen_claim(g, kind, 0, 0),
		      "%s is modified at random %d times; accepted values are "
		      "read back, refused calls change nothing.",
		      qp_kind_name(kind), WALK_STEPS))
		return;
	gen_qp(g, kind);
	for (int i = 0; i < WALK_STEPS; i++)
		if (!walk_connects(g, &w))
			walk_step(g, &w);
	gen_done(g);
}

void gen_modify_random_walk(struct gen *g, enum qp_kind kind)
{
	for (unsigned int n = 1; n <= 100 * gen_scale(g); n++)
		walk(g, kind, n);
}

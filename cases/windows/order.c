/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A window, the queue pair that binds it, its region and their protection
 * domain end in each order. Nobody keeps what an object that is gone used.
 */
#include "cases/windows/windows.h"

enum { WINDOW, QUEUE_PAIR, REGION, PARTS };

static const char *const names[PARTS] = {"mw", "qp", "mr"};

static const uint8_t orders[][PARTS] = {
	{WINDOW, QUEUE_PAIR, REGION}, {WINDOW, REGION, QUEUE_PAIR},
	{QUEUE_PAIR, WINDOW, REGION}, {QUEUE_PAIR, REGION, WINDOW},
	{REGION, WINDOW, QUEUE_PAIR}, {REGION, QUEUE_PAIR, WINDOW},
};

/* What has become of the window: it was never bound, is bound to the region,
 * was bound to it, is bound to another region now, or is one of two windows
 * that are bound to the region. */
enum { FREE, BOUND, RELEASED, MOVED, TWO, STATES };

static const char *const states[STATES] = {"free", "bound", "released", "moved",
					   "two"};

struct parts {
	struct window w;
	int state;
	uint8_t first, other; /* regions */
	uint8_t second;	      /* window */
};

/* Only the peer of the queue pair is of another domain. */
static struct parts stage(struct gen *g, enum qp_kind kind, uint32_t type,
			  int state)
{
	struct parts t = {
		.w = {.d.p = post_bare(g, kind), .type = type, .key = NO_OBJ},
		.state = state,
		.other = NO_OBJ,
		.second = NO_OBJ};
	struct post *p = &t.w.d.p;

	g->kind = kind;
	gen_parents(g, kind);
	p->a = g->qp = gen_qp_of(g, kind);
	g->pd = gen_pd(g);
	p->b = gen_qp_of(g, kind);
	post_both(p, 0);
	t.first = t.w.region = window_region(g, g->pd, WINDOW_MR);
	if (state == MOVED)
		t.other = window_region(g, g->pd, WINDOW_MR);
	t.w.mw = gen_mw(g, g->pd, type);
	if (state == TWO)
		t.second = gen_mw(g, g->pd, type);
	return t;
}

static void bind_second(const struct parts *t)
{
	struct window second = t->w;

	second.mw = t->second;
	second.tag = 0;
	window_bound(&second, WINDOW_READ);
}

/* Binds the window, or leaves it, as the state says. */
static void prepare(struct parts *t)
{
	if (t->state == FREE)
		return;
	window_bound(&t->w, WINDOW_READ);
	if (t->state == TWO)
		bind_second(t);
	if (t->state == RELEASED || t->state == MOVED) {
		window_take_away(&t->w);
		prog_num(t->w.d.p.g->p,
			 window_field(&t->w, F_bind_flags, F_send_flags),
			 IBV_SEND_SIGNALED);
		post_poll(&t->w.d.p, 1);
	}
	if (t->state != MOVED)
		return;
	t->w.region = t->other;
	window_bound(&t->w, WINDOW_READ);
}

static void end_part(const struct parts *t, int part)
{
	struct gen *g = t->w.d.p.g;

	if (part == WINDOW)
		gen_call(g, V_dealloc_mw, t->w.mw);
	else if (part == QUEUE_PAIR)
		gen_call(g, V_destroy_qp, t->w.d.p.b);
	else
		gen_call(g, V_dereg_mr, t->first);
}

static void end_of_kept(const struct parts *t)
{
	struct gen *g = t->w.d.p.g;

	if (t->second != NO_OBJ)
		gen_call(g, V_dealloc_mw, t->second);
	if (t->other != NO_OBJ)
		gen_call(g, V_dereg_mr, t->other);
	gen_call(g, V_dereg_mr, t->first);
}

/* Returns true if the queue pair goes while a window is bound; the second
 * window goes at the end. */
static bool leaves_bound(const uint8_t *order, int state)
{
	int at[PARTS];

	for (int i = 0; i < PARTS; i++)
		at[order[i]] = i;
	return state == TWO || ((state == BOUND || state == MOVED) &&
				at[QUEUE_PAIR] < at[WINDOW]);
}

/* In front of each step the domain is tried, which its children keep. A region
 * to which a window is bound may be refused, and goes at the end. */
static void one_order(struct gen *g, enum qp_kind kind, uint32_t type,
		      int state, const uint8_t *order)
{
	struct parts t;

	/* rxe waits 50 s for such a queue pair (F-81). */
	if (leaves_bound(order, state) && type == IBV_MW_TYPE_2 && !gen_full(g))
		return;
	if (!window_case(g, kind, type, ROW_LIFE_ACCEPT,
			 "Its queue pair, its region and it end",
			 "order/%s/%s-%s-%s", states[state], names[order[0]],
			 names[order[1]], names[order[2]]))
		return;
	t = stage(g, kind, type, state);
	prepare(&t);
	for (int i = 0; i < PARTS; i++) {
		gen_call(g, V_dealloc_pd, g->pd);
		end_part(&t, order[i]);
	}
	end_of_kept(&t);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

void gen_windows_order(struct gen *g, enum qp_kind kind, uint32_t type)
{
	for (int state = 0; state < STATES; state++)
		for (size_t i = 0; i < COUNT(orders); i++)
			if (kind == QK_RC || state == BOUND)
				one_order(g, kind, type, state, orders[i]);
}

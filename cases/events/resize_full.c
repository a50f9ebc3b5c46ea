/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues that take as many completions as `cqe` says after a resize,
 * whatever waited in them before.
 */
#include "cases/events/completion.h"

#define SIZE	     40
#define SMALLER	     10
#define LARGER	     60
#define SENDS	     (2 * LARGER + 8) /* a device may make a queue larger */
#define MOST_ENTRIES 64 /* most entries that are polled of the queue */

/* Numbers of completions: that arrive before the queue is resized, that are
 * polled before and after. A second size may follow. */
static const struct filling {
	const char *name;
	uint64_t size, then;
	unsigned int sent, before, after;
} fillings[] = {
	{"smaller", SMALLER, 0, 0, 0, 0},
	{"smaller-waiting", SMALLER, 0, 1, 0, 0},
	{"smaller-many-waiting", SMALLER, 0, 8, 0, 0},
	{"smaller-some-polled", SMALLER, 0, 8, 5, 0},
	{"smaller-all-polled", SMALLER, 0, 8, 8, 0},
	{"smaller-polled-after", SMALLER, 0, 8, 0, 8},
	{"same-waiting", SIZE, 0, 8, 0, 0},
	{"larger", LARGER, 0, 0, 0, 0},
	{"larger-waiting", LARGER, 0, 8, 0, 0},
	{"larger-some-polled", LARGER, 0, 8, 5, 0},
	{"larger-polled-after", LARGER, 0, 8, 0, 8},
	{"larger-smaller-waiting", LARGER, SMALLER, 8, 0, 0},
	{"smaller-larger-waiting", SMALLER, LARGER, 8, 0, 0},
};

/* Makes both queue pairs; the sends complete to a queue of their own. */
static struct post sender(struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents(g, kind);

	p.b = gen_qp_of(g, kind_receiver(kind));
	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, SIZE);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_send_wr, SENDS);
	post_both(&p, 0);
	return p;
}

static void send_first(const struct post *p, unsigned int n)
{
	if (!n)
		return;
	post_send(p, post_without_receive(p->kind), 1, IBV_SEND_SIGNALED);
	prog_num(p->g->p, F_send_more, n - 1);
	/* All of them arrive before the queue is resized. */
	gen_async_event(p->g, NO_OBJ, POST_QUIET);
}

static void poll_some(const struct post *p, unsigned int n)
{
	if (n)
		post_poll(p, n);
}

/* Sends as many as the queue has room for behind `waiting` completions, and
 * polls all. */
static void fill(const struct post *p, unsigned int waiting)
{
	struct program *prog = p->g->p;

	post_send(p, post_without_receive(p->kind), 100, IBV_SEND_SIGNALED);
	prog_out(prog, F_send_more, p->g->cq, F_cqe, -(int64_t)waiting - 1);
	gen_async_event(p->g, NO_OBJ, POST_QUIET);
	for (uint64_t n = 0; n < MOST_ENTRIES; n += POLL_MAX) {
		gen_call(p->g, V_poll_cq, p->g->cq);
		prog_out(prog, F_poll_max, p->g->cq, F_cqe, 0);
		prog_num(prog, F_poll_timeout, POST_WAIT);
		if (n)
			prog_num(prog, F_poll_after, n);
	}
}

static void resized(struct gen *g, enum qp_kind kind, const struct filling *f)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_RESIZE_AT_LEAST,
		       "A completion queue filled after a resize", "full/%s",
		       f->name))
		return;
	p = sender(g, kind);
	send_first(&p, f->sent);
	poll_some(&p, f->before);
	gen_call(g, V_resize_cq, g->cq);
	prog_num(g->p, F_cqe, f->size);
	if (f->then) {
		gen_call(g, V_resize_cq, g->cq);
		prog_num(g->p, F_cqe, f->then);
	}
	poll_some(&p, f->after);
	fill(&p, f->sent - f->before - f->after);
	gen_query(g, p.a);
	gen_done(g);
}

void gen_events_resize_full(struct gen *g, enum qp_kind kind)
{
	if (g->cq_ex && kind != QK_RC)
		return; /* the queue is the same */
	for (size_t i = 0; i < COUNT(fillings); i++)
		resized(g, kind, &fillings[i]);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Random walks of requests: lists of receives and sends of any operation,
 * polls, SQD and back, ERR and reconnecting. The walk counts the completions
 * that must arrive, so that no poll waits in vain.
 */
#include <stdio.h>
#include "cases/post/post.h"

#define STEPS	   20
#define MOST_DUE   8  /* most completions left unpolled */
#define MOST_IDLE  4  /* most receives that no message takes */
#define MOST_QUIET 8  /* most unsignaled sends in a row */
#define DEPTH	   32 /* of the queues: larger than all of these */

struct walk {
	struct post p;
	const char *name;
	uint64_t drawn, wr_id;
	unsigned int room;  /* receives posted at b */
	unsigned int idle;  /* receives posted at a, which gets no message */
	unsigned int due;   /* completions not polled yet */
	unsigned int held;  /* sends held in SQD, */
	unsigned int later; /* the completions that they will raise, */
	unsigned int taken; /* and the receives that they will take */
	unsigned int quiet; /* unsignaled sends since the last signaled one */
	bool stopped;	    /* a is in SQD */
	bool shared;	    /* the receives are in an SRQ, which keeps them */
};

static unsigned int draw(struct walk *w, unsigned int below)
{
	return (unsigned int)(gen_random(w->p.g, w->name, w->drawn++) % below);
}

static void poll_due(struct walk *w)
{
	while (w->due) {
		unsigned int n = 1 + draw(w, MOST_DUE);

		n = n < w->due ? n : w->due;
		post_poll(&w->p, n);
		w->due -= n;
	}
}

static void receive(struct walk *w, uint8_t qp, unsigned int *count)
{
	unsigned int n = 1 + draw(w, 3);

	if (*count + n > MOST_IDLE)
		return;
	post_recv(&w->p, qp, w->wr_id, n - 1);
	w->wr_id += n;
	*count += n;
}

static void receive_at_a(struct walk *w)
{
	if (kind_has_recv(w->p.kind))
		receive(w, w->p.a, &w->idle);
}

static void receive_at_b(struct walk *w)
{
	receive(w, w->p.b, &w->room);
}

/* Draws an operation of the type. An operation that takes a receive is only
 * drawn when a receive is posted. */
static const struct opcode *draw_operation(struct walk *w)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (;;) {
		const struct opcode *o = &op[draw(w, (unsigned int)n)];

		if (post_offers(w->p.g, w->p.kind, o) &&
		    (!o->receive || w->room))
			return o;
		if (!w->room)
			receive(w, w->p.b, &w->room);
	}
}

static void send(struct walk *w)
{
	const struct opcode *op = draw_operation(w);
	bool quiet = w->quiet < MOST_QUIET - 3 && draw(w, 4) == 0;
	unsigned int n = 1 + draw(w, 3), completions;

	if (op->receive && n > w->room)
		n = w->room;
	if (w->held + n > MOST_DUE)
		return;
	post_send(&w->p, op->value, w->wr_id, quiet ? 0 : IBV_SEND_SIGNALED);
	if (n > 1)
		prog_num(w->p.g->p, F_send_more, n - 1);
	w->wr_id += n;
	w->quiet = quiet ? w->quiet + n : 0;
	completions = (quiet ? 0 : n) + (op->receive ? n : 0);
	if (op->receive)
		w->room -= n;
	if (w->stopped) {
		w->held += n;
		w->later += completions;
		w->taken += op->receive ? n : 0;
	} else {
		w->due += completions;
	}
}

static void go(struct walk *w, int from, int to)
{
	poll_due(w);
	gen_step(w->p.g, w->p.a, from, to);
	w->stopped = to == IBV_QPS_SQD;
}

/* Enters or leaves SQD. After leaving, a send follows and is polled with the
 * held ones; whether the state change alone starts them is another case. */
static void stop_or_start(struct walk *w)
{
	if (!w->stopped) {
		go(w, IBV_QPS_RTS, IBV_QPS_SQD);
		return;
	}
	go(w, IBV_QPS_SQD, IBV_QPS_RTS);
	w->due = w->later;
	w->held = w->later = w->taken = 0;
	send(w);
}

/* Reconnects both through RESET. a flushes its requests, b flushes or drops
 * them; an SRQ keeps its receives. */
static void begin_again(struct walk *w)
{
	const struct post *p = &w->p;
	unsigned int kept = w->shared ? w->room + w->taken : 0;
	int from = IBV_QPS_RTS;

	poll_due(w);
	post_to_err(p, p->a, w->stopped ? IBV_QPS_SQD : IBV_QPS_RTS);
	w->due = w->idle + w->held;
	poll_due(w);
	if (draw(w, 2)) {
		from = IBV_QPS_ERR;
		post_to_err(p, p->b, IBV_QPS_RTS);
		w->due = w->room + w->taken - kept;
		poll_due(w);
	}
	post_poll(p, 0);
	gen_modify(p->g, p->a, A_STATE, IBV_QPS_ERR, IBV_QPS_RESET, NULL);
	gen_modify(p->g, p->b, A_STATE, from, IBV_QPS_RESET, NULL);
	post_both(p, 0);
	w->room = kept;
	w->idle = w->held = w->later = w->taken = w->quiet = 0;
	w->stopped = false;
}

/* The last two steps need a send queue that SQD holds, and a way out of ERR. */
static void step(struct walk *w)
{
	bool comes_back = claim_holds(CLAIM_SQ_HOLDS, w->p.g->d);
	static const struct {
		unsigned int weight;
		void (*take)(struct walk *w);
	} steps[] = {{3, receive_at_b}, {1, receive_at_a},  {8, send},
		     {3, poll_due},	{2, stop_or_start}, {1, begin_again}};
	unsigned int at = 0, n = draw(w, comes_back ? 18 : 15);

	while (n >= steps[at].weight)
		n -= steps[at++].weight;
	steps[at].take(w);
	if (w->due >= MOST_DUE)
		poll_due(w);
}

static uint8_t deep_qp(struct gen *g, enum qp_kind kind)
{
	uint8_t qp = gen_qp_of(g, kind);

	prog_num(g->p, F_max_send_wr, DEPTH);
	if (kind_has_recv(kind))
		prog_num(g->p, F_max_recv_wr, DEPTH);
	return qp;
}

static void walk(struct gen *g, enum qp_kind kind, unsigned int n)
{
	struct walk w = {.wr_id = 1};
	char name[32];

	snprintf(name, sizeof(name), "walk/%u", n);
	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, ROW_POLL_EACH,
			   post_claim(g, kind, IBV_QPS_RTS, NULL),
			   "%s on a random walk of %d steps",
			   qp_kind_name(kind), STEPS))
		return;
	w.name = name;
	w.p = post_parents(g, kind);
	w.p.a = g->qp = deep_qp(g, kind);
	w.p.b = kind_has_recv(kind) ? deep_qp(g, kind)
				    : gen_qp_of(g, kind_receiver(kind));
	w.shared = w.p.xsrq != NO_OBJ;
	post_both(&w.p, 0);
	for (int i = 0; i < STEPS; i++)
		step(&w);
	poll_due(&w);
	post_poll(&w.p, 0);
	gen_query(g, w.p.a);
	gen_done(g);
}

void gen_post_random_walk(struct gen *g, enum qp_kind kind)
{
	for (unsigned int n = 1; n <= 10 * gen_scale(g); n++)
		walk(g, kind, n);
}

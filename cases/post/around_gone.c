// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions of two queue pairs lie mixed around the end of a completion queue
 * when one queue pair is reset or destroyed. Those of the other one all come,
 * in their order.
 */
#include "cases/post/post.h"

#define RING	 8  /* entries that are asked for; also the positions tried */
#define TURNS	 3  /* completions of each queue pair */
#define OTHER_WR 31 /* entries of the other completion queue */
#define ENLARGED 40
#define OTHER_ID 200

/* How the completions lie: v is of the queue pair that goes. */
static const struct order {
	const char *name, *turns;
	bool full_only;
} orders[] = {
	{"in-turn", "ovovov", false}, {"in-turn-back", "vovovo", true},
	{"block", "oovvvo", false},   {"last", "ooovvv", true},
	{"first", "vvvooo", false},
};

enum how { SENDS, RECEIVES, SRQ };
static const char *const how_names[] = {"", "-recv", "-srq"};

enum goes { DESTROY, RESET, RESIZED_DESTROY };
static const char *const goes_names[] = {"destroy", "reset", "resize-destroy"};

/* v sends to its peer and o to its own, or both are the receivers of these
 * pairs. Their completions come to g->cq, those of the other ends to `sink`. */
struct around {
	struct post v, o;
	uint8_t sink;
	enum how how;
};

/* Creates a queue pair whose completions come to `cq`. */
static uint8_t make_end(struct around *a, bool receives, uint8_t cq)
{
	struct gen *g = a->v.g;
	uint8_t qp =
		gen_qp_of(g, receives ? kind_receiver(a->v.kind) : a->v.kind);

	if (!receives || kind_has_recv(a->v.kind)) {
		prog_obj(g->p, F_send_cq, cq);
		if (kind_has_recv(a->v.kind))
			prog_obj(g->p, F_recv_cq, cq);
	}
	if (receives && a->how == SRQ)
		prog_obj(g->p, F_srq, a->v.srq);
	return qp;
}

static void make_pair(struct around *a, struct post *p)
{
	const bool sends = a->how == SENDS;
	uint8_t cq = p->g->cq;

	p->a = p->g->qp = make_end(a, false, sends ? cq : a->sink);
	p->b = make_end(a, true, sends ? a->sink : cq);
	post_both(p, 0);
}

static struct around stage(struct gen *g, enum qp_kind kind, enum how how)
{
	struct around a = {.v = post_parents(g, kind), .how = how};

	a.sink = gen_cq(g);
	prog_num(g->p, F_cqe, OTHER_WR);
	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, RING);
	if (how == SRQ)
		a.v.srq = gen_srq(g, g->pd);
	a.o = a.v;
	make_pair(&a, &a.v);
	make_pair(&a, &a.o);
	return a;
}

/* Adds one completion to the ring, and waits until it is there. */
static void complete(const struct around *a, const struct post *p,
		     uint64_t wr_id)
{
	if (a->how == SENDS) {
		post_send(p, post_without_receive(p->kind), wr_id,
			  IBV_SEND_SIGNALED);
	} else {
		post_recv(p, a->how == SRQ ? p->srq : p->b, 1000 + wr_id, 0);
		post_send(p, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED);
		post_poll_at(p, a->sink, 1);
	}
	post_pause(p->g);
}

/* Removes the queue pair of v whose completions are in the ring. */
static void go(const struct around *a, enum goes goes)
{
	uint8_t qp = a->how == SENDS ? a->v.a : a->v.b;
	struct gen *g = a->v.g;

	if (goes == RESIZED_DESTROY) {
		gen_call(g, V_resize_cq, g->cq);
		prog_num(g->p, F_cqe, ENLARGED);
	}
	if (goes == RESET)
		gen_modify(g, qp, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	else
		gen_call(g, V_destroy_qp, qp);
}

/* `before` completions are polled first. */
static void gone(struct gen *g, enum qp_kind kind, enum how how, enum goes goes,
		 const struct order *order, unsigned int before)
{
	struct around a;

	if (!gen_id(g, "unpolled/%s-around%s-%s-%u", goes_names[goes],
		    how_names[how], order->name, before) ||
	    !post_says_with(g, kind, IBV_QPS_RTS,
			    how == SRQ ? CLAIM_SRQ : CLAIM_NONE, ROW_POLL_ORDER,
			    "Unpolled completions around the end of the queue "
			    "when another queue pair goes"))
		return;
	a = stage(g, kind, how);
	for (unsigned int i = 0; i < before; i++) {
		complete(&a, &a.o, 100 + i);
		post_poll(&a.o, 1);
	}
	for (uint64_t i = 0; order->turns[i]; i++)
		complete(&a, order->turns[i] == 'v' ? &a.v : &a.o,
			 (order->turns[i] == 'v' ? 0 : OTHER_ID) + i);
	go(&a, goes);
	post_poll(&a.o, TURNS);
	post_poll_for(&a.o, TURNS, POST_MAYBE);
	complete(&a, &a.o, OTHER_ID + 100);
	post_poll(&a.o, 1);
	post_poll(&a.o, 0);
	gen_done(g);
}

/* The quick profile tries every position with completions in turn that a
 * destroyed RC queue pair leaves, and one position of the rest. The full
 * profile tries every position with completions in turn. */
static bool is_tried(const struct gen *g, enum qp_kind kind, enum how how,
		     enum goes goes, const struct order *order,
		     unsigned int before)
{
	const bool rc = kind == QK_RC && goes == DESTROY;
	const bool first = order == &orders[0];

	if (gen_full(g))
		return first || (kind == QK_RC && before % 3 == 2);
	if (order->full_only)
		return false;
	if (first && rc && (how == SENDS || !g->cq_ex))
		return true;
	return (first || rc) && before == RING - TURNS;
}

static void by_position(struct gen *g, enum qp_kind kind, enum how how,
			enum goes goes)
{
	for (size_t i = 0; i < COUNT(orders); i++)
		for (unsigned int before = 0; before < RING; before++)
			if (is_tried(g, kind, how, goes, &orders[i], before))
				gone(g, kind, how, goes, &orders[i], before);
}

void gen_post_around_gone(struct gen *g, enum qp_kind kind)
{
	for (int goes = DESTROY; goes <= RESIZED_DESTROY; goes++) {
		by_position(g, kind, SENDS, (enum goes)goes);
		if (kind != QK_RC)
			continue;
		by_position(g, kind, RECEIVES, (enum goes)goes);
		by_position(g, kind, SRQ, (enum goes)goes);
	}
}

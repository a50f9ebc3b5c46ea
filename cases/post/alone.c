/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Posts on a queue pair that has no peer, for types whose peer is of another
 * type (XRC) or is the wire (RAW_PACKET): one request of each operation in each
 * state, what completes in ERR, and that all attributes stay unchanged.
 */
#include "cases/post/post.h"

static bool type_has(enum qp_kind kind, const struct opcode *op)
{
	return op ? op->types >> kind & 1 : kind_has_recv(kind);
}

static bool has_queue(enum qp_kind kind, const struct opcode *op)
{
	return op ? kind_has_send(kind) : kind_has_recv(kind);
}

static enum row row_of(enum qp_kind kind, int state, const struct opcode *op)
{
	if (!has_queue(kind, op))
		return ROW_POST_NO_QUEUE;
	return op ? post_send_row(kind, state, op) : post_recv_row(state);
}

/* Polls what ERR flushes. For some rows the device decides whether the request
 * completes. */
static void poll_flushed(const struct post *p, enum row row)
{
	if (p->kind == QK_XRC_RECV)
		return; /* XRC_RECV has no completion queue */
	if (row == ROW_POST_SQD || row == ROW_POLL_FLUSH)
		post_poll(p, 1);
	else if (row != ROW_POST_NO_QUEUE)
		post_poll_for(p, 1, POST_MAYBE);
	post_poll(p, 0);
}

static void post_one(const struct post *p, const struct opcode *op)
{
	if (op)
		post_send(p, op->value, 1, IBV_SEND_SIGNALED);
	else
		post_recv(p, p->a, 1, 0);
}

static void alone(struct gen *g, enum qp_kind kind, int state,
		  const struct opcode *op)
{
	const char *what = op ? op->slug : "recv";
	enum row row = row_of(kind, state, op);
	struct post p;

	if (!gen_id(g, "%s/%s", state_slug(state), what) ||
	    !gen_says_rule(g, row, post_claim(g, kind, state, op),
			   "%s posted on %s in %s", what, qp_kind_name(kind),
			   state_name(state)))
		return;
	p = post_parents(g, kind);
	if (op && op->window)
		post_window(&p);
	p.a = p.b = g->qp = gen_qp_of(g, kind);
	post_bring(&p, p.a, p.a, state);
	gen_query(g, p.a);
	post_one(&p, op);
	gen_query(g, p.a);
	if (state != IBV_QPS_ERR)
		post_to_err(&p, p.a, state);
	poll_flushed(&p, row);
	gen_query(g, p.a);
	gen_done(g);
}

/* Requests that reach a receiver are tested with a peer. */
static bool reaches_peer(enum qp_kind kind, int state, const struct opcode *op)
{
	if (kind == QK_XRC_SEND && op)
		return true;
	return state == IBV_QPS_RTS && op && type_has(kind, op);
}

void gen_post_alone(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (int state = 0; state < STATE_NR; state++) {
		if (!kind_enters(kind, state))
			continue;
		for (size_t i = 0; i < n; i++)
			if (!reaches_peer(kind, state, &op[i]))
				alone(g, kind, state, &op[i]);
		alone(g, kind, state, NULL);
	}
}

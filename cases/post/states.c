/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Posts one request of each operation in each state: whether it is accepted,
 * how it completes then and in ERR, and that all attributes stay unchanged.
 */
#include "cases/post/post.h"

static bool takes_sends(int state)
{
	return state == IBV_QPS_RTS || state == IBV_QPS_SQD;
}

enum row post_send_row(enum qp_kind kind, int state, const struct opcode *op)
{
	if (!opcode_has(op, kind))
		return ROW_POST_OPCODE;
	if (state < IBV_QPS_RTS)
		return ROW_POST_SEND_EARLY;
	if (state == IBV_QPS_SQD)
		return ROW_POST_SQD;
	if (kind == QK_UC && takes_sends(state) &&
	    (op->invalidates || op->value == IBV_WR_LOCAL_INV))
		return ROW_INV_UC;
	return takes_sends(state) ? ROW_POLL_FIELDS : ROW_POST_SEND_ERR;
}

/* Returns the number of completions of a signaled send that is carried out at
 * once. */
static unsigned int at_once(enum qp_kind kind, int state,
			    const struct opcode *op)
{
	if (!opcode_has(op, kind) || state != IBV_QPS_RTS)
		return 0;
	return op->receive ? 2 : 1;
}

static void query_both(struct gen *g, const struct post *p)
{
	gen_query(g, p->a);
	gen_query(g, p->b);
}

/* Moves both to ERR: all remaining requests are flushed, and nothing else
 * completes. */
static void flush_both(const struct post *p, int state, unsigned int sends,
		       unsigned int receives)
{
	if (state != IBV_QPS_ERR)
		post_to_err(p, p->a, state);
	if (state < IBV_QPS_RTS)
		post_poll_for(p, 1,
			      POST_MAYBE); /* the send may have been accepted */
	else
		post_poll(p, sends);
	post_to_err(p, p->b, IBV_QPS_RTS);
	if (p->xsrq == NO_OBJ) /* an SRQ keeps its receives */
		post_poll(p, receives);
	post_poll(p, 0);
}

/* A window to be invalidated must be bound, by the receiver if the type can. */
static struct post ready_for(struct gen *g, enum qp_kind kind, int state,
			     const struct opcode *op)
{
	bool there = op->invalidates && kind_receiver(kind) == kind;
	struct post p;

	if (op->window)
		g->window_ops = UINT64_C(1) << IBV_WR_BIND_MW |
				UINT64_C(1) << op->value;
	p = post_ready(g, kind, state);
	g->window_ops = 0;
	if (op->window)
		post_window(&p);
	if (op->window && op->value != IBV_WR_BIND_MW && opcode_has(op, kind) &&
	    state == IBV_QPS_RTS)
		post_bind(&p, there ? p.b : p.a, 100);
	return p;
}

static void send_case(struct gen *g, enum qp_kind kind, int state,
		      const struct opcode *op)
{
	enum row row = post_row(g, post_send_row(kind, state, op));
	unsigned int n = at_once(kind, state, op);
	bool held = row == ROW_POST_SQD;
	struct post p;

	if (!gen_id(g, "%s/%s", state_slug(state), op->slug) ||
	    !gen_says_rule(g, row, post_claim(g, kind, state, op),
			   "%s posted on %s in %s", op->slug,
			   qp_kind_name(kind), state_name(state)))
		return;
	p = ready_for(g, kind, state, op);
	query_both(g, &p);
	post_send(&p, op->value, 1, IBV_SEND_SIGNALED);
	if (n || held || state < IBV_QPS_RTS)
		post_poll(&p, n);
	else
		post_poll_for(&p, 1, POST_MAYBE);
	if (n)
		post_poll(&p, 0);
	query_both(g, &p);
	flush_both(&p, state, held, n == 2 ? 1 : 2);
	if (op->window)
		gen_call(g, V_dealloc_mw, p.mw);
	gen_done(g);
}

enum row post_recv_row(int state)
{
	if (state == IBV_QPS_RESET)
		return ROW_POST_RECV_RESET;
	return state == IBV_QPS_ERR ? ROW_POLL_FLUSH_LATE : ROW_POLL_FLUSH;
}

static void recv_case(struct gen *g, enum qp_kind kind, int state)
{
	enum row row = post_recv_row(state);
	bool taken = state != IBV_QPS_RESET && state != IBV_QPS_ERR;
	struct post p;

	if (g->wr || !gen_id(g, "%s/recv", state_slug(state)) ||
	    !gen_says_rule(g, row, post_claim(g, kind, state, NULL),
			   "Receives posted on %s in %s", qp_kind_name(kind),
			   state_name(state)))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, state);
	gen_query(g, p.a);
	post_recv(&p, p.a, 100, 2);
	if (state == IBV_QPS_ERR)
		post_poll_for(&p, 3, POST_MAYBE);
	else
		post_poll(&p, 0);
	gen_query(g, p.a);
	if (state == IBV_QPS_RESET)
		post_up(&p, p.a, p.b, IBV_QPS_RESET, IBV_QPS_INIT);
	if (state != IBV_QPS_ERR)
		post_to_err(&p, p.a,
			    state == IBV_QPS_RESET ? IBV_QPS_INIT : state);
	post_poll_for(&p, 3, taken ? POST_WAIT : POST_MAYBE);
	post_end(&p);
}

/* The second of three sends has an operation that the type lacks. The first is
 * posted; the return value or the completions tell about the others. */
static void second_case(struct gen *g, enum qp_kind kind, int state,
			const struct opcode *op)
{
	struct post p;

	if (g->wr || op->batched || op->value == IBV_WR_BIND_MW ||
	    op->segmented || opcode_has(op, kind) ||
	    !gen_id(g, "%s/%s-second", state_slug(state), op->slug) ||
	    !gen_says_rule(g, ROW_POST_OPCODE, post_claim(g, kind, state, op),
			   "%s in a list of sends on %s in %s", op->slug,
			   qp_kind_name(kind), state_name(state)))
		return;
	p = post_ready(g, kind, state);
	query_both(g, &p);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_more, 2);
	prog_num(g->p, F_send_odd, 2);
	prog_num(g->p, F_send_odd_opcode, op->value);
	if (op->access) {
		prog_obj(g->p, F_send_remote, p.mr);
		prog_num(g->p, F_send_odd_remote_offset, 2048);
		prog_num(g->p, F_send_odd_length, 8);
	}
	if (state == IBV_QPS_RTS)
		post_poll(&p, 2);
	post_poll_for(&p, 3, POST_MAYBE);
	query_both(g, &p);
	post_to_err(&p, p.a, state);
	post_poll_for(&p, 4, POST_MAYBE);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll_for(&p, 3, POST_MAYBE);
	gen_done(g);
}

static void second_cases(struct gen *g, enum qp_kind kind, int state)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; takes_sends(state) && i < n; i++)
		if (opcode_is_tried(&op[i], kind))
			second_case(g, kind, state, &op[i]);
}

static void sends(struct gen *g, enum qp_kind kind, int state)
{
	size_t n;
	const struct opcode *op = g->wr ? opcodes_of_batches(&n) : opcodes(&n);

	for (size_t i = 0; i < n; i++)
		if (opcode_is_tried(&op[i], kind))
			send_case(g, kind, state, &op[i]);
}

/* Opcodes that verbs lack: IBV_WR_DRIVER1, whose meaning is a driver's own; the
 * one after the last; one that only kernels have; and numbers that are far away
 * or negative as an index. A driver that uses them to index its table without a
 * check crashes the machine. */
static const struct opcode none[] = {
	{.slug = "opcode-11", .value = IBV_WR_DRIVER1},
	{.slug = "opcode-16", .value = IBV_WR_ATOMIC_WRITE + 1},
	{.slug = "opcode-32", .value = 32},
	{.slug = "opcode-200", .value = 200},
	{.slug = "opcode-far", .value = 0x7ffffff0},
	{.slug = "opcode-negative", .value = 0x80000000},
	{.slug = "opcode-last", .value = UINT32_MAX},
};

static void unknown_sends(struct gen *g, enum qp_kind kind, int state)
{
	if (g->wr || g->cq_ex || !gen_exhaustive(g) || kind_is_vendors(kind))
		return;
	for (size_t i = 0; i < COUNT(none); i++)
		send_case(g, kind, state, &none[i]);
}

void gen_post_states(struct gen *g, enum qp_kind kind)
{
	for (int state = 0; state < STATE_NR; state++) {
		if (!kind_enters(kind, state))
			continue;
		sends(g, kind, state);
		unknown_sends(g, kind, state);
		second_cases(g, kind, state);
		if (kind_has_recv(kind))
			recv_case(g, kind, state);
	}
}

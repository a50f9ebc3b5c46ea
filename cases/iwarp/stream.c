/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Cases that only iWARP has: two queue pairs are the ends of one stream. They
 * check how the stream ends, what its end does to both queue pairs, and in
 * which order requests complete.
 */
#include "cases/data/data.h"

static enum claim stream_claim(const struct gen *g)
{
	return gen_needs(g, CLAIM_TYPE_RC, CLAIM_IWARP_CM);
}

static bool says(struct gen *g, enum row row, const char *what)
{
	return gen_says_rule(g, row, stream_claim(g), "%s", what);
}

/* Connects both, with two receives each: 100 and 101, 200 and 201. */
static struct post stage(struct gen *g)
{
	struct post p = post_ready(g, QK_RC, IBV_QPS_RTS);

	post_recv(&p, p.a, 100, 1);
	return p;
}

/* Ends a case: both ends are flushed and stay in their state. */
static void both_over(const struct post *p, unsigned int flushed)
{
	post_poll(p, flushed);
	post_poll(p, 0);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	post_to_err(p, p->a, IBV_QPS_RTS);
	gen_query(p->g, p->a);
	post_poll(p, 0);
	gen_done(p->g);
}

static void any_event(const struct post *p)
{
	gen_async_event(p->g, NO_OBJ, POST_MAYBE);
}

/* More messages than receives. */
static void no_receive(struct gen *g, unsigned int received)
{
	struct post p;

	if (!gen_id(g, "no-receive/after-%u", received) ||
	    !says(g, ROW_IWARP_NO_RECEIVE, "More messages than receives"))
		return;
	p = post_pair(g, QK_RC);
	post_both(&p, received);
	post_recv(&p, p.a, 100, 1);
	for (unsigned int i = 0; i < received; i++) {
		post_send(&p, IBV_WR_SEND, 1 + i, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
	}
	post_send(&p, IBV_WR_SEND, 9, IBV_SEND_SIGNALED);
	any_event(&p);
	both_over(&p, 3);
}

/* How one end ends the connection. */
enum ending { ERROR, CLOSE, TERMINATE, DESTROY, ENDINGS };

static const char *const ending_names[ENDINGS] = {"error", "close", "terminate",
						  "destroy"};

static void end_by(const struct post *p, enum ending how)
{
	static const int states[ENDINGS] = {
		[ERROR] = IBV_QPS_ERR,
		[CLOSE] = IBV_QPS_SQD,
		[TERMINATE] = IBV_QPS_SQE,
	};

	if (how == DESTROY)
		gen_call(p->g, V_destroy_qp, p->a);
	else
		gen_modify(p->g, p->a, A_STATE, IBV_QPS_RTS, states[how], NULL);
}

/* One end leaves: the receives of both are flushed, unless a is destroyed. */
static void ended(struct gen *g, enum ending how, bool used)
{
	struct post p;

	if (!gen_id(g, "end/%s%s", ending_names[how], used ? "-used" : "") ||
	    !says(g, ROW_IWARP_OVER, "One end leaves the connection"))
		return;
	p = stage(g);
	if (used) {
		post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
	}
	end_by(&p, how);
	post_poll(&p, (how == DESTROY ? 2u : 4u) - (used ? 1u : 0u));
	any_event(&p);
	post_poll(&p, 0);
	gen_query(g, p.b);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	gen_query(g, p.b);
	post_poll(&p, 0);
	gen_done(g);
}

/* Posts on an end after the other end has left. */
static void afterwards(struct gen *g, const struct opcode *op)
{
	struct post p;

	if (!gen_id(g, "afterwards/%s", op->slug) ||
	    !says(g, ROW_POST_SEND_ERR,
		  "Posting after the connection has ended"))
		return;
	p = stage(g);
	end_by(&p, DESTROY);
	post_poll(&p, 2);
	p.a = p.b;
	post_send(&p, op->value, 1, IBV_SEND_SIGNALED);
	post_recv(&p, p.b, 300, 0);
	post_poll_for(&p, 2, POST_MAYBE);
	gen_query(g, p.b);
	gen_done(g);
}

/* A request that fails locally or that the other end refuses ends the stream:
 * all receives are flushed. */
static void fails(struct gen *g, const struct opcode *op, bool refused)
{
	struct post p;

	if (!gen_id(g, "%s/%s", refused ? "refused" : "fails", op->slug) ||
	    !says(g, ROW_IWARP_OVER,
		  refused ? "An invalid rkey" : "An invalid lkey"))
		return;
	p = stage(g);
	post_send(&p, op->value, 1, IBV_SEND_SIGNALED);
	if (refused)
		prog_out(g->p, F_send_rkey, p.mr, F_keys_rkey, 1);
	else
		prog_out(g->p, F_send_lkey, p.mr, F_keys_lkey, 1);
	post_poll(&p, 1);
	any_event(&p);
	both_over(&p, 4);
}

/* Requests of two operations complete in order, although a READ needs a round
 * trip and a SEND does not. */
static void ordered(struct gen *g, uint32_t first, uint32_t then,
		    const char *name)
{
	struct post p;

	if (!gen_id(g, "order/%s", name) ||
	    !says(g, ROW_POLL_ORDER,
		  "Requests of two operations in one send queue"))
		return;
	p = stage(g);
	post_recv(&p, p.b, 202, 1);
	for (uint64_t i = 0; i < 2; i++) {
		post_send(&p, first, 1 + 3 * i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, 1);
		post_send(&p, then, 3 + 3 * i, IBV_SEND_SIGNALED);
	}
	post_poll(&p, 6);
	post_poll(&p, 4);
	post_end(&p);
}

static const struct length some = {"3000", NULL, 3000};

/* A READ returns the bytes that the WRITE before it wrote. */
static void write_then_read(struct gen *g)
{
	struct data d;

	if (!gen_id(g, "write-then-read") ||
	    !says(g, ROW_DATA_BYTES,
		  "A READ of bytes that the WRITE before it wrote"))
		return;
	d = data_stage(g, QK_RC, &some);
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &some);
	data_send(&d, opcode_of(IBV_WR_RDMA_READ), 2, &some);
	prog_obj(g->p, F_send_mr, d.from);
	prog_num(g->p, F_send_offset, DATA_AT + 512);
	prog_obj(g->p, F_send_remote, d.into);
	post_poll(&d.p, 2);
	data_look(&d, d.from);
	gen_done(g);
}

/* Both ends send at once and share a completion queue. */
static void both_ways(struct gen *g)
{
	struct post p, back;

	if (!gen_id(g, "both-ways") ||
	    !says(g, ROW_POLL_EACH, "Messages in both directions at once"))
		return;
	p = stage(g);
	back = post_back(&p);
	for (uint64_t i = 0; i < 2; i++) {
		post_send(&p, IBV_WR_SEND, 1 + i, IBV_SEND_SIGNALED);
		post_send(&back, IBV_WR_SEND, 11 + i, IBV_SEND_SIGNALED);
	}
	post_poll(&p, 8);
	post_poll(&p, 0);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_poll(&p, 0);
	gen_done(g);
}

static void orders(struct gen *g)
{
	ordered(g, IBV_WR_SEND, IBV_WR_RDMA_WRITE, "send-write");
	ordered(g, IBV_WR_RDMA_READ, IBV_WR_RDMA_READ, "read-read");
	ordered(g, IBV_WR_RDMA_READ, IBV_WR_SEND, "read-send");
	ordered(g, IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, "read-write");
}

/* The errors of one operation. */
static void of_operation(struct gen *g, uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);

	if (op->access)
		fails(g, op, true);
	if (opcode != IBV_WR_SEND && !gen_full(g))
		return;
	afterwards(g, op);
	fails(g, op, false);
}

void gen_iwarp_stream(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC)
		return;
	gen_prefix(g, "stream/rc/");
	no_receive(g, 0);
	if (gen_full(g))
		no_receive(g, 2);
	for (int how = 0; how < ENDINGS; how++)
		for (int used = 0; used < (gen_full(g) ? 2 : 1); used++)
			ended(g, (enum ending)how, used);
	of_operation(g, IBV_WR_SEND);
	of_operation(g, IBV_WR_RDMA_WRITE);
	of_operation(g, IBV_WR_RDMA_READ);
	orders(g);
	write_then_read(g);
	both_ways(g);
}

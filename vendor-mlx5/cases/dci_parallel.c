// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for streams of a DCI that are under way at the same time: a request of
 * one stream waits for its receiver, and requests of other streams go on. Each
 * stream has a DCT and an SRQ of its own, since nothing orders the messages of
 * two streams. Messages of a stream differ in their length.
 */
#include "vendor-mlx5/cases/dci.h"

#define NSTREAMS 3

/* Stream number i, from 1, sends to the DCT of to[i]; the DCI is the same in
 * all. */
struct stage {
	struct post to[NSTREAMS + 1];
};

static bool opens(struct gen *g, enum row row, uint64_t log_concurent,
		  uint64_t log_errored)
{
	enum claim claim = mlx5_gen_dci_claim(
		g, opcode_of(IBV_WR_SEND_WITH_IMM), log_errored);

	if (log_concurent > g->d->limit[LIM_mlx5_dci_log_num_concurent] &&
	    claim == CLAIM_NONE)
		return false;
	return gen_says_rule(g, row, claim, "DCI");
}

void mlx5_gen_dct_receive(const struct post *p, uint64_t wr_id)
{
	post_recv(p, p->b, wr_id, 0);
	prog_num(p->g->p, F_recv_offset, 2048 + POST_LENGTH * (wr_id & 15));
	prog_num(p->g->p, F_recv_length, POST_LENGTH);
}

struct post mlx5_gen_dct_beside(const struct post *p, uint64_t key)
{
	struct post more = *p;
	struct gen *g = p->g;

	more.xsrq = g->srq = gen_srq(g, g->pd);
	more.b = gen_qp_of(g, QK_DCT);
	prog_num(g->p, F_dct_access_key, key);
	g->srq = p->xsrq;
	post_bring(&more, more.b, p->a, IBV_QPS_RTR);
	return more;
}

/* Posts a receive of a stream's DCT. */
static void receive(const struct stage *s, int stream, uint64_t wr_id)
{
	mlx5_gen_dct_receive(&s->to[stream], wr_id);
}

/* Makes a DCI in RTS, and a DCT in RTR for each stream. */
static struct stage make_stage(struct gen *g, uint64_t log_concurent,
			       uint64_t log_errored, int64_t rnr_retry)
{
	struct stage s = {
		.to[1] = mlx5_gen_dci_pair(g, log_concurent, log_errored)};
	struct post *p = &s.to[1];

	post_retries(&p->with, POST_TIMER, 1);
	post_rnr(&p->with, rnr_retry, 1);
	post_both(p, 0);
	for (int i = 2; i <= NSTREAMS; i++)
		s.to[i] = mlx5_gen_dct_beside(p, DC_ACCESS_KEY);
	gen_fill(g, p->mr, 1);
	return s;
}

/* Posts a request of a stream. Its length tells which it is. */
static void post(const struct stage *s, int stream, uint32_t opcode,
		 uint64_t wr_id, uint32_t flags)
{
	const struct opcode *op = opcode_of(opcode);
	const struct post *p = &s->to[stream];
	struct program *prog = p->g->p;

	post_send(p, opcode, wr_id, flags);
	prog_num(prog, F_send_dc_stream, (uint64_t)stream);
	prog_num(prog, F_send_offset, POST_LENGTH * wr_id);
	if (!op->atomic)
		prog_num(prog, F_send_length, 4 * (wr_id + 1));
	if (op->access)
		prog_num(prog, F_send_remote_offset,
			 1024 + POST_LENGTH * wr_id);
}

static void send(const struct stage *s, int stream, uint64_t wr_id)
{
	post(s, stream, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED);
}

static void finish(const struct stage *s)
{
	const struct post *p = &s->to[1];

	post_poll(p, 0);
	gen_call(p->g, V_read_mr, p->mr);
	gen_query(p->g, p->a);
	for (int i = 1; i <= NSTREAMS; i++)
		gen_query(p->g, s->to[i].b);
	gen_done(p->g);
}

/* Stream 1 waits. A message of stream 2 arrives all the same. */
static void goes_on(struct gen *g, uint32_t opcode, uint32_t flags)
{
	const struct opcode *op = opcode_of(opcode);
	struct stage s;

	if (!gen_id(g, "%s%s", op->slug, flags ? "" : "-unsignaled") ||
	    !opens(g, ROW_DCI_STREAM_PARALLEL, 1, 0))
		return;
	s = make_stage(g, 1, 0, POST_FOREVER);
	if (op->receive)
		receive(&s, 2, 210);
	send(&s, 1, 1);
	post(&s, 2, opcode, 2, flags);
	post_poll_for(&s.to[1], 1, op->receive ? POST_WAIT : POST_MAYBE);
	receive(&s, 1, 201);
	post_poll(&s.to[1], flags ? 3 : 2);
	finish(&s);
}

/* A second message of the stream that waits stays behind the first one. */
static void own_waits(struct gen *g)
{
	struct stage s;

	if (!gen_id(g, "order/own") || !opens(g, ROW_DCI_STREAM_ORDER, 1, 0))
		return;
	s = make_stage(g, 1, 0, POST_FOREVER);
	for (uint64_t i = 0; i < 2; i++)
		receive(&s, 2, 210 + i);
	send(&s, 1, 1);
	post(&s, 2, IBV_WR_SEND_WITH_IMM, 2, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_dc_stream, 1);
	send(&s, 2, 3);
	post_poll(&s.to[1], 1);
	post_poll(&s.to[1], 0);
	receive(&s, 1, 201);
	post_poll(&s.to[1], 5);
	finish(&s);
}

/* The messages of streams that go on side by side, one after the other. */
static void interleaved(struct gen *g, uint64_t log_concurent)
{
	struct stage s;

	if (!gen_id(g, "order/interleaved-%u", 1u << log_concurent) ||
	    !opens(g, ROW_DCI_STREAM_ORDER, log_concurent, 0))
		return;
	s = make_stage(g, log_concurent, 0, POST_FOREVER);
	for (uint64_t i = 0; i < 2; i++) {
		receive(&s, 2, 210 + i);
		receive(&s, 3, 220 + 2 + i);
	}
	for (uint64_t i = 0; i < 2; i++)
		for (int stream = 1; stream <= NSTREAMS; stream++)
			send(&s, stream, 3 * i + (uint64_t)stream);
	post_poll(&s.to[1], 4);
	for (uint64_t i = 0; i < 2; i++)
		receive(&s, 1, 200 + 8 + i);
	post_poll(&s.to[1], 8);
	finish(&s);
}

/* Streams that do not wait: each has its messages in order. */
static void none_waits(struct gen *g)
{
	struct stage s;

	if (!gen_id(g, "order/none-waits") ||
	    !opens(g, ROW_DCI_STREAM_ORDER, 1, 0))
		return;
	s = make_stage(g, 1, 0, POST_FOREVER);
	for (uint64_t i = 0; i < 2; i++)
		for (int stream = 1; stream <= NSTREAMS; stream++)
			receive(&s, stream, 200 + 3 * i + (uint64_t)stream);
	for (uint64_t i = 0; i < 2; i++)
		for (int stream = 1; stream <= NSTREAMS; stream++)
			send(&s, stream, 3 * i + (uint64_t)stream);
	post_poll(&s.to[1], 12);
	finish(&s);
}

/* Two streams wait: a third one goes on, if the DCI has so many. */
static void two_wait(struct gen *g, uint64_t log_concurent)
{
	struct stage s;

	if (!gen_id(g, "two-wait/%u", 1u << log_concurent) ||
	    !opens(g,
		   log_concurent > 1 ? ROW_DCI_STREAM_PARALLEL
				     : ROW_DCI_STREAM_BEYOND,
		   log_concurent, 0))
		return;
	s = make_stage(g, log_concurent, 0, POST_FOREVER);
	receive(&s, 3, 220);
	for (int stream = 1; stream <= NSTREAMS; stream++)
		send(&s, stream, (uint64_t)stream);
	post_poll(&s.to[1], 1);
	receive(&s, 2, 211);
	post_poll(&s.to[1], 1);
	receive(&s, 1, 202);
	post_poll(&s.to[1], 4);
	finish(&s);
}

/* A DCI with one stream at a time. */
static void one_at_a_time(struct gen *g)
{
	struct stage s;

	if (!gen_id(g, "one-at-a-time") ||
	    !opens(g, ROW_DCI_STREAM_BEYOND, 0, 0))
		return;
	s = make_stage(g, 0, 0, POST_FOREVER);
	receive(&s, 2, 210);
	send(&s, 1, 1);
	send(&s, 2, 2);
	post_poll_for(&s.to[1], 1, POST_MAYBE);
	receive(&s, 1, 201);
	post_poll(&s.to[1], 4);
	finish(&s);
}

/* The request that waits is given up: no DCT answers, or the DCT has no
 * receive. The message of the other stream has gone on before. */
static void given_up(struct gen *g, bool answered)
{
	struct stage s;

	if (!gen_id(g, "given-up/%s", answered ? "rnr" : "nobody") ||
	    !opens(g, ROW_DCI_STREAM_PARALLEL, 1, 1))
		return;
	s = make_stage(g, 1, 1, 1);
	receive(&s, 2, 210);
	send(&s, 1, 1);
	if (!answered)
		prog_num(g->p, F_send_remote_qpn, POST_NO_QPN);
	send(&s, 2, 2);
	post_poll_for(&s.to[1], 3, POST_ENDS + POST_TRY);
	gen_query(g, s.to[1].a);
	send(&s, 1, 3);
	post_poll(&s.to[1], 1);
	finish(&s);
}

/* ERR flushes the request that waits. */
static void flushed(struct gen *g, uint32_t flags)
{
	struct stage s;

	if (!gen_id(g, "flushed%s", flags ? "" : "-unsignaled") ||
	    !opens(g, ROW_DCI_STREAM_PARALLEL, 1, 0))
		return;
	s = make_stage(g, 1, 0, POST_FOREVER);
	receive(&s, 2, 210);
	send(&s, 1, 1);
	post(&s, 2, IBV_WR_SEND, 2, flags);
	post_poll(&s.to[1], 1);
	post_to_err(&s.to[1], s.to[1].a, IBV_QPS_RTS);
	post_poll_for(&s.to[1], 3, POST_MAYBE);
	finish(&s);
}

void mlx5_gen_dci_parallel(struct gen *g)
{
	static const uint32_t opcodes[] = {
		IBV_WR_SEND,	   IBV_WR_SEND_WITH_IMM,
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ,  IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	gen_prefix(g, "streams/dci/parallel/");
	for (size_t i = 0; i < COUNT(opcodes); i++)
		goes_on(g, opcodes[i], IBV_SEND_SIGNALED);
	goes_on(g, IBV_WR_SEND, 0);
	own_waits(g);
	for (uint64_t log = 1; log <= 2; log++) {
		interleaved(g, log);
		two_wait(g, log);
	}
	none_waits(g);
	one_at_a_time(g);
	given_up(g, false);
	given_up(g, true);
	flushed(g, IBV_SEND_SIGNALED);
	flushed(g, 0);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for the streams of a DCI. An error stops its stream, a reset restarts
 * the stream, and too many streams in error stop the DCI.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/cases/dci.h"

enum claim mlx5_gen_dci_claim(const struct gen *g, const struct opcode *op,
			      uint64_t log_errored)
{
	enum claim claim = post_claim(g, QK_DCI, IBV_QPS_RTS, op);

	claim = gen_also(g, claim, CLAIM_DCI_STREAMS);
	return log_errored ? gen_also(g, claim, CLAIM_DCI_ERRORED) : claim;
}

static bool says_dci(struct gen *g, enum row row, uint64_t log_errored)
{
	return gen_says_rule(g, row, mlx5_gen_dci_claim(g, NULL, log_errored),
			     "DCI");
}

struct post mlx5_gen_dci_pair(struct gen *g, uint64_t log_concurent,
			      uint64_t log_errored)
{
	struct post p = post_parents(g, QK_DCI);

	p.a = g->qp =
		mlx5_gen_qp(g, QK_DCI, MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS);
	prog_num(g->p, F_dci_log_concurent, log_concurent);
	prog_num(g->p, F_dci_log_errored, log_errored);
	p.b = gen_qp_of(g, QK_DCT);
	return p;
}

/* Makes a DCI in RTS with two streams at a time, and a DCT with receives. */
static struct post ready_pair(struct gen *g, uint64_t log_errored)
{
	struct post p = mlx5_gen_dci_pair(g, 1, log_errored);

	post_retries(&p.with, POST_TIMER, 1);
	post_both(&p, 6);
	return p;
}

static void send(const struct post *p, uint64_t wr_id, uint16_t stream)
{
	post_send(p, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED);
	if (stream)
		prog_num(p->g->p, F_send_dc_stream, stream);
}

/* Posts a send that succeeds. */
static void send_succeeds(const struct post *p, uint64_t wr_id, uint16_t stream)
{
	send(p, wr_id, stream);
	post_poll(p, 2);
}

/* Posts a send that is flushed. */
static void send_flushed(const struct post *p, uint64_t wr_id, uint16_t stream)
{
	send(p, wr_id, stream);
	post_poll(p, 1);
}

/* Adds what a write fails by. */
static void put_fault(const struct post *p, bool local)
{
	struct program *prog = p->g->p;

	if (local)
		prog_out(prog, F_send_lkey, p->mr, F_keys_lkey, 1);
	else
		prog_out(prog, F_send_rkey, p->mr, F_keys_rkey, 1);
}

static void put_failing(const struct post *p, uint64_t wr_id, uint16_t stream,
			bool local)
{
	post_send(p, IBV_WR_RDMA_WRITE, wr_id, IBV_SEND_SIGNALED);
	if (stream)
		prog_num(p->g->p, F_send_dc_stream, stream);
	put_fault(p, local);
}

/* Posts a write that fails because of its rkey. */
static void fail_stream(const struct post *p, uint64_t wr_id, uint16_t stream)
{
	put_failing(p, wr_id, stream, false);
	post_poll_for(p, 1, POST_WAIT);
	gen_query(p->g, p->a);
}

static void reset_stream(const struct post *p, uint16_t stream)
{
	gen_call(p->g, V_mlx5dv_dci_stream_id_reset, p->a);
	prog_num(p->g->p, F_stream_id, stream);
}

static void finish(const struct post *p)
{
	post_poll(p, 0);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	gen_done(p->g);
}

/* Streams work even if there are more than the DCI works on at a time. */
static void each_works(struct gen *g)
{
	static const uint16_t streams[] = {0, 1, 2, 3, 7, 0xffff};
	struct post p;

	if (!gen_id(g, "work") || !says_dci(g, ROW_POLL_FIELDS, 0))
		return;
	p = ready_pair(g, 0);
	for (uint16_t i = 0; i < 6; i++)
		send_succeeds(&p, i, streams[i]);
	finish(&p);
}

static void one_stream_stops(struct gen *g, bool local, uint16_t stream)
{
	struct post p;

	if (!gen_id(g, "error/%s-%d", local ? "local" : "remote", stream) ||
	    !says_dci(g, ROW_DCI_STREAM_STAYS, 1))
		return;
	p = ready_pair(g, 1);
	send_succeeds(&p, 1, stream);
	put_failing(&p, 2, stream, local);
	post_poll_for(&p, 1, POST_WAIT);
	gen_query(g, p.a);
	send_succeeds(&p, 3, (uint16_t)(stream + 1));
	send_flushed(&p, 4, stream);
	send_succeeds(&p, 5, stream ^ 0x100);
	finish(&p);
}

/* Later requests of a stream in error are flushed, signaled or not. Those of
 * another stream are carried out. */
static void flushes(struct gen *g, uint16_t last)
{
	struct post p;

	if (!gen_id(g, last == 1 ? "flush" : "flush-other") ||
	    !says_dci(g,
		      last == 1 ? ROW_DCI_STREAM_FLUSH : ROW_DCI_STREAM_OTHERS,
		      1))
		return;
	p = ready_pair(g, 1);
	put_failing(&p, 1, 1, false);
	post_more(&p, IBV_WR_RDMA_WRITE, 2, 0);
	prog_num(g->p, F_send_dc_stream, 1);
	post_more(&p, IBV_WR_RDMA_READ, 3, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_dc_stream, last);
	post_poll_for(&p, 3, POST_WAIT);
	gen_query(g, p.a);
	send_succeeds(&p, 4, 2);
	finish(&p);
}

/* Adds a write to a batch. Stream 0 is that of a request without a setter of
 * streams. */
static void add_write(const struct post *p, uint64_t wr_id, uint16_t stream)
{
	if (wr_id == 1)
		post_send(p, IBV_WR_RDMA_WRITE, wr_id, IBV_SEND_SIGNALED);
	else
		post_more(p, IBV_WR_RDMA_WRITE, wr_id, IBV_SEND_SIGNALED);
	if (stream)
		prog_num(p->g->p, F_send_dc_stream, stream);
}

/* A batch of `n` writes of two streams in turn. Number `fails`, from 0, stops
 * its own stream alone, in the batch and later. */
static void batch(struct gen *g, const uint16_t streams[2], unsigned int n,
		  unsigned int fails, bool local)
{
	uint16_t stopped = streams[fails % 2], other = streams[!(fails % 2)];
	struct post p;

	if (!gen_id(g, "batch/%u-%u/%u-of-%u%s", streams[0], streams[1],
		    fails + 1, n, local ? "-local" : "") ||
	    !says_dci(g, ROW_DCI_STREAM_OTHERS, 1))
		return;
	p = ready_pair(g, 1);
	for (unsigned int i = 0; i < n; i++) {
		add_write(&p, 1 + i, streams[i % 2]);
		if (i == fails)
			put_fault(&p, local);
	}
	post_poll_for(&p, n, POST_WAIT);
	gen_query(g, p.a);
	send_succeeds(&p, 10, other);
	send_flushed(&p, 11, stopped);
	send_succeeds(&p, 12, other);
	finish(&p);
}

static void batches(struct gen *g)
{
	static const uint16_t streams[][2] = {{0, 1}, {1, 0},	   {1, 2},
					      {2, 1}, {0, 0x8000}, {0x8000, 0}};

	for (size_t i = 0; i < COUNT(streams); i++)
		for (unsigned int n = 2; n <= 3; n++)
			for (unsigned int fails = 0; fails < n; fails++) {
				batch(g, streams[i], n, fails, false);
				if (i < 2 || gen_full(g))
					batch(g, streams[i], n, fails, true);
			}
}

/* The places of the send ring have requests with and without a stream in turn.
 * One of the two streams is in error. */
static void around_the_ring(struct gen *g, uint32_t opcode, uint16_t stream,
			    bool stops)
{
	struct post p;

	if (!gen_id(g, "ring/%s/%u%s", opcode_of(opcode)->slug, stream,
		    stops ? "-stops" : "-goes-on") ||
	    !says_dci(g, ROW_DCI_STREAM_OTHERS, 1))
		return;
	p = ready_pair(g, 1);
	fail_stream(&p, 1, stops ? stream : 0);
	for (unsigned int i = 0; i < POST_RING_BLOCKS; i++) {
		post_send(&p, opcode, 10 + 10 * i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, post_ring_block(i) - 1);
		if (i % 2 == 0)
			prog_num(g->p, F_send_dc_stream, stream);
		post_poll(&p, post_ring_block(i));
	}
	finish(&p);
}

static void around_the_end(struct gen *g)
{
	static const uint32_t opcodes[] = {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ};
	static const uint16_t streams[] = {1, 5, 0x8000};

	for (size_t o = 0; o < COUNT(opcodes); o++)
		for (size_t i = 0; i < COUNT(streams); i++) {
			around_the_ring(g, opcodes[o], streams[i], true);
			around_the_ring(g, opcodes[o], streams[i], false);
		}
}

static void stream_works_again(struct gen *g, bool again)
{
	struct post p;

	if (!gen_id(g, "reset/%s", again ? "again" : "once") ||
	    !says_dci(g, again ? ROW_DCI_RESET_GOOD : ROW_DCI_RESET, 1))
		return;
	p = ready_pair(g, 1);
	fail_stream(&p, 1, 1);
	send_flushed(&p, 2, 1);
	reset_stream(&p, 1);
	if (again)
		reset_stream(&p, 1);
	send(&p, 3, 1);
	post_poll_for(&p, 2, POST_WAIT);
	send_succeeds(&p, 4, 2);
	finish(&p);
}

static void reset_of_healthy(struct gen *g, uint16_t stream)
{
	struct post p;

	if (!gen_id(g, "reset/good-%d", stream) ||
	    !says_dci(g, ROW_DCI_RESET_GOOD, 1))
		return;
	p = ready_pair(g, 1);
	fail_stream(&p, 1, 1);
	reset_stream(&p, stream);
	send_flushed(&p, 2, 1);
	send_succeeds(&p, 3, stream);
	finish(&p);
}

/* Puts one stream after the other in error until the DCI goes to ERR. Then the
 * DCI is reset and works again. */
static void limit_stops_dci(struct gen *g, uint64_t log_errored)
{
	uint16_t most = (uint16_t)(1u << log_errored);
	struct post p;

	if (log_errored > g->d->limit[LIM_mlx5_dci_log_num_errored] ||
	    !gen_id(g, "limit/%u", most) ||
	    !says_dci(g, ROW_DCI_STREAM_LIMIT, log_errored))
		return;
	p = ready_pair(g, log_errored);
	for (uint16_t i = 1; i <= most; i++) {
		send_succeeds(&p, 20u + i, i);
		fail_stream(&p, i, i);
	}
	send(&p, 40, 0);
	post_poll_for(&p, 1, POST_MAYBE);
	gen_modify(g, p.a, A_STATE, IBV_QPS_ERR, IBV_QPS_RESET, NULL);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	send_succeeds(&p, 50, most);
	finish(&p);
}

/* A stream that was reset does not count towards the limit, whether it fails
 * again or others do. */
static void reset_spares_limit(struct gen *g, const char *id, bool others)
{
	struct post p;

	if (!gen_id(g, "%s", id) || !says_dci(g, ROW_DCI_STREAM_STAYS, 1))
		return;
	p = ready_pair(g, 1);
	for (uint16_t i = 0; i < 3; i++) {
		uint16_t stream = others ? i + 1 : 1;

		fail_stream(&p, 10u * i, stream);
		reset_stream(&p, stream);
		send(&p, 10u * i + 1, stream);
		post_poll_for(&p, 2, POST_WAIT);
	}
	finish(&p);
}

/* Exhausted retries may stop the stream or the DCI. */
static void retries_run_out(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "error/unanswered") ||
	    !says_dci(g, ROW_DCI_STREAM_WHICH, 1))
		return;
	p = ready_pair(g, 1);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_dc_stream, 1);
	prog_num(g->p, F_send_remote_qpn, POST_NO_QPN);
	post_poll_for(&p, 1, POST_ENDS + POST_TRY);
	gen_query(g, p.a);
	send_flushed(&p, 2, 1);
	post_poll(&p, 0);
	gen_query(g, p.a);
	gen_done(g);
}

static void reset_in_state(struct gen *g, int state)
{
	struct post p;

	if (!gen_id(g, "reset/%s", state_slug(state)) ||
	    !says_dci(g, ROW_DCI_RESET_STATE, 1))
		return;
	p = mlx5_gen_dci_pair(g, 1, 1);
	post_bring(&p, p.a, p.b, state);
	reset_stream(&p, 0);
	reset_stream(&p, 1);
	gen_query(g, p.a);
	gen_done(g);
}

static void reset_on_type(struct gen *g, enum qp_kind kind, int state)
{
	bool rts = state == IBV_QPS_RTS;
	enum row row = rts ? ROW_DCI_RESET_TYPE : ROW_DCI_RESET_STATE;
	bool any = claim_holds(CLAIM_DCI_ERRORED, g->d);

	row = any ? row : ROW_DCI_RESET_CLAIM;
	if (!gen_id(g, "reset/%s-%s", qp_kind_slug(kind), state_slug(state)) ||
	    !gen_says_rule(g, row, gen_claim(g, kind, state, state), "%s",
			   qp_kind_name(kind)))
		return;
	gen_fixture(g, kind, state);
	gen_call(g, V_mlx5dv_dci_stream_id_reset, g->qp);
	prog_num(g->p, F_stream_id, 1);
	gen_query(g, g->qp);
	gen_done(g);
}

static void reset_on_types(struct gen *g)
{
	static const enum qp_kind kinds[] = {QK_RC, QK_UC, QK_UD, QK_XRC_SEND};

	g->wr = false;
	for (int i = 0; i < 4; i++) {
		reset_on_type(g, kinds[i], IBV_QPS_RESET);
		reset_on_type(g, kinds[i], IBV_QPS_RTS);
	}
	reset_on_type(g, QK_DCI, IBV_QPS_RTS);
	reset_on_type(g, QK_DCT, IBV_QPS_RTR);
	g->wr = true;
}

void mlx5_gen_dci_streams(struct gen *g)
{
	gen_prefix(g, "streams/dci/");
	each_works(g);
	for (int local = 0; local < 2; local++) {
		one_stream_stops(g, local, 0);
		one_stream_stops(g, local, 1);
		one_stream_stops(g, local, 0x8000);
	}
	flushes(g, 1);
	flushes(g, 2);
	batches(g);
	around_the_end(g);
	stream_works_again(g, false);
	stream_works_again(g, true);
	reset_of_healthy(g, 0);
	reset_of_healthy(g, 2);
	for (uint64_t log = 0; log < (gen_full(g) ? 3 : 2); log++)
		limit_stops_dci(g, log);
	reset_spares_limit(g, "limit/spared", false);
	reset_spares_limit(g, "limit/spared-others", true);
	retries_run_out(g);
	for (int state = 0; state < STATE_NR; state++)
		if (kind_reaches(QK_DCI, state) && state != IBV_QPS_RTS)
			reset_in_state(g, state);
	reset_on_types(g);
}

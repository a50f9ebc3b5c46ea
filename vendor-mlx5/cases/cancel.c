// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for mlx5dv_qp_cancel_posted_send_wrs: requests that SQD holds are
 * canceled, complete without having been carried out, and the others go on.
 */
#include <infiniband/mlx5dv.h>
#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"

#define MEANT 2 /* the wr_id that is canceled */

static uint8_t make_qp(struct gen *g, enum qp_kind kind, bool flag, bool ops)
{
	uint8_t qp = mlx5_gen_qp(
		g, kind, flag ? MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS : 0);

	if (ops)
		mlx5_gen_put_ops(g, kind);
	if (flag)
		prog_num(g->p, F_dv_create_flags,
			 MLX5DV_QP_CREATE_SIG_PIPELINING);
	return qp;
}

/* Makes the queue pair under test, and its peer, which is in RTS. */
static struct post make_pair(struct gen *g, enum qp_kind kind, bool flag,
			     bool ops)
{
	struct post p = post_parents(g, kind);

	p.a = g->qp = make_qp(g, kind, flag, ops);
	p.b = gen_qp_of(g, kind);
	post_rnr(&p.with, POST_FOREVER, 1);
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	return p;
}

/* The same with the queue pair in RTS, and `n` receives of its peer. */
static struct post make_stage(struct gen *g, unsigned int n)
{
	struct post p = make_pair(g, QK_RC, true, true);

	if (n)
		post_recv(&p, p.b, 200, n - 1);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	gen_fill(g, p.mr, 1);
	return p;
}

static void to_sqd(const struct post *p)
{
	gen_modify(p->g, p->a, A_STATE, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	gen_wait_drained(p->g, p->a);
}

static void to_rts(const struct post *p)
{
	gen_modify(p->g, p->a, A_STATE, IBV_QPS_SQD, IBV_QPS_RTS, NULL);
}

static void cancel(const struct post *p, uint64_t wr_id)
{
	gen_call(p->g, V_mlx5dv_qp_cancel_posted_send_wrs, p->a);
	prog_num(p->g->p, F_cancel_wr_id, wr_id);
}

static void post(const struct post *p, uint32_t opcode, uint64_t wr_id,
		 uint32_t flags)
{
	const struct opcode *op = opcode_of(opcode);

	post_send(p, opcode, wr_id, flags);
	prog_num(p->g->p, F_send_offset, POST_LENGTH * wr_id);
	if (!op->atomic)
		prog_num(p->g->p, F_send_length, 4 * (wr_id + 1));
	if (op->access)
		prog_num(p->g->p, F_send_remote_offset,
			 2048 + POST_LENGTH * wr_id);
}

static void finish(const struct post *p)
{
	post_poll(p, 0);
	gen_call(p->g, V_read_mr, p->mr);
	gen_query(p->g, p->a);
	gen_done(p->g);
}

static bool opens(struct gen *g, enum row row, const struct opcode *op)
{
	enum claim claim = post_claim(g, QK_RC, IBV_QPS_SQD, op);

	return gen_says_rule(g, row, gen_also(g, claim, CLAIM_MLX5_MKEY), "RC");
}

/* One of three requests is canceled, in front, in the middle or at the end. */
static void held(struct gen *g, uint32_t opcode, uint64_t meant, uint32_t flags)
{
	const struct opcode *op = opcode_of(opcode);
	bool sent = op->receive;
	struct post p;

	if (!gen_id(g, "held/%s-%u%s", op->slug, (unsigned int)meant,
		    flags ? "" : "-unsignaled") ||
	    !opens(g, ROW_CANCEL_NOP, op))
		return;
	p = make_stage(g, sent ? 3 : 0);
	to_sqd(&p);
	for (uint64_t i = 1; i <= 3; i++)
		post(&p, opcode, i, i == meant ? flags : IBV_SEND_SIGNALED);
	cancel(&p, meant);
	post_poll(&p, 0);
	to_rts(&p);
	post_poll(&p, (sent ? 4u : 2u) + (flags ? 1u : 0u));
	finish(&p);
}

/* Several requests have the wr_id, or none. */
static void several(struct gen *g, unsigned int n)
{
	struct post p;

	if (!gen_id(g, "count/%u", n) || !opens(g, ROW_CANCEL, NULL))
		return;
	p = make_stage(g, 5);
	to_sqd(&p);
	for (uint64_t i = 0; i < 5; i++) {
		post(&p, IBV_WR_SEND, 10 + i, IBV_SEND_SIGNALED);
		if (i < n)
			prog_num(g->p, F_send_wr_id, MEANT);
	}
	cancel(&p, MEANT);
	to_rts(&p);
	post_poll(&p, 10 - n);
	finish(&p);
}

/* The requests were posted in RTS. The first one is under way when SQD begins.
 */
static void behind(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "behind") || !opens(g, ROW_CANCEL_NOP, NULL))
		return;
	p = make_stage(g, 0);
	for (uint64_t i = 1; i <= 3; i++)
		post(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
	gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	post_recv(&p, p.b, 200, 2);
	post_poll(&p, 2);
	gen_wait_drained(g, p.a);
	cancel(&p, MEANT);
	to_rts(&p);
	post_poll(&p, 3);
	finish(&p);
}

static void draining(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "draining") || !opens(g, ROW_CANCEL_DRAINING, NULL))
		return;
	p = make_stage(g, 0);
	post(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, POST_QUIET);
	gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	cancel(&p, MEANT);
	post_recv(&p, p.b, 200, 0);
	post_poll(&p, 2);
	gen_wait_drained(g, p.a);
	to_rts(&p);
	finish(&p);
}

/* Two sends are held, and the second one is canceled. */
static struct post cancel_second(struct gen *g)
{
	struct post p = make_stage(g, 1);

	to_sqd(&p);
	post(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post(&p, IBV_WR_SEND, MEANT, IBV_SEND_SIGNALED);
	cancel(&p, MEANT);
	return p;
}

static void again(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "again") || !opens(g, ROW_CANCEL_AGAIN, NULL))
		return;
	p = cancel_second(g);
	cancel(&p, MEANT);
	to_rts(&p);
	post_poll(&p, 3);
	finish(&p);
}

/* ERR flushes a canceled request as any other. */
static void flushed(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "flushed") || !opens(g, ROW_CANCEL_NOP, NULL))
		return;
	p = cancel_second(g);
	gen_modify(g, p.a, A_STATE, IBV_QPS_SQD, IBV_QPS_ERR, NULL);
	post_poll(&p, 2);
	finish(&p);
}

/* Which of three held sends are canceled */
enum which { ALL, FIRST, SECOND, THIRD };

static struct post cancel_some(struct gen *g, const struct opcode *op,
			       enum which which, uint32_t flags)
{
	struct post p = make_stage(g, 0);

	to_sqd(&p);
	for (uint64_t i = FIRST; i <= THIRD; i++)
		post(&p, op->value, i, flags);
	for (uint64_t i = FIRST; i <= THIRD; i++)
		if (which == ALL || i == which)
			cancel(&p, i);
	return p;
}

/* ERR flushes canceled requests before, between and behind others. */
static void flushed_some(struct gen *g, uint32_t opcode, enum which which,
			 uint32_t flags)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p;

	if (!gen_id(g, "flushed/%s-%u%s", op->slug, (unsigned int)which,
		    flags ? "" : "-unsignaled") ||
	    !opens(g, ROW_CANCEL_NOP, op))
		return;
	p = cancel_some(g, op, which, flags);
	gen_modify(g, p.a, A_STATE, IBV_QPS_SQD, IBV_QPS_ERR, NULL);
	post_poll(&p, 3);
	finish(&p);
}

/* The same in RTS. A send waits for a receive, so that a canceled request
 * before it completes, and one behind it is flushed. */
static void flushed_in_rts(struct gen *g, enum which which)
{
	unsigned int before = which == ALL ? 3 : which == FIRST;
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	struct post p;

	if (!gen_id(g, "flushed/in-rts-%u", (unsigned int)which) ||
	    !opens(g, ROW_CANCEL_NOP, op))
		return;
	p = cancel_some(g, op, which, IBV_SEND_SIGNALED);
	to_rts(&p);
	post_poll_for(&p, before, before ? POST_WAIT : POST_QUIET);
	gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_ERR, NULL);
	post_poll(&p, 3 - before);
	finish(&p);
}

/* RESET drops canceled requests, and later ones with their numbers are carried
 * out. */
static void dropped(struct gen *g, enum which which)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE);
	struct post p;

	if (!gen_id(g, "reset/%u", (unsigned int)which) ||
	    !opens(g, ROW_CANCEL_NOP, op))
		return;
	p = cancel_some(g, op, which, IBV_SEND_SIGNALED);
	gen_modify(g, p.a, A_STATE, IBV_QPS_SQD, IBV_QPS_RESET, NULL);
	post_poll(&p, 0);
	gen_step(g, p.b, IBV_QPS_RTS, IBV_QPS_RESET);
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	for (uint64_t i = FIRST; i <= THIRD; i++)
		post(&p, op->value, i, IBV_SEND_SIGNALED);
	post_poll(&p, 3);
	finish(&p);
}

static void each_fate(struct gen *g)
{
	for (enum which which = ALL; which <= THIRD; which++) {
		flushed_some(g, IBV_WR_SEND, which, IBV_SEND_SIGNALED);
		flushed_some(g, IBV_WR_RDMA_WRITE, which, IBV_SEND_SIGNALED);
		flushed_in_rts(g, which);
		dropped(g, which);
	}
	flushed_some(g, IBV_WR_RDMA_READ, SECOND, IBV_SEND_SIGNALED);
	flushed_some(g, IBV_WR_ATOMIC_FETCH_AND_ADD, SECOND, IBV_SEND_SIGNALED);
	flushed_some(g, IBV_WR_SEND, SECOND, 0);
	flushed_some(g, IBV_WR_SEND, ALL, 0);
}

/* A request whose memory is wrong, or whose key the peer does not know, does no
 * harm once it is canceled. */
static void faulty(struct gen *g, bool local)
{
	struct post p;

	if (!gen_id(g, "faulty/%s", local ? "local" : "remote") ||
	    !opens(g, ROW_CANCEL_NOP, NULL))
		return;
	p = make_stage(g, 0);
	to_sqd(&p);
	post(&p, IBV_WR_RDMA_WRITE, MEANT, IBV_SEND_SIGNALED);
	prog_out(g->p, local ? F_send_lkey : F_send_rkey, p.mr,
		 local ? F_keys_lkey : F_keys_rkey, 1);
	post(&p, IBV_WR_RDMA_WRITE, 3, IBV_SEND_SIGNALED);
	cancel(&p, MEANT);
	to_rts(&p);
	post_poll(&p, 2);
	finish(&p);
}

/* Posts `n` writes one by one, and polls each. */
static void write_before(const struct post *p, unsigned int n)
{
	for (uint64_t i = 0; i < n; i++) {
		post(p, IBV_WR_RDMA_WRITE, MEANT, IBV_SEND_SIGNALED);
		post_poll(p, 1);
	}
}

/* The queue is full of held requests, and every other one is canceled. They
 * begin at place `n` of its ring. */
static void around(struct gen *g, unsigned int n)
{
	const unsigned int sent = GEN_QUEUE_WR / 2;
	struct post p;

	if (!gen_id(g, "ring/%u", n) || !opens(g, ROW_CANCEL, NULL))
		return;
	p = make_stage(g, sent + 1);
	write_before(&p, n);
	to_sqd(&p);
	for (uint64_t i = 0; i < GEN_QUEUE_WR; i++) {
		post(&p, IBV_WR_SEND, 10 + i, IBV_SEND_SIGNALED);
		if (i % 2 == 0)
			prog_num(g->p, F_send_wr_id, MEANT);
	}
	cancel(&p, MEANT);
	to_rts(&p);
	post_poll(&p, GEN_QUEUE_WR + sent);
	post(&p, IBV_WR_SEND, 20, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	finish(&p);
}

/* A queue pair without a request: `n` writes before have completed. */
static void empty(struct gen *g, unsigned int n)
{
	struct post p;

	if (!gen_id(g, "empty/%u", n) || !opens(g, ROW_CANCEL, NULL))
		return;
	p = make_stage(g, 0);
	write_before(&p, n);
	to_sqd(&p);
	cancel(&p, MEANT);
	to_rts(&p);
	post(&p, IBV_WR_RDMA_WRITE, 3, IBV_SEND_SIGNALED);
	post_poll(&p, 1);
	finish(&p);
}

static void without_flag(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "without-flag") || !opens(g, ROW_CANCEL_FLAG, NULL))
		return;
	p = make_pair(g, QK_RC, false, true);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	to_sqd(&p);
	post(&p, IBV_WR_RDMA_WRITE, MEANT, IBV_SEND_SIGNALED);
	cancel(&p, MEANT);
	to_rts(&p);
	post_poll(&p, 1);
	finish(&p);
}

static void in_state(struct gen *g, enum qp_kind kind, int state, bool ops)
{
	struct post p;

	if (!gen_id(g, "%s/%s-%s", ops ? "state" : "no-ops", qp_kind_slug(kind),
		    state_slug(state)) ||
	    !gen_says_rule(g, ops ? ROW_CANCEL_STATE : ROW_CANCEL_NO_OPS,
			   gen_also(g, gen_claim(g, kind, state, state),
				    CLAIM_MLX5_MKEY),
			   "%s", qp_kind_name(kind)))
		return;
	p = make_pair(g, kind, true, ops);
	post_bring(&p, p.a, p.b, state);
	cancel(&p, MEANT);
	gen_query(g, p.a);
	gen_done(g);
}

/* Without firmware objects nothing can be canceled. */
static void unclaimed(struct gen *g)
{
	if (claim_holds(CLAIM_MLX5_MKEY, g->d) || !gen_id(g, "unclaimed") ||
	    !gen_says_rule(g, ROW_CANCEL_CLAIM,
			   gen_claim(g, QK_RC, IBV_QPS_RTS, IBV_QPS_SQD), "RC"))
		return;
	gen_fixture(g, QK_RC, IBV_QPS_SQD);
	gen_call(g, V_mlx5dv_qp_cancel_posted_send_wrs, g->qp);
	gen_query(g, g->qp);
	gen_done(g);
}

void mlx5_gen_cancel(struct gen *g)
{
	static const uint32_t opcodes[] = {
		IBV_WR_SEND,
		IBV_WR_SEND_WITH_IMM,
		IBV_WR_RDMA_READ,
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	gen_prefix(g, "mlx5/cancel/");
	for (size_t i = 0; i < COUNT(opcodes); i++)
		held(g, opcodes[i], MEANT, IBV_SEND_SIGNALED);
	held(g, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	held(g, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	held(g, IBV_WR_SEND, MEANT, 0);
	for (unsigned int n = 0; n < 4; n++)
		several(g, n);
	behind(g);
	draining(g);
	again(g);
	flushed(g);
	each_fate(g);
	faulty(g, true);
	faulty(g, false);
	for (unsigned int n = 0; n <= GEN_QUEUE_WR; n++)
		around(g, n);
	empty(g, 0);
	empty(g, 3);
	empty(g, 3 * GEN_QUEUE_WR);
	without_flag(g);
	for (int state = 0; state < STATE_NR; state++)
		if (state != IBV_QPS_SQD && state != IBV_QPS_SQE)
			in_state(g, QK_RC, state, true);
	in_state(g, QK_UD, IBV_QPS_RTS, true);
	in_state(g, QK_RC, IBV_QPS_RTS, false);
	in_state(g, QK_RC, IBV_QPS_SQD, false);
	unclaimed(g);
}

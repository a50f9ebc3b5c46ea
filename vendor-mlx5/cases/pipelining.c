// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of queue pairs with SIG_PIPELINING: a transfer with a wrong signature
 * stops the queue pair in SQD; the fenced send behind it is held, is canceled
 * or goes out once the queue pair is in RTS again.
 */
#include "vendor-mlx5/cases/signature.h"

#define BYTES 512

/* Makes an mkey over a block with a signature, which is wrong if `wrong` is
 * set, and is checked or taken out as the way says. */
static struct mkey_stage prepare(struct gen *g, uint64_t flags, bool wrong,
				 uint8_t check_mask)
{
	struct mlx5_signature sig = {.check_mask = check_mask};
	struct mkey_stage s = sig_stage(g, flags);

	sig.mem = sig_domain(&sig_kinds[KIND_DIF]);
	sig_make_signed(&s, &sig.mem);
	if (wrong)
		sig_corrupt(&s, s.p.mr, 8, 8);
	s = sig_swap(&s);
	sig_configure(&s, MKEY_PLAIN, BYTES + 8, &sig);
	return s;
}

/* Posts the transfer, unsignaled as a rule. */
static void transfer(const struct mkey_stage *s, uint32_t flags)
{
	struct program *p = s->p.g->p;

	post_send(&s->p, IBV_WR_RDMA_WRITE, 10, flags);
	prog_obj(p, F_send_mr, s->mkey);
	prog_num(p, F_send_offset, 0);
	prog_num(p, F_send_length, BYTES);
	prog_obj(p, F_send_remote, s->p.mr);
	prog_num(p, F_send_remote_offset, MKEY_PLAIN);
}

static void respond(const struct mkey_stage *s, uint64_t wr_id, uint32_t flags)
{
	post_send(&s->p, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED | flags);
	prog_num(s->p.g->p, F_send_length, 16);
}

static void to_rts(const struct mkey_stage *s)
{
	gen_modify(s->p.g, s->p.a, A_STATE | A_CUR_STATE, IBV_QPS_SQD,
		   IBV_QPS_RTS, NULL);
}

static void cancel(const struct mkey_stage *s, uint64_t wr_id)
{
	gen_call(s->p.g, V_mlx5dv_qp_cancel_posted_send_wrs, s->p.a);
	prog_num(s->p.g->p, F_cancel_wr_id, wr_id);
}

static void finish(const struct mkey_stage *s)
{
	gen_async_event(s->p.g, NO_OBJ, POST_QUIET);
	mkey_finish(s);
}

/* The queue pair stops. The fenced send is canceled and posted anew, or is left
 * as it is. */
static void stopped(struct gen *g, bool canceled, uint32_t flags, enum row row,
		    const char *name)
{
	struct mkey_stage s;

	if (!sig_opens(g, &sig_kinds[KIND_DIF], row, "A wrong signature",
		       "pipelining/%s", name))
		return;
	s = prepare(g, MLX5DV_QP_CREATE_SIG_PIPELINING, true, SIG_ALL);
	post_recv(&s.p, s.p.b, 200, 0);
	transfer(&s, flags);
	respond(&s, 11, IBV_SEND_FENCE);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	post_poll(&s.p, flags ? 1 : 0);
	gen_query(g, s.p.a);
	sig_check(&s);
	if (canceled) {
		cancel(&s, 11);
		respond(&s, 12, IBV_SEND_FENCE);
	}
	to_rts(&s);
	post_poll(&s.p, canceled ? 3 : 2);
	finish(&s);
}

/* The transfer is good, nobody checks it, or the queue pair has no flag: the
 * queue pair goes on. */
static void goes_on(struct gen *g, const char *name, uint64_t flags, bool wrong,
		    uint8_t check_mask)
{
	struct mkey_stage s;

	if (!sig_opens(g, &sig_kinds[KIND_DIF], ROW_SIG_SQD, "A transfer",
		       "pipelining/goes-on/%s", name))
		return;
	s = prepare(g, flags, wrong, check_mask);
	post_recv(&s.p, s.p.b, 200, 0);
	transfer(&s, IBV_SEND_SIGNALED);
	respond(&s, 11, IBV_SEND_FENCE);
	post_poll(&s.p, 3);
	sig_check(&s);
	finish(&s);
}

/* A request without a fence is between the error and the fenced send. */
static void behind(struct gen *g)
{
	struct mkey_stage s;

	if (!sig_opens(g, &sig_kinds[KIND_DIF], ROW_SIG_BEHIND,
		       "A wrong signature", "pipelining/behind"))
		return;
	s = prepare(g, MLX5DV_QP_CREATE_SIG_PIPELINING, true, SIG_ALL);
	post_recv(&s.p, s.p.b, 200, 1);
	transfer(&s, IBV_SEND_SIGNALED);
	respond(&s, 11, 0);
	respond(&s, 12, IBV_SEND_FENCE);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	post_poll_for(&s.p, 3, POST_MAYBE);
	to_rts(&s);
	post_poll_for(&s.p, 4, POST_MAYBE);
	finish(&s);
}

/* The other end reads the block with the wrong signature. */
static void responder(struct gen *g)
{
	struct mkey_stage s, back;

	if (!sig_opens(g, &sig_kinds[KIND_DIF], ROW_SIG_RESPONDER,
		       "A wrong signature", "pipelining/responder"))
		return;
	s = prepare(g, MLX5DV_QP_CREATE_SIG_PIPELINING, true, SIG_ALL);
	back = s;
	back.p = post_back(&s.p);
	mkey_go(&back, &mkey_ways[WAY_READ_FROM], 3, 0, BYTES);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	sig_check(&s);
	mkey_finish(&s);
}

/* The queue pair stops twice. */
static void twice(struct gen *g)
{
	struct mlx5_signature sig = {.check_mask = SIG_ALL};
	struct mkey_stage s;

	if (!sig_opens(g, &sig_kinds[KIND_DIF], ROW_SIG_SQD,
		       "A wrong signature", "pipelining/twice"))
		return;
	s = prepare(g, MLX5DV_QP_CREATE_SIG_PIPELINING, true, SIG_ALL);
	sig.mem = sig_domain(&sig_kinds[KIND_DIF]);
	post_recv(&s.p, s.p.b, 200, 1);
	for (uint64_t i = 0; i < 2; i++) {
		transfer(&s, 0);
		respond(&s, 11 + i, IBV_SEND_FENCE);
		gen_async_event(g, NO_OBJ, POST_WAIT);
		post_poll(&s.p, 0);
		sig_check(&s);
		to_rts(&s);
		post_poll(&s.p, 2);
		sig_configure(&s, MKEY_PLAIN, BYTES + 8, &sig);
	}
	finish(&s);
}

void mlx5_gen_pipelining(struct gen *g)
{
	stopped(g, true, 0, ROW_SIG_SQD, "canceled");
	stopped(g, false, 0, ROW_SIG_DRAINED, "held");
	stopped(g, true, IBV_SEND_SIGNALED, ROW_SIG_SQD, "signaled");
	goes_on(g, "good", MLX5DV_QP_CREATE_SIG_PIPELINING, false, SIG_ALL);
	goes_on(g, "unchecked", MLX5DV_QP_CREATE_SIG_PIPELINING, true, 0);
	goes_on(g, "without-flag", 0, true, SIG_ALL);
	behind(g);
	responder(g);
	twice(g);
}

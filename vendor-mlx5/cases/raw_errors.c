// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Raw WQEs that fail, that are flushed, or that wait; and queue pairs that were
 * not created for them.
 */
#include "vendor-mlx5/cases/raw_wqe.h"

/* A key that names no memory: the request fails with its own wr_id, those
 * behind it are flushed. */
static void wrong_key(struct gen *g, enum qp_kind kind, const struct opcode *op,
		      bool remote, bool signaled)
{
	struct raw_request r = {op->value, 5, signaled ? IBV_SEND_SIGNALED : 0,
				false};
	struct raw_request other = {IBV_WR_SEND, 6, IBV_SEND_SIGNALED, true};
	struct post p;

	if (!raw_has(kind, op) || (remote && !op->access) ||
	    !raw_opens(g, kind, op, remote ? ROW_REMOTE_KEY : ROW_LOCAL_KEY,
		       "A wrong key in a raw WQE", "%s/%s%s", op->slug,
		       remote ? "rkey" : "lkey", signaled ? "" : "-unsignaled"))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	raw_recv(&p, &r);
	raw_send(&p, &r, false);
	if (remote)
		prog_out(g->p, F_send_rkey, p.mr, F_keys_rkey, 1);
	else
		prog_out(g->p, F_send_lkey, p.mr, F_keys_lkey, 1);
	raw_send(&p, &other, true);
	r = (struct raw_request){MLX5_WR_NOP, 7, 0, false};
	raw_send(&p, &r, true);
	post_poll(&p, 3);
	post_end_bytes(&p);
}

/* In ERR each raw WQE is flushed, signaled or not. */
static void flushed(struct gen *g, enum qp_kind kind)
{
	struct raw_request r = {raw_alone(kind), 11, IBV_SEND_SIGNALED, false};
	struct post p;

	if (!raw_opens(g, kind, NULL, ROW_POLL_FLUSH, "Raw WQEs in ERR",
		       "flushed"))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	raw_send(&p, &r, false);
	r = (struct raw_request){MLX5_WR_NOP, 13, 0, false};
	raw_send(&p, &r, true);
	r = (struct raw_request){raw_alone(kind), 12, 0, true};
	if (kind == QK_UD)
		r.opcode = IBV_WR_SEND;
	raw_send(&p, &r, true);
	post_poll(&p, 3);
	post_end_bytes(&p);
}

/* Raw WQEs of SQD are carried out in RTS. */
static void held(struct gen *g, enum qp_kind kind)
{
	struct raw_request r = {raw_alone(kind), 1, IBV_SEND_SIGNALED, false};
	struct post p;

	if (!gen_id(g, "held") || !raw_says(g, kind, IBV_QPS_SQD, NULL,
					    ROW_POST_SQD, "A raw WQE in SQD"))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	post_up(&p, p.a, p.b, IBV_QPS_RTS, IBV_QPS_SQD);
	raw_send(&p, &r, false);
	r = (struct raw_request){MLX5_WR_NOP, 2, IBV_SEND_SIGNALED, false};
	raw_send(&p, &r, true);
	post_poll(&p, 0);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_poll(&p, 2);
	post_end_bytes(&p);
}

/* One of three raw WQEs is canceled in SQD. It completes as a raw WQE does, and
 * nothing is written. */
static void canceled(struct gen *g, uint64_t meant, bool plain)
{
	struct raw_request r = {IBV_WR_RDMA_WRITE, 1, IBV_SEND_SIGNALED, false};
	enum claim claim = post_claim(g, QK_RC, IBV_QPS_SQD, NULL);
	struct post p;

	if (!gen_id(g, "canceled/%u%s", (unsigned int)meant,
		    plain ? "-between" : "") ||
	    !gen_says_on(g, QK_RC, ROW_CANCEL_NOP,
			 gen_also(g, claim, CLAIM_MLX5_MKEY),
			 "A canceled raw WQE"))
		return;
	p = post_parents(g, QK_RC);
	p.a = g->qp = raw_qp(g, QK_RC, MLX5DV_QP_EX_WITH_RAW_WQE);
	prog_num(g->p, F_dv_comp_mask,
		 MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS |
			 MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS);
	prog_num(g->p, F_dv_create_flags, MLX5DV_QP_CREATE_SIG_PIPELINING);
	p.b = gen_qp_of(g, QK_RC);
	raw_ready(&p);
	post_up(&p, p.a, p.b, IBV_QPS_RTS, IBV_QPS_SQD);
	for (; r.wr_id <= 3; r.wr_id++) {
		r.plain = plain && r.wr_id != meant;
		raw_send(&p, &r, r.wr_id > 1);
		prog_num(g->p, F_send_remote_offset,
			 RAW_REMOTE + POST_LENGTH * r.wr_id);
	}
	gen_call(g, V_mlx5dv_qp_cancel_posted_send_wrs, p.a);
	prog_num(g->p, F_cancel_wr_id, meant);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_poll(&p, 3);
	post_end_bytes(&p);
}

/* Behind RESET, places in which raw WQEs were have other requests. */
static void again(struct gen *g, enum qp_kind kind)
{
	struct raw_request r = {raw_alone(kind), 1, IBV_SEND_SIGNALED, false};
	struct post p;

	if (!raw_opens(g, kind, NULL, ROW_RAW_OPCODE,
		       "Requests behind RESET where raw WQEs were", "reset"))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	raw_send(&p, &r, false);
	prog_num(g->p, F_send_more, 1);
	post_poll(&p, 2);
	post_restart(&p, p.a, p.b, IBV_QPS_RTS, 0);
	r = (struct raw_request){IBV_WR_SEND, 3, IBV_SEND_SIGNALED, true};
	if (kind != QK_UD)
		r.opcode = IBV_WR_RDMA_WRITE;
	raw_recv(&p, &r);
	raw_send(&p, &r, false);
	post_poll(&p, kind == QK_UD ? 2 : 1);
	r = (struct raw_request){raw_alone(kind), 4, IBV_SEND_SIGNALED, false};
	raw_send(&p, &r, false);
	post_poll(&p, 1);
	post_end_bytes(&p);
}

/* A queue pair whose creator asked for other mlx5 operations, or for none. */
static void not_asked(struct gen *g, enum qp_kind kind, uint64_t ops,
		      const char *name)
{
	struct raw_request r = {raw_alone(kind), 1, IBV_SEND_SIGNALED, false};
	struct post p;

	if (!raw_opens(g, kind, NULL, ROW_DV_WR_NOT_ASKED,
		       "A raw WQE that was not asked for", "%s", name))
		return;
	p = post_parents(g, kind);
	p.a = g->qp = raw_qp(g, kind, ops);
	p.b = gen_qp_of(g, kind_receiver(kind));
	raw_ready(&p);
	raw_send(&p, &r, false);
	post_poll_for(&p, 1, POST_MAYBE);
	post_finish(&p);
}

void mlx5_gen_raw_errors(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes_all(&n);

	for (size_t i = 0; i < n; i++) {
		if (!raw_tries(g, kind,
			       op[i].value == IBV_WR_SEND ||
				       op[i].value == IBV_WR_RDMA_WRITE))
			continue;
		wrong_key(g, kind, &op[i], false, true);
		wrong_key(g, kind, &op[i], true, true);
	}
	wrong_key(g, kind, opcode_of(IBV_WR_SEND), false, false);
	wrong_key(g, kind, opcode_of(IBV_WR_RDMA_WRITE), true, false);
	flushed(g, kind);
	held(g, kind);
	again(g, kind);
	not_asked(g, kind, 0, "none-asked");
	if (kind != QK_RC)
		return;
	not_asked(g, kind, MLX5DV_QP_EX_WITH_MR_LIST, "not-asked");
	for (uint64_t meant = 1; meant <= 3; meant++)
		canceled(g, meant, false);
	canceled(g, 2, true);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The flags of raw WQEs: those of the WQE count, and neither wr_flags nor
 * sq_sig_all.
 */
#include "cases/events/completion.h"
#include "vendor-mlx5/cases/raw_wqe.h"

static const struct ignored {
	const char *name;
	uint32_t wr_flags, flags;
} ignored[] = {
	{"signaled", IBV_SEND_SIGNALED, 0},
	{"signaled-both", IBV_SEND_SIGNALED, IBV_SEND_SIGNALED},
	{"all", IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_FENCE, 0},
	{"none", 0, 0},
	{"inline", IBV_SEND_INLINE, IBV_SEND_SIGNALED},
	{"inline-unsignaled", IBV_SEND_INLINE, 0},
	{"fence", IBV_SEND_FENCE, IBV_SEND_SIGNALED},
	{"inline-of-wqe", 0, IBV_SEND_SIGNALED | IBV_SEND_INLINE},
};

/* Posts a raw WQE with these flags, and behind it, in the same batch or in one
 * of its own, a raw WQE and another request that complete. */
static void wr_flags(struct gen *g, enum qp_kind kind, const struct ignored *is,
		     bool all, bool apart)
{
	struct raw_request r = {raw_alone(kind), 1, is->flags, false};
	struct raw_request last = {raw_alone(kind), 2, IBV_SEND_SIGNALED,
				   false};
	unsigned int n = is->flags & IBV_SEND_SIGNALED ? 3 : 2;
	struct post p;

	if (!raw_opens(g, kind, opcode_of(r.opcode),
		       all	      ? ROW_RAW_SIGNALED
		       : is->wr_flags ? ROW_RAW_FLAGS
				      : ROW_RAW_SAME,
		       "Flags of a raw WQE", "%s/%s%s",
		       all ? "sq-sig-all" : "wr-flags", is->name,
		       apart ? "-apart" : ""))
		return;
	p = post_parents(g, kind);
	p.a = g->qp = raw_qp(g, kind, MLX5DV_QP_EX_WITH_RAW_WQE);
	prog_num(g->p, F_sq_sig_all, all);
	p.b = gen_qp_of(g, kind_receiver(kind));
	raw_ready(&p);
	raw_send(&p, &r, false);
	if (is->wr_flags)
		prog_num(g->p, F_raw_wr_flags, is->wr_flags);
	if (apart) {
		post_poll(&p, n - 2);
		raw_send(&p, &last, false);
	} else {
		raw_send(&p, &last, true);
	}
	last = (struct raw_request){IBV_WR_SEND, 3, all ? 0 : IBV_SEND_SIGNALED,
				    true};
	if (kind != QK_UD)
		last.opcode = IBV_WR_RDMA_WRITE;
	if (kind == QK_UD) {
		raw_recv(&p, &last);
		n++;
	}
	raw_send(&p, &last, false);
	post_poll(&p, apart ? 2 + (kind == QK_UD) : n);
	post_end_bytes(&p);
}

/* A solicited event is asked for by the WQE. */
static void solicited(struct gen *g, enum qp_kind kind, bool wqe)
{
	struct raw_request r = {IBV_WR_SEND, 1, IBV_SEND_SIGNALED, false};
	struct notify n;

	if (kind == QK_XRC_SEND || kind_is_vendors(kind) ||
	    !raw_opens(g, kind, opcode_of(IBV_WR_SEND),
		       wqe ? ROW_RAW_SAME : ROW_RAW_FLAGS,
		       "A solicited event for a raw WQE", "solicited/%s",
		       wqe ? "wqe" : "wr-flags"))
		return;
	n = notify_parents(g, kind, V_create_cq);
	g->cq = n.sends;
	n.p.a = g->qp = raw_qp(g, kind, MLX5DV_QP_EX_WITH_RAW_WQE);
	g->cq = n.receives;
	n.p.b = gen_qp_of(g, kind);
	post_both(&n.p, 2);
	notify_arm(&n, n.receives, 1);
	if (wqe)
		r.flags |= IBV_SEND_SOLICITED;
	raw_send(&n.p, &r, false);
	if (!wqe)
		prog_num(g->p, F_raw_wr_flags, IBV_SEND_SOLICITED);
	notify_poll(&n, n.receives, 1);
	notify_poll(&n, n.sends, 1);
	if (wqe)
		notify_event(&n);
	notify_quiet(&n);
	gen_done(g);
}

/* A READ, and behind it a fenced WRITE of the bytes that it fetched. */
static void fenced(struct gen *g, const struct opcode *fetch, bool raw_fetch,
		   bool raw_write)
{
	struct raw_request r = {fetch->value, 1, 0, !raw_fetch};
	struct raw_request w = {IBV_WR_RDMA_WRITE, 2,
				IBV_SEND_SIGNALED | IBV_SEND_FENCE, !raw_write};
	struct post p;

	if (!raw_opens(g, QK_RC, fetch, ROW_DATA_FENCE,
		       "A fence before or behind a raw WQE", "fence/%s-%s-%s",
		       raw_fetch ? "raw" : "plain", fetch->slug,
		       raw_write ? "raw" : "plain"))
		return;
	p = raw_stage(g, QK_RC);
	raw_ready(&p);
	raw_send(&p, &r, false);
	prog_num(g->p, F_send_remote_offset, RAW_REMOTE);
	raw_send(&p, &w, true);
	prog_num(g->p, F_send_length, fetch->atomic ? 8 : POST_LENGTH);
	prog_num(g->p, F_send_remote_offset, RAW_RECEIVED);
	post_poll(&p, 1);
	post_end_bytes(&p);
}

static void fences(struct gen *g)
{
	static const uint32_t fetches[] = {IBV_WR_RDMA_READ,
					   IBV_WR_ATOMIC_FETCH_AND_ADD};

	for (size_t i = 0; i < COUNT(fetches); i++) {
		const struct opcode *op = opcode_of(fetches[i]);

		fenced(g, op, false, true);
		fenced(g, op, true, true);
		fenced(g, op, true, false);
	}
}

void mlx5_gen_raw_flags(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(ignored); i++) {
		const struct ignored *is = &ignored[i];

		/* UD has no WRITE, and a NOP no inline data. */
		if ((kind == QK_UD && is->flags & IBV_SEND_INLINE) ||
		    !raw_tries(g, kind, i == 0 || i == 3))
			continue;
		wr_flags(g, kind, is, false, false);
		if (i < 4)
			wr_flags(g, kind, is, true, false);
		if (i == 0 || i == 3)
			wr_flags(g, kind, is, true, true);
		if (i == 0)
			wr_flags(g, kind, is, false, true);
	}
	solicited(g, kind, true);
	solicited(g, kind, false);
	if (kind == QK_RC)
		fences(g);
}

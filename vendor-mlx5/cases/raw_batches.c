// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Raw WQEs in batches: beside each other and beside other requests, aborted and
 * refused, and more than the queue takes.
 */
#include "vendor-mlx5/cases/raw_wqe.h"
#include <string.h>

/* Batches, a letter for each request: raw SENDs (r), NOPs (n) and operations
 * that need no receive (w), SENDs by ibv_wr_* (p), and raw WQEs (u) and other
 * SENDs (v) without a completion. `each`: for every type. */
static const struct {
	const char *batch;
	bool each;
} batches[] = {
	{"rr", false},	{"rrr", true},	 {"rp", true},	  {"pr", true},
	{"prp", false}, {"rpr", false},	 {"nrw", false},  {"pnp", false},
	{"wnr", false}, {"rwrp", false}, {"urr", true},	  {"rur", false},
	{"upr", false}, {"vr", false},	 {"uvur", false}, {"pupr", false},
	{"rnpw", true},
};

static struct raw_request request_of(enum qp_kind kind, char letter,
				     uint64_t wr_id)
{
	struct raw_request r = {IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED,
				strchr("pv", letter) != NULL};

	if (letter == 'n')
		r.opcode = MLX5_WR_NOP;
	else if (letter == 'w')
		r.opcode = raw_alone(kind);
	if (strchr("uv", letter))
		r.flags = 0;
	return r;
}

/* The wr_ids of a batch go up and down, and have more than 32 bits. */
static uint64_t wr_id_of(size_t at)
{
	return (UINT64_C(1) << 40) * (at % 2 + 1) + 7 * at;
}

/* Posts a batch. Returns how many completions it has. */
static unsigned int post_batch(const struct post *p, const char *batch)
{
	unsigned int n = 0;

	for (size_t i = 0; batch[i]; i++) {
		struct raw_request r =
			request_of(p->kind, batch[i], wr_id_of(i));

		n += raw_recv(p, &r) - (r.flags ? 0 : 1);
	}
	for (size_t i = 0; batch[i]; i++) {
		struct raw_request r =
			request_of(p->kind, batch[i], wr_id_of(i));

		raw_send(p, &r, i > 0);
		if (!opcode_of(r.opcode)->empty)
			prog_num(p->g->p, F_send_length, POST_LENGTH - 8 * i);
	}
	return n;
}

static void mixed(struct gen *g, enum qp_kind kind, const char *batch)
{
	struct post p;

	if (!raw_opens(g, kind, opcode_of(IBV_WR_SEND), ROW_RAW_OPCODE,
		       "Raw WQEs in a batch", "batch/%s", batch))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	post_poll(&p, post_batch(&p, batch));
	post_end_bytes(&p);
}

/* Requests of one call, the odd one of which has another operation. */
static void list(struct gen *g, enum qp_kind kind, uint32_t odd)
{
	struct raw_request r = {raw_alone(kind), 10, IBV_SEND_SIGNALED, false};
	struct post p;

	if (!raw_opens(g, kind, opcode_of(r.opcode), ROW_RAW_OPCODE,
		       "A list of raw WQEs", "list/odd-%u", odd))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	raw_send(&p, &r, false);
	prog_num(g->p, F_send_more, 3);
	if (odd) {
		prog_num(g->p, F_send_odd, odd);
		prog_num(g->p, F_send_odd_opcode, MLX5_WR_NOP);
	}
	post_poll(&p, 4);
	post_end_bytes(&p);
}

/* No request of an aborted batch, or of one that is refused, is carried out. */
static void dropped(struct gen *g, enum qp_kind kind, bool abort)
{
	enum row row = abort ? ROW_WR_ABORT : ROW_WR_WHOLE;
	struct raw_request good = {raw_alone(kind), 1, IBV_SEND_SIGNALED,
				   false};
	struct raw_request other = {IBV_WR_SEND, 2, IBV_SEND_SIGNALED, true};
	struct post p;

	if (!raw_opens(g, kind, opcode_of(IBV_WR_SEND), row,
		       "A batch with raw WQEs", "batch/%s",
		       abort ? "aborted" : "refused"))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	raw_send(&p, &good, false);
	if (abort) {
		raw_send(&p, &good, true);
		gen_call(g, V_wr_abort, p.a);
		g->building = false;
	} else {
		raw_send(&p, &other, true);
		prog_out(g->p, F_send_num_sge, p.a, F_max_send_sge, 1);
	}
	post_poll(&p, 0);
	good.wr_id = 3;
	raw_send(&p, &good, false);
	post_poll(&p, 1);
	post_end_bytes(&p);
}

/* Requests fill the queue in SQD, and one more, which has other bytes, is
 * refused. In RTS the others are carried out as they were posted. */
static void full(struct gen *g, enum qp_kind kind, bool plain, bool plain_over)
{
	const uint64_t most = g->d->limit[LIM_max_cqe];
	struct raw_request r = {IBV_WR_RDMA_WRITE, 1, IBV_SEND_SIGNALED, plain};
	struct post p;

	if (!gen_id(g, "full/%s-%s", plain ? "plain" : "raw",
		    plain_over ? "plain" : "raw") ||
	    !raw_says(g, kind, IBV_QPS_SQD, NULL, ROW_WR_FULL, "A full queue"))
		return;
	p = post_parents(g, kind);
	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, most < 1024 ? most : 1024);
	p.a = g->qp = raw_qp(g, kind, MLX5DV_QP_EX_WITH_RAW_WQE);
	p.b = gen_qp_of(g, kind_receiver(kind));
	raw_ready(&p);
	post_up(&p, p.a, p.b, IBV_QPS_RTS, IBV_QPS_SQD);
	raw_send(&p, &r, false);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, -1);
	r = (struct raw_request){IBV_WR_RDMA_WRITE, 3000, 0, plain_over};
	raw_send(&p, &r, false);
	prog_num(g->p, F_send_offset, 512);
	prog_num(g->p, F_send_remote_offset, RAW_RECEIVED);
	post_poll(&p, 0);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_poll_granted(&p, F_max_send_wr);
	post_end_bytes(&p);
}

void mlx5_gen_raw_batches(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(batches); i++)
		if (batches[i].each ||
		    (raw_tries(g, kind, false) && (!g->poll_ex || gen_full(g))))
			mixed(g, kind, batches[i].batch);
	if (g->poll_ex)
		return;
	for (uint32_t odd = 0; odd <= 4; odd++)
		if (raw_tries(g, kind, odd == 2))
			list(g, kind, odd);
	dropped(g, kind, true);
	dropped(g, kind, false);
	for (int i = 0; i < 3 && kind != QK_UD; i++)
		if (raw_tries(g, kind, !i))
			full(g, kind, i == 2, i == 1);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages to XRC_RECV: which SRQ takes them, where they complete, SRQs that
 * are not valid for the receiver, and shared receivers.
 */
#include <fcntl.h>
#include "cases/post/post.h"

static bool says(struct gen *g, const char *id, enum row row)
{
	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row,
			     post_claim(g, QK_XRC_SEND, IBV_QPS_RTS, NULL),
			     "Messages to XRC_RECV (%s)", id);
}

static void send_by(const struct post *p, enum ibv_wr_opcode opcode,
		    uint8_t srq, uint64_t wr_id)
{
	post_send(p, opcode, wr_id, IBV_SEND_SIGNALED);
	prog_out(p->g->p, F_send_remote_srqn, srq, F_srq_num, 0);
}

static void send_to(const struct post *p, uint8_t srq, uint64_t wr_id)
{
	send_by(p, IBV_WR_SEND_WITH_IMM, srq, wr_id);
}

static void fill(const struct post *p, uint8_t srq, uint64_t wr_id)
{
	struct post at = *p;

	at.srq = srq;
	post_recv(&at, srq, wr_id, 2);
}

/* Two SRQs, each with its own completion queue, in turn. The first operation is
 * for the second SRQ. */
static void two_srqs(struct gen *g, const char *id,
		     const enum ibv_wr_opcode opcode[3])
{
	uint8_t cq, other;
	struct post p;

	if (!says(g, id, ROW_XRC_SRQ))
		return;
	p = post_pair(g, QK_XRC_SEND);
	cq = gen_cq(g);
	other = gen_xrc_srq(g, g->pd, g->xrcd, cq);
	post_both(&p, 0);
	fill(&p, p.xsrq, 200);
	fill(&p, other, 300);
	send_by(&p, opcode[0], other, 1);
	send_by(&p, opcode[1], p.xsrq, 2);
	send_by(&p, opcode[2], other, 3);
	post_poll(&p, 4);
	post_poll_at(&p, cq, 2);
	post_poll(&p, 0);
	post_poll_at(&p, cq, 0);
	gen_done(g);
}

/* Two receivers with one SRQ: the completion names the receiver. */
static void two_receivers(struct gen *g)
{
	struct post p, q;

	if (!says(g, "two-receivers", ROW_XRC_SRQ))
		return;
	p = q = post_pair(g, QK_XRC_SEND);
	q.a = gen_qp_of(g, QK_XRC_SEND);
	q.b = gen_qp_of(g, QK_XRC_RECV);
	post_both(&p, 0);
	post_both(&q, 0);
	fill(&p, p.xsrq, 200);
	send_to(&p, p.xsrq, 1);
	post_poll(&p, 2);
	send_to(&q, p.xsrq, 2);
	post_poll(&p, 2);
	send_to(&p, p.xsrq, 3);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

/* A message waits for a receive of the SRQ that it names. */
static void late_receive(struct gen *g)
{
	uint8_t other;
	struct post p;

	if (!says(g, "late-receive", ROW_XRC_SRQ))
		return;
	p = post_pair(g, QK_XRC_SEND);
	other = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	post_both(&p, 0);
	fill(&p, other, 300);
	send_to(&p, p.xsrq, 1);
	post_poll(&p, 0);
	fill(&p, p.xsrq, 200);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

/* No such SRQ, a destroyed one, or one of another domain: no receive is taken.
 */
static void named_wrongly(struct gen *g, const char *id, bool elsewhere,
			  bool gone)
{
	uint8_t other;
	struct post p;

	if (!says(g, id, ROW_XRC_SRQ_BAD))
		return;
	p = post_pair(g, QK_XRC_SEND);
	other = gen_xrc_srq(g, g->pd, elsewhere ? gen_xrcd(g) : g->xrcd, g->cq);
	post_both(&p, 0);
	fill(&p, p.xsrq, 200);
	fill(&p, other, 300);
	if (gone)
		gen_call(g, V_destroy_srq, other);
	send_to(&p, other, 1);
	if (!elsewhere && !gone)
		prog_num(g->p, F_send_remote_srqn, 0xfffffe);
	send_to(&p, p.xsrq, 2);
	post_poll(&p, 2);
	post_end(&p);
}

/* A file stands for one domain: an SRQ created through another handle belongs
 * to it. */
static void by_file(struct gen *g)
{
	uint8_t other;
	struct post p;

	if (!says(g, "same-file", ROW_XRC_SRQ))
		return;
	p = post_pair(g, QK_XRC_SEND);
	g->xrcd = gen_xrcd(g);
	prog_num(g->p, F_xrcd_fd, XRCD_FILE0);
	p.b = gen_qp_of(g, QK_XRC_RECV);
	other = gen_xrcd(g);
	prog_num(g->p, F_xrcd_fd, XRCD_FILE0);
	other = gen_xrc_srq(g, g->pd, other, g->cq);
	post_both(&p, 0);
	fill(&p, other, 300);
	send_to(&p, other, 1);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

/* The receiver exists as long as any handle of it. */
static void shared(struct gen *g)
{
	uint8_t again;
	struct post p;

	if (!says(g, "opened-again", ROW_LIFE_SHARED_QP))
		return;
	p = post_pair(g, QK_XRC_SEND);
	post_both(&p, 0);
	again = gen_make(g, V_open_qp, NO_OBJ);
	prog_num(g->p, F_open_comp_mask,
		 IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			 IBV_QP_OPEN_ATTR_TYPE);
	prog_out(g->p, F_open_qp_num, p.b, F_qp_num, 0);
	prog_obj(g->p, F_open_xrcd, g->xrcd);
	prog_num(g->p, F_open_qp_type, IBV_QPT_XRC_RECV);
	fill(&p, p.xsrq, 200);
	send_to(&p, p.xsrq, 1);
	post_poll(&p, 2);
	gen_call(g, V_destroy_qp, p.b);
	send_to(&p, p.xsrq, 2);
	post_poll(&p, 2);
	gen_query(g, again);
	gen_done(g);
}

/* All SRQs have different numbers. */
static void numbers(struct gen *g)
{
	uint8_t srq = NO_OBJ;
	struct post p;

	if (!says(g, "srq-numbers", ROW_XRC_NUMBER))
		return;
	p = post_pair(g, QK_XRC_SEND);
	for (int i = 0; i < 3; i++)
		srq = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	post_both(&p, 0);
	fill(&p, srq, 300);
	send_to(&p, srq, 1);
	post_poll(&p, 2);
	gen_done(g);
}

void gen_post_xrc(struct gen *g)
{
	two_srqs(g, "two-srqs",
		 (const enum ibv_wr_opcode[]){IBV_WR_SEND_WITH_IMM,
					      IBV_WR_SEND_WITH_IMM,
					      IBV_WR_SEND_WITH_IMM});
	two_srqs(g, "two-srqs-write-imm",
		 (const enum ibv_wr_opcode[]){IBV_WR_RDMA_WRITE_WITH_IMM,
					      IBV_WR_RDMA_WRITE_WITH_IMM,
					      IBV_WR_RDMA_WRITE_WITH_IMM});
	two_srqs(g, "two-srqs-write-imm-after-send",
		 (const enum ibv_wr_opcode[]){IBV_WR_RDMA_WRITE_WITH_IMM,
					      IBV_WR_SEND,
					      IBV_WR_RDMA_WRITE_WITH_IMM});
	two_receivers(g);
	late_receive(g);
	named_wrongly(g, "no-such-srq", false, false);
	named_wrongly(g, "srq-of-other-domain", true, false);
	named_wrongly(g, "srq-destroyed", false, true);
	by_file(g);
	shared(g);
	numbers(g);
	gen_post_xrc_handles(g);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Lists of requests of which one has a member of its own: its immediate data or
 * its destination. Each request has to carry its own.
 */
#include "cases/post/lists.h"

static struct post begin(struct gen *g, enum qp_kind kind)
{
	struct post p = post_pair(g, kind);

	post_both(&p, 3);
	return p;
}

void list_post_three(const struct post *p, uint32_t opcode)
{
	post_send(p, opcode, 1, IBV_SEND_SIGNALED);
	prog_num(p->g->p, F_send_more, 2);
	prog_num(p->g->p, F_send_odd, 2);
}

static void immediate(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_FIELDS,
		       "A list whose second request has other immediate data",
		       "list/imm-data"))
		return;
	p = begin(g, kind);
	list_post_three(&p, IBV_WR_SEND_WITH_IMM);
	prog_num(g->p, F_send_odd_imm_data, ~(uint32_t)POST_IMM);
	post_poll(&p, 6);
	post_end(&p);
}

/* The second message goes to another SRQ. */
static void other_srq(struct gen *g)
{
	struct post p, q;

	if (!post_case(g, QK_XRC_SEND, IBV_QPS_RTS, ROW_XRC_SRQ,
		       "A list whose second message is for another SRQ",
		       "list/srq"))
		return;
	p = q = post_pair(g, QK_XRC_SEND);
	q.xsrq = q.srq = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	post_both(&p, 3);
	post_recv(&q, q.srq, 300, 1);
	list_post_three(&p, IBV_WR_SEND);
	prog_out(g->p, F_send_odd_remote_srqn, q.srq, F_srq_num, 0);
	post_poll(&p, 6);
	post_end(&p);
}

struct post list_pair_of_srqs(struct gen *g, uint8_t srq[LIST_SRQS])
{
	struct post p = post_pair(g, QK_XRC_SEND);

	srq[0] = p.xsrq;
	for (int i = 1; i < LIST_SRQS; i++)
		srq[i] = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	post_both(&p, 0);
	for (int i = 0; i < LIST_SRQS; i++) {
		p.srq = srq[i];
		post_recv(&p, srq[i], 300 + 100 * (uint64_t)i, 3);
	}
	return p;
}

void list_put_srq(const struct post *p, enum field field, uint8_t srq)
{
	prog_out(p->g->p, field, srq, F_srq_num, 0);
}

/* One message of a list is for another SRQ. */
static void odd_srq(struct gen *g, const struct opcode *op, uint32_t at,
		    uint32_t of)
{
	uint8_t srq[LIST_SRQS];
	struct post p;

	if (!gen_id(g, "list/srq/%s-%u-of-%u", op->slug, at, of) ||
	    !post_op_says(g, QK_XRC_SEND, op, ROW_XRC_SRQ))
		return;
	p = list_pair_of_srqs(g, srq);
	post_send(&p, op->value, 1, IBV_SEND_SIGNALED);
	list_put_srq(&p, F_send_remote_srqn, srq[1]);
	prog_num(g->p, F_send_more, of - 1);
	prog_num(g->p, F_send_odd, at);
	list_put_srq(&p, F_send_odd_remote_srqn, srq[2]);
	post_poll(&p, 2 * of);
	post_end(&p);
}

/* Messages to all SRQs: lists of two for different SRQs, or one batch. */
static void each_srq(struct gen *g, const struct opcode *op, unsigned int first)
{
	uint8_t srq[LIST_SRQS];
	struct post p;

	if (!gen_id(g, "list/srq/%s-each-from-%u", op->slug, first) ||
	    !post_op_says(g, QK_XRC_SEND, op, ROW_XRC_SRQ))
		return;
	p = list_pair_of_srqs(g, srq);
	for (unsigned int i = 0; i < LIST_SRQS; i++) {
		uint8_t to = srq[(first + i) % LIST_SRQS];

		if (i && g->wr)
			post_more(&p, op->value, 1 + 2 * i, IBV_SEND_SIGNALED);
		else
			post_send(&p, op->value, 1 + 2 * i, IBV_SEND_SIGNALED);
		list_put_srq(&p, F_send_remote_srqn, to);
		if (g->wr)
			continue;
		prog_num(g->p, F_send_more, 1);
		prog_num(g->p, F_send_odd, 2);
		list_put_srq(&p, F_send_odd_remote_srqn,
			     srq[(first + i + 1) % LIST_SRQS]);
	}
	post_poll(&p, g->wr ? 2 * LIST_SRQS : 4 * LIST_SRQS);
	post_end(&p);
}

static void srqs_of_lists(struct gen *g)
{
	static const uint32_t ops[] = {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
				       IBV_WR_RDMA_WRITE_WITH_IMM};

	for (size_t i = 0; i < COUNT(ops); i++) {
		const struct opcode *op = opcode_of(ops[i]);

		for (uint32_t at = 1; at <= 3; at++)
			odd_srq(g, op, at, 3);
		odd_srq(g, op, 2, 2);
		for (unsigned int first = 0; first < LIST_SRQS; first++)
			each_srq(g, op, first);
	}
}

/* The second datagram goes to another queue pair. */
static void other_receiver(struct gen *g)
{
	struct post p, q;

	if (!post_case(g, QK_UD, IBV_QPS_RTS, ROW_POLL_FIELDS,
		       "A list whose second datagram is for another queue pair",
		       "list/receiver"))
		return;
	p = q = post_pair(g, QK_UD);
	q.b = gen_qp_of(g, QK_UD);
	post_both(&p, 3);
	post_bring(&q, q.b, p.a, IBV_QPS_RTS);
	post_recv(&q, q.b, 300, 1);
	list_post_three(&p, IBV_WR_SEND);
	prog_out(g->p, F_send_odd_remote_qpn, q.b, F_qp_num, 0);
	post_poll(&p, 6);
	post_end(&p);
}

/* The Q_Key of the second datagram is not that of the receiver. */
static void other_qkey(struct gen *g)
{
	struct post p;

	if (!post_case(g, QK_UD, IBV_QPS_RTS, ROW_UD_QKEY,
		       "A list whose second datagram has another Q_Key",
		       "list/q-key"))
		return;
	p = begin(g, QK_UD);
	list_post_three(&p, IBV_WR_SEND);
	prog_num(g->p, F_send_odd_remote_qkey, POST_QKEY + 1);
	post_poll(&p, 5);
	post_end(&p);
}

/* The second request alone is signaled, or alone is not. */
static void signals(struct gen *g, enum qp_kind kind, bool second)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_NONE,
		       second ? "A list whose second request alone is signaled"
			      : "A list whose second request is not signaled",
		       second ? "list/signaled" : "list/unsignaled"))
		return;
	p = begin(g, kind);
	post_send(&p, IBV_WR_SEND, 1, second ? 0 : IBV_SEND_SIGNALED);
	post_more(&p, IBV_WR_SEND, 2, second ? IBV_SEND_SIGNALED : 0);
	post_more(&p, IBV_WR_SEND, 3, second ? 0 : IBV_SEND_SIGNALED);
	post_poll(&p, second ? 4 : 5);
	post_end(&p);
}

void gen_post_list_members(struct gen *g, enum qp_kind kind)
{
	if (!post_carries(kind) || kind_is_vendors(kind))
		return;
	immediate(g, kind);
	gen_post_lists_mixed(g, kind);
	if (g->wr) {
		signals(g, kind, false);
		signals(g, kind, true);
	}
	if (kind == QK_XRC_SEND) {
		other_srq(g);
		srqs_of_lists(g);
	}
	if (kind == QK_UD) {
		other_receiver(g);
		other_qkey(g);
	}
}

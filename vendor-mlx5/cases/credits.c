// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for RC queue pairs that count end-to-end credits by packet: messages of
 * several packets with few receives, between two such queue pairs, and between
 * one and a usual one, which must not disturb others.
 */
#include <infiniband/mlx5dv.h>
#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"

#define LONG	 1000 /* bytes: four packets of the smallest MTU */
#define MESSAGES 4

static uint8_t make_qp(struct gen *g, bool by_packet)
{
	return mlx5_gen_qp_flags(
		g, QK_RC,
		by_packet ? MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE : 0);
}

/* Makes two connected queue pairs in RTS with the smallest MTU. */
static struct post make_stage(struct gen *g, bool a, bool b, int64_t rnr_retry)
{
	struct post p = post_parents(g, QK_RC);

	p.a = g->qp = make_qp(g, a);
	p.b = make_qp(g, b);
	post_retries(&p.with, POST_TIMER, 1);
	post_rnr(&p.with, rnr_retry, 1);
	gen_value(&p.with, F_path_mtu, NULL, IBV_MTU_256);
	post_both(&p, 0);
	gen_fill(g, p.mr, 1);
	return p;
}

static void receive(const struct post *p, uint64_t wr_id)
{
	post_recv(p, p->b, wr_id, 0);
	prog_num(p->g->p, F_recv_offset, 2048 + wr_id % 2 * 1024);
	prog_num(p->g->p, F_recv_length, 1024);
}

/* Posts a message whose length and place tell which it is. */
static void send(const struct post *p, uint32_t opcode, uint64_t wr_id,
		 uint32_t length)
{
	post_send(p, opcode, wr_id, IBV_SEND_SIGNALED);
	prog_num(p->g->p, F_send_offset, 8 * wr_id);
	prog_num(p->g->p, F_send_length, length);
	if (opcode_of(opcode)->access)
		prog_num(p->g->p, F_send_remote_offset, 2048);
}

static bool opens(struct gen *g, uint32_t opcode, enum row row)
{
	return post_op_says_with(g, QK_RC, opcode_of(opcode), CLAIM_MLX5_CREDIT,
				 row);
}

/* More messages than receives; the others get theirs one by one. */
static void few_receives(struct gen *g, uint32_t opcode, uint64_t receives)
{
	struct post p;

	if (!gen_id(g, "both/%s-%u-receives", opcode_of(opcode)->slug,
		    (unsigned int)receives) ||
	    !opens(g, opcode, ROW_CREDIT_MESSAGES))
		return;
	p = make_stage(g, true, true, POST_FOREVER);
	for (uint64_t i = 0; i < receives; i++)
		receive(&p, 200 + i);
	for (uint64_t i = 0; i < MESSAGES; i++)
		send(&p, opcode, i, LONG - (uint32_t)i);
	post_poll(&p, 2 * (unsigned int)receives);
	gen_call(g, V_read_mr, p.mr);
	for (uint64_t i = receives; i < MESSAGES; i++) {
		post_poll(&p, 0);
		receive(&p, 200 + i);
		post_poll(&p, 2);
	}
	post_end_bytes(&p);
}

/* Messages of one packet: a full one, or one without bytes. */
static void short_messages(struct gen *g, uint32_t length)
{
	struct post p;

	if (!gen_id(g, "both/%u-bytes", length) ||
	    !opens(g, IBV_WR_SEND, ROW_CREDIT_MESSAGES))
		return;
	p = make_stage(g, true, true, POST_FOREVER);
	receive(&p, 200);
	for (uint64_t i = 0; i < 2; i++)
		send(&p, IBV_WR_SEND, i, length);
	post_poll(&p, 2);
	receive(&p, 201);
	post_poll(&p, 2);
	post_end_bytes(&p);
}

/* An RDMA operation of many packets and an atomic operation take no receive and
 * wait for none. */
static void without_receives(struct gen *g, uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p;

	if (!gen_id(g, "both/%s-without-receive", op->slug) ||
	    !opens(g, opcode, ROW_POLL_FIELDS))
		return;
	p = make_stage(g, true, true, POST_FOREVER);
	for (uint64_t i = 0; i < 2; i++)
		send(&p, opcode, i, op->atomic ? 8 : LONG);
	post_poll(&p, 2);
	send(&p, IBV_WR_SEND, 2, LONG);
	post_poll(&p, 0);
	receive(&p, 201);
	post_poll(&p, 2);
	post_end_bytes(&p);
}

/* Both queue pairs send at the same time. */
static void both_ways(struct gen *g)
{
	struct post p, back;

	if (!gen_id(g, "both/ways") ||
	    !opens(g, IBV_WR_SEND, ROW_CREDIT_MESSAGES))
		return;
	p = make_stage(g, true, true, POST_FOREVER);
	back = post_back(&p);
	receive(&p, 200);
	send(&p, IBV_WR_SEND, 0, LONG);
	send(&back, IBV_WR_SEND, 1, LONG);
	post_poll(&p, 2);
	receive(&back, 201);
	post_poll(&p, 2);
	post_end_bytes(&p);
}

/* Without a receive the retries run out. */
static void no_receive(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "both/no-receive") ||
	    !gen_says_rule(g, ROW_RETRY_RNR,
			   gen_also(g,
				    post_claim_behind(g, CLAIM_RETRIES, QK_RC),
				    CLAIM_MLX5_CREDIT),
			   "RC"))
		return;
	p = make_stage(g, true, true, 1);
	send(&p, IBV_WR_SEND, 0, LONG);
	post_poll_for(&p, 1, POST_ENDS);
	gen_query(g, p.a);
	post_end_bytes(&p);
}

/* One end counts messages. Two usual queue pairs go on. */
static void mixed(struct gen *g, bool sender, uint32_t opcode, unsigned int n)
{
	struct post p, usual;

	if (!gen_id(g, "mixed/%s-%s-%u-receives",
		    sender ? "sender" : "receiver", opcode_of(opcode)->slug,
		    n) ||
	    !opens(g, opcode, ROW_CREDIT_MIXED))
		return;
	p = make_stage(g, sender, !sender, POST_FOREVER);
	usual = p;
	usual.a = make_qp(g, false);
	usual.b = make_qp(g, false);
	post_both(&usual, 0);
	for (uint64_t i = 0; i < n; i++)
		receive(&p, 200 + i);
	for (uint64_t i = 0; i < 2; i++)
		send(&p, opcode, i, LONG);
	post_poll_for(&p, 4, POST_MAYBE);
	gen_query(g, usual.a);
	gen_query(g, usual.b);
	for (uint64_t i = 10; i < 12; i++) {
		receive(&usual, 200 + i);
		send(&usual, IBV_WR_SEND, i, LONG);
		post_poll(&p, 2);
	}
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll_for(&p, 4, POST_MAYBE);
	post_end_bytes(&usual);
}

void mlx5_gen_credits(struct gen *g)
{
	static const uint32_t opcodes[] = {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
					   IBV_WR_RDMA_WRITE_WITH_IMM};

	gen_prefix(g, "mlx5/credit/");
	for (size_t i = 0; i < COUNT(opcodes); i++) {
		for (uint64_t n = 0; n < 3; n++)
			few_receives(g, opcodes[i], n);
		for (unsigned int n = 0; n < 3; n += 2) {
			mixed(g, true, opcodes[i], n);
			mixed(g, false, opcodes[i], n);
		}
	}
	short_messages(g, 256);
	short_messages(g, 0);
	without_receives(g, IBV_WR_RDMA_WRITE);
	without_receives(g, IBV_WR_RDMA_READ);
	without_receives(g, IBV_WR_ATOMIC_FETCH_AND_ADD);
	both_ways(g);
	no_receive(g);
}

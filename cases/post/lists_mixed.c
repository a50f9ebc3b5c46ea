// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Lists and batches of two operations. Each request has to carry its own
 * members.
 */
#include "cases/post/lists.h"

/* Two operations of one list: A, B, A. B has immediate data and a destination
 * of its own: another SRQ, or another receiver of datagrams. */
struct mixed {
	struct post p;
	const struct opcode *a, *b;
	uint8_t srq[LIST_SRQS]; /* of XRC */
	uint8_t receiver;	/* of datagrams for B, or NO_OBJ */
};

static void mixed_pair(struct mixed *m, struct gen *g, enum qp_kind kind)
{
	m->receiver = NO_OBJ;
	if (kind == QK_XRC_SEND) {
		m->p = list_pair_of_srqs(g, m->srq);
		return;
	}
	m->p = post_pair(g, kind);
	if (kind == QK_UD) {
		m->receiver = gen_qp_of(g, kind);
		post_bring(&m->p, m->receiver, m->p.a, IBV_QPS_RTS);
		post_recv(&m->p, m->receiver, 300, 1);
	}
	post_both(&m->p, 3);
}

/* Adds the destination of A to a request. */
static void put_usual_srq(const struct mixed *m)
{
	if (m->p.kind == QK_XRC_SEND)
		list_put_srq(&m->p, F_send_remote_srqn, m->srq[1]);
}

/* Posts the three by ibv_post_send. */
static void mixed_list(const struct mixed *m)
{
	struct program *prog = m->p.g->p;

	list_post_three(&m->p, m->a->value);
	put_usual_srq(m);
	if (m->b->access && !m->a->access) {
		prog_obj(prog, F_send_remote, m->p.mr);
		prog_num(prog, F_send_remote_offset, 2048);
	}
	prog_num(prog, F_send_odd_opcode, m->b->value);
	if (m->b->imm)
		prog_num(prog, F_send_odd_imm_data, ~(uint32_t)POST_IMM);
	if (m->p.kind == QK_XRC_SEND)
		list_put_srq(&m->p, F_send_odd_remote_srqn, m->srq[2]);
	if (m->receiver != NO_OBJ)
		prog_out(prog, F_send_odd_remote_qpn, m->receiver, F_qp_num, 0);
}

/* Posts the three in one batch. */
static void mixed_batch(const struct mixed *m)
{
	struct program *prog = m->p.g->p;
	struct post odd = m->p;

	if (m->receiver != NO_OBJ)
		odd.b = m->receiver;
	post_send(&m->p, m->a->value, 1, IBV_SEND_SIGNALED);
	put_usual_srq(m);
	post_more(&odd, m->b->value, 2, IBV_SEND_SIGNALED);
	if (m->b->imm)
		prog_num(prog, F_send_imm_data, ~(uint32_t)POST_IMM);
	if (m->p.kind == QK_XRC_SEND)
		list_put_srq(&m->p, F_send_remote_srqn, m->srq[2]);
	post_more(&m->p, m->a->value, 3, IBV_SEND_SIGNALED);
	put_usual_srq(m);
}

static void mixed(struct gen *g, enum qp_kind kind, const struct opcode *a,
		  const struct opcode *b)
{
	struct mixed m = {.a = a, .b = b};

	if (!gen_id(g, "list/mixed/%s-%s", a->slug, b->slug) ||
	    !gen_says_rule(g,
			   kind == QK_XRC_SEND ? ROW_XRC_SRQ : ROW_POLL_FIELDS,
			   gen_also(g, post_claim(g, kind, IBV_QPS_RTS, a),
				    post_claim(g, kind, IBV_QPS_RTS, b)),
			   "A list of %s with one %s in the middle, %s",
			   a->slug, b->slug, qp_kind_name(kind)))
		return;
	mixed_pair(&m, g, kind);
	if (g->wr)
		mixed_batch(&m);
	else
		mixed_list(&m);
	post_poll(&m.p, a->receive ? 6 : 4);
	post_end(&m.p);
}

void gen_post_lists_mixed(struct gen *g, enum qp_kind kind)
{
	static const uint32_t ops[] = {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
				       IBV_WR_RDMA_WRITE_WITH_IMM,
				       IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ};

	for (size_t i = 0; i < COUNT(ops); i++)
		for (size_t k = 0; k < COUNT(ops); k++) {
			const struct opcode *a = opcode_of(ops[i]);
			const struct opcode *b = opcode_of(ops[k]);

			if (a != b && b->receive && post_has(kind, a) &&
			    post_has(kind, b))
				mixed(g, kind, a, b);
		}
}

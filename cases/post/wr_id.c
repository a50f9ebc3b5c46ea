/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * wr_id and immediate data are returned unchanged: no bit of them has a meaning
 * for the device.
 */
#include "cases/post/post.h"

struct marks {
	const char *name;
	uint64_t send, recv;
};

static struct post stage(struct gen *g, enum qp_kind kind, bool by_srq)
{
	struct post p = by_srq ? post_srq_pair(g, kind) : post_pair(g, kind);

	post_both(&p, 0);
	return p;
}

/* wr_id of a send, of its receive, and of a flushed receive. */
static void wr_ids(struct gen *g, enum qp_kind kind, const struct marks *is,
		   bool by_srq)
{
	bool flushes = !by_srq && kind_has_recv(kind);
	struct post p;

	if (!gen_id(g, "wr-id/%s%s", by_srq ? "srq-" : "", is->name) ||
	    !gen_says_rule(g, ROW_POLL_FIELDS,
			   post_claim_behind(g, by_srq ? CLAIM_SRQ : CLAIM_NONE,
					     kind),
			   "wr_id of requests on %s", qp_kind_name(kind)))
		return;
	p = stage(g, kind, by_srq);
	post_recv(&p, by_srq ? p.srq : p.b, is->recv, 0);
	if (flushes)
		post_recv(&p, p.a, is->send, 0);
	post_send(&p, IBV_WR_SEND, is->send, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_poll(&p, flushes ? 1 : 0);
	post_poll(&p, 0);
	gen_done(g);
}

/* wr_id of each request of lists: of sends, their receives, and flushed
 * receives. */
static void listed(struct gen *g, enum qp_kind kind, bool by_srq)
{
	bool flushes = !by_srq && kind_has_recv(kind);
	struct post p;

	if (!gen_id(g, "wr-id/%slist", by_srq ? "srq-" : "") ||
	    !gen_says_rule(
		    g, ROW_POLL_FIELDS,
		    post_claim_behind(g, by_srq ? CLAIM_SRQ : CLAIM_NONE, kind),
		    "wr_id of lists of requests on %s", qp_kind_name(kind)))
		return;
	p = stage(g, kind, by_srq);
	post_recv(&p, by_srq ? p.srq : p.b, UINT64_C(0xa7b6c5d4e3f20110), 2);
	if (flushes)
		post_recv(&p, p.a, UINT64_C(0x8f1e2d3c4b5a6978), 2);
	post_send(&p, IBV_WR_SEND, UINT64_C(0xc3d2e1f0a9b87654),
		  IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_more, 2);
	post_poll(&p, 6);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_poll(&p, flushes ? 3 : 0);
	post_poll(&p, 0);
	gen_done(g);
}

/* A value before and behind the usual one, neither of which must stay. */
static void immediate(struct gen *g, enum qp_kind kind, const struct opcode *op,
		      const char *name, uint32_t value)
{
	struct post p;

	if (!post_op_case(g, kind, op, ROW_POLL_FIELDS, "imm-%s", name))
		return;
	p = stage(g, kind, false);
	post_recv(&p, p.b, 200, 2);
	for (uint64_t i = 1; i <= 3; i++) {
		post_send(&p, op->value, i, IBV_SEND_SIGNALED);
		if (i != 2)
			prog_num(g->p, F_send_imm_data, value);
	}
	post_poll(&p, 6);
	post_poll(&p, 0);
	gen_done(g);
}

static void immediates(struct gen *g, enum qp_kind kind)
{
	static const struct {
		const char *name;
		uint32_t value;
	} data[] = {
		{"zero", 0}, {"ones", UINT32_MAX}, {"high", UINT32_C(1) << 31}};
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 3; k++)
			if (op[i].imm && post_has(kind, &op[i]))
				immediate(g, kind, &op[i], data[k].name,
					  data[k].value);
}

void gen_post_wr_id(struct gen *g, enum qp_kind kind)
{
	static const struct marks marks[] = {
		{"high", UINT64_C(0x8f1e2d3c4b5a6978),
		 UINT64_C(0xa7b6c5d4e3f20110)},
		{"ones", UINT64_MAX, UINT64_MAX},
	};
	bool has_srq = kind_has_recv(kind) && kind != QK_UC;

	for (size_t i = 0; i < 2; i++) {
		wr_ids(g, kind, &marks[i], false);
		if (has_srq && !g->wr)
			wr_ids(g, kind, &marks[i], true);
	}
	listed(g, kind, false);
	if (has_srq && !g->wr)
		listed(g, kind, true);
	immediates(g, kind);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creates what cases about tag matching need, and adds the calls that they are
 * made of.
 */
#include "cases/tags/tags.h"

bool tags_case(struct gen *g, enum row row, const char *what, const char *id,
	       ...)
{
	va_list ap;
	bool ours;

	va_start(ap, id);
	ours = gen_vid(g, "", id, ap);
	va_end(ap);
	return ours &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_TM, CLAIM_TYPE_RC),
			     "%s", what);
}

uint8_t tags_cq(struct gen *g)
{
	uint8_t cq = gen_make(g, V_create_cq_ex, NO_OBJ);

	prog_num(g->p, F_cqe, 64);
	prog_num(g->p, F_wc_flags,
		 IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_TM_INFO);
	return cq;
}

uint8_t tags_srq(struct gen *g, uint8_t cq)
{
	uint8_t srq = gen_make(g, V_create_srq_ex, NO_OBJ);

	prog_num(g->p, F_srq_comp_mask,
		 IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			 IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_TM);
	prog_num(g->p, F_srq_type, IBV_SRQT_TM);
	prog_num(g->p, F_srq_max_wr, GEN_QUEUE_WR);
	prog_num(g->p, F_srq_max_sge, 1);
	prog_obj(g->p, F_srq_pd, g->pd);
	prog_obj(g->p, F_srq_cq, cq);
	prog_num(g->p, F_srq_max_num_tags, TAGS_MOST);
	prog_num(g->p, F_srq_max_ops, TAGS_OPS);
	return srq;
}

static uint8_t region(struct gen *g, unsigned int pattern)
{
	uint8_t mr = gen_mr_of(g, g->pd, 8 * TAGS_BUFFER,
			       IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g));

	gen_fill(g, mr, pattern);
	return mr;
}

struct tags tags_pair(const struct tags *with, bool reads)
{
	struct gen *g = with->p.g;
	struct tags t = *with;

	t.p.a = gen_qp_of(g, QK_RC);
	t.p.b = gen_qp_of(g, QK_RC);
	prog_obj(g->p, F_srq, t.p.srq);
	if (reads) {
		prog_num(g->p, F_max_send_wr, 0);
		prog_num(g->p, F_max_send_sge, 0);
	}
	return t;
}

struct tags tags_stage(struct gen *g, bool reads)
{
	struct tags t = {.p = post_bare(g, QK_RC)};

	gen_parents(g, QK_RC);
	t.from = region(g, 1);
	t.into = region(g, 2);
	t.cq = tags_cq(g);
	t.p.srq = tags_srq(g, t.cq);
	t = tags_pair(&t, reads);
	g->qp = t.p.a;
	return t;
}

void tags_connect(const struct tags *t)
{
	post_both(&t->p, 0);
}

void tags_receive(const struct tags *t, unsigned int n)
{
	struct program *prog = t->p.g->p;

	gen_call(t->p.g, V_post_srq_recv, t->p.srq);
	prog_num(prog, F_recv_wr_id, 200 + n);
	prog_num(prog, F_recv_num_sge, 1);
	prog_obj(prog, F_recv_mr, t->into);
	prog_num(prog, F_recv_offset, TAGS_RECV_AT + n * TAGS_BUFFER);
	prog_num(prog, F_recv_length, TAGS_ROOM);
}

struct tags tags_ready(struct gen *g, unsigned int receives)
{
	struct tags t = tags_stage(g, false);

	for (unsigned int i = 0; i < receives; i++)
		tags_receive(&t, i);
	tags_connect(&t);
	return t;
}

void tags_op(const struct tags *t, enum ibv_ops_wr_opcode opcode,
	     uint64_t wr_id, uint32_t flags)
{
	struct program *prog = t->p.g->p;

	gen_call(t->p.g, V_post_srq_ops, t->p.srq);
	prog_num(prog, F_ops_wr_id, wr_id);
	prog_num(prog, F_ops_opcode, opcode);
	if (flags)
		prog_num(prog, F_ops_flags, flags);
}

uint8_t tags_add(const struct tags *t, unsigned int n, uint64_t tag,
		 uint64_t mask)
{
	struct program *prog = t->p.g->p;
	uint8_t made = gen_make(t->p.g, V_post_srq_ops, t->p.srq);

	prog_num(prog, F_ops_wr_id, 300 + n);
	prog_num(prog, F_ops_opcode, IBV_WR_TAG_ADD);
	prog_num(prog, F_ops_flags, IBV_OPS_SIGNALED);
	prog_num(prog, F_ops_num_sge, 1);
	prog_obj(prog, F_ops_mr, t->into);
	prog_num(prog, F_ops_offset, n * TAGS_BUFFER);
	prog_num(prog, F_ops_length, TAGS_ROOM);
	prog_num(prog, F_ops_recv_wr_id, 400 + n);
	prog_num(prog, F_ops_tag, tag);
	prog_num(prog, F_ops_mask, mask);
	return made;
}

uint8_t tags_added(const struct tags *t, unsigned int n, uint64_t tag,
		   uint64_t mask)
{
	uint8_t made = tags_add(t, n, tag, mask);

	tags_poll(t, 1);
	return made;
}

void tags_del(const struct tags *t, uint64_t wr_id, uint8_t tag)
{
	tags_op(t, IBV_WR_TAG_DEL, wr_id, IBV_OPS_SIGNALED);
	prog_out(t->p.g->p, F_ops_handle, tag, F_posted_handle0, 0);
}

void tags_report(const struct tags *t, uint32_t count)
{
	tags_op(t, IBV_WR_TAG_SYNC, 500 + count,
		IBV_OPS_SIGNALED | IBV_OPS_TM_SYNC);
	prog_num(t->p.g->p, F_ops_unexpected, count);
	tags_poll(t, 1);
}

void tags_write(const struct tags *t, unsigned int k, enum ibv_tmh_op opcode,
		uint64_t tag)
{
	struct program *prog = t->p.g->p;

	gen_call(t->p.g, V_write_tmh, t->from);
	prog_num(prog, F_tmh_offset, k * TAGS_BUFFER);
	prog_num(prog, F_tmh_opcode, opcode);
	prog_num(prog, F_tmh_app_ctx, UINT64_C(0xa1b2c3d4) + k);
	prog_num(prog, F_tmh_tag, tag);
}

void tags_post(const struct tags *t, unsigned int k, uint32_t length)
{
	struct program *prog = t->p.g->p;

	gen_call(t->p.g, V_post_send, t->p.a);
	prog_num(prog, F_send_wr_id, 1 + k);
	prog_num(prog, F_send_opcode, IBV_WR_SEND);
	prog_num(prog, F_send_flags, IBV_SEND_SIGNALED);
	prog_num(prog, F_send_num_sge, 1);
	prog_obj(prog, F_send_mr, t->from);
	prog_num(prog, F_send_offset, k * TAGS_BUFFER);
	prog_num(prog, F_send_length, length);
}

void tags_send(const struct tags *t, unsigned int k, uint32_t length)
{
	tags_post(t, k, length);
	post_poll(&t->p, 1);
}

void tags_message(const struct tags *t, unsigned int k, uint64_t tag)
{
	tags_write(t, k, IBV_TMH_EAGER, tag);
	tags_send(t, k, TAGS_MESSAGE);
}

void tags_poll(const struct tags *t, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		gen_call(t->p.g, V_start_poll, t->cq);
		prog_num(t->p.g->p, F_poll_timeout, POST_WAIT);
		gen_call(t->p.g, V_end_poll, t->cq);
	}
}

void tags_end(const struct tags *t)
{
	gen_call(t->p.g, V_start_poll, t->cq);
	prog_num(t->p.g->p, F_poll_timeout, POST_QUIET);
	gen_call(t->p.g, V_read_mr, t->into);
	gen_done(t->p.g);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion counters that are attached to queue pairs: for which operations,
 * in which states, and beside which other counters.
 */
#include "cases/cntr/cntr.h"

#define BOTH (CNTR_OP_SEND | CNTR_OP_RECV)

bool cntr_has_ops(enum qp_kind kind, uint32_t ops)
{
	const uint32_t reads = CNTR_OP_RDMA_READ | CNTR_OP_REMOTE_RDMA_READ;

	if (kind == QK_UD)
		return !(ops & ~BOTH);
	return kind == QK_RC || (kind == QK_UC && !(ops & reads));
}

static enum claim claim_of(const struct gen *g, enum qp_kind kind, uint32_t ops)
{
	return gen_also(g, cntr_claim(g, ops),
			gen_claim(g, kind, IBV_QPS_RESET, IBV_QPS_INIT));
}

static bool begin(struct gen *g, const char *id, uint32_t ops, enum row row,
		  const char *what)
{
	return gen_id(g, "attach/%s", id) &&
	       gen_says_rule(g, row, claim_of(g, QK_RC, ops), "%s", what);
}

/* An operation of a type, in RESET or INIT. */
static void one_op(struct gen *g, enum qp_kind kind, const struct cntr_op *op,
		   bool init)
{
	bool has = cntr_has_ops(kind, op->op);
	uint8_t cntr;

	if (!gen_id(g, "attach/%s/%s-%s", qp_kind_slug(kind), op->name,
		    init ? "init" : "reset") ||
	    !gen_says_rule(g, has ? ROW_CNTR_ATTACH : ROW_CNTR_ATTACH_TYPE,
			   claim_of(g, kind, op->op), "%s, %s in %s", op->name,
			   qp_kind_name(kind), init ? "INIT" : "RESET"))
		return;
	gen_qp(g, kind);
	cntr = cntr_make(g);
	if (init)
		gen_bring(g, g->qp, IBV_QPS_INIT);
	cntr_attach(g, g->qp, cntr, op->op);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_comp_cntr, cntr);
	gen_done(g);
}

/* An operation that the device does not report. */
static void unsupported_op(struct gen *g, const struct cntr_op *op)
{
	uint8_t cntr;

	if (g->d->comp_cntr_ops & op->op ||
	    !gen_id(g, "attach/unsupported/%s", op->name) ||
	    !gen_says_rule(g, ROW_CNTR_ATTACH_OPS, claim_of(g, QK_RC, 0), "%s",
			   op->name))
		return;
	gen_qp(g, QK_RC);
	cntr = cntr_make(g);
	cntr_attach(g, g->qp, cntr, op->op);
	gen_call(g, V_destroy_comp_cntr, cntr);
	gen_done(g);
}

static void in_state(struct gen *g, int state)
{
	struct post p;
	uint8_t cntr;

	if (!post_case_with(g, QK_RC, state, cntr_claim(g, CNTR_OP_SEND),
			    ROW_CNTR_ATTACH_STATE, "A counter", "attach/in-%s",
			    state_slug(state)))
		return;
	p = post_lone(g, QK_RC, state);
	cntr = cntr_make(g);
	cntr_attach(g, p.a, cntr, CNTR_OP_SEND);
	gen_call(g, V_destroy_comp_cntr, cntr);
	gen_query(g, p.a);
	gen_done(g);
}

/* Masks that no device takes, or that mean nothing. */
static void odd_mask(struct gen *g, const char *id, enum row row, uint32_t ops,
		     uint32_t comp_mask)
{
	uint8_t cntr;

	if (!begin(g, id, ops & CNTR_OP_SEND, row, "qp_attach_comp_cntr"))
		return;
	gen_qp(g, QK_RC);
	cntr = cntr_make(g);
	cntr_attach(g, g->qp, cntr, ops);
	prog_num(g->p, F_qp_cntr_comp_mask, comp_mask);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_comp_cntr, cntr);
	gen_done(g);
}

/* The same operation once more, by the same counter or by another one; also
 * after RESET. */
static void twice(struct gen *g, const char *id, bool another, bool reset)
{
	uint8_t first, second;

	if (!gen_id(g, "attach/%s", id) ||
	    !gen_says_rule(g, ROW_CNTR_ATTACH_TWICE,
			   gen_also(g, claim_of(g, QK_RC, CNTR_OP_SEND),
				    gen_needs(g, CLAIM_COMP_CNTRS)),
			   "An operation that is counted already"))
		return;
	gen_qp(g, QK_RC);
	first = cntr_make(g);
	second = another ? cntr_make(g) : first;
	cntr_attach(g, g->qp, first, CNTR_OP_SEND);
	if (reset) {
		gen_bring(g, g->qp, IBV_QPS_INIT);
		gen_step(g, g->qp, IBV_QPS_INIT, IBV_QPS_RESET);
	}
	cntr_attach(g, g->qp, second, CNTR_OP_SEND);
	if (another)
		gen_call(g, V_destroy_comp_cntr, second);
	gen_call(g, V_destroy_comp_cntr, first);
	gen_done(g);
}

/* A mask that overlaps in one operation attaches none of the others. */
static void overlap(struct gen *g)
{
	uint8_t first, second;

	if (!gen_id(g, "attach/overlap") ||
	    !gen_says_rule(g, ROW_CNTR_ATTACH_TWICE,
			   gen_also(g, claim_of(g, QK_RC, BOTH),
				    gen_needs(g, CLAIM_COMP_CNTRS)),
			   "Masks that overlap"))
		return;
	gen_qp(g, QK_RC);
	first = cntr_make(g);
	second = cntr_make(g);
	cntr_attach(g, g->qp, first, CNTR_OP_SEND);
	cntr_attach(g, g->qp, second, BOTH);
	gen_call(g, V_destroy_comp_cntr, second);
	second = cntr_make(g);
	cntr_attach(g, g->qp, second, CNTR_OP_RECV);
	gen_call(g, V_destroy_comp_cntr, second);
	gen_call(g, V_destroy_comp_cntr, first);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_comp_cntr, second);
	gen_call(g, V_destroy_comp_cntr, first);
	gen_done(g);
}

/* Two queue pairs have one counter, which the second one keeps. */
static void two_qps(struct gen *g)
{
	uint8_t cntr, first;

	if (!begin(g, "two-queue-pairs", CNTR_OP_SEND, ROW_LIFE_COMP_CNTR,
		   "A counter of two queue pairs"))
		return;
	gen_qp(g, QK_RC);
	first = g->qp;
	g->qp = gen_qp_of(g, QK_RC);
	cntr = cntr_make(g);
	cntr_attach(g, first, cntr, CNTR_OP_SEND);
	cntr_attach(g, g->qp, cntr, CNTR_OP_SEND);
	gen_call(g, V_destroy_comp_cntr, cntr);
	gen_call(g, V_destroy_qp, first);
	gen_call(g, V_destroy_comp_cntr, cntr);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_comp_cntr, cntr);
	gen_done(g);
}

void gen_cntr_attach(struct gen *g)
{
	static const enum qp_kind kinds[] = {QK_RC, QK_UC, QK_UD};

	for (size_t k = 0; k < COUNT(kinds); k++)
		for (size_t i = 0; i < CNTR_OP_NR; i++) {
			one_op(g, kinds[k], &cntr_ops[i], false);
			one_op(g, kinds[k], &cntr_ops[i], true);
		}
	for (size_t i = 0; i < CNTR_OP_NR; i++)
		unsupported_op(g, &cntr_ops[i]);
	for (int state = IBV_QPS_RTR; state <= IBV_QPS_ERR; state++)
		if (state != IBV_QPS_SQE)
			in_state(g, state);
	odd_mask(g, "no-operation", ROW_CNTR_ATTACH_NOTHING, 0, 0);
	odd_mask(g, "bit6", ROW_CNTR_ATTACH_UNDEFINED, CNTR_OP_SEND | 1u << 6,
		 0);
	odd_mask(g, "bit31", ROW_CNTR_ATTACH_UNDEFINED, CNTR_OP_SEND | 1u << 31,
		 0);
	odd_mask(g, "comp-mask-bit0", ROW_CNTR_ATTACH_MASK, CNTR_OP_SEND, 1);
	odd_mask(g, "comp-mask-bit31", ROW_CNTR_ATTACH_MASK, CNTR_OP_SEND,
		 1u << 31);
	twice(g, "twice", false, false);
	twice(g, "another", true, false);
	twice(g, "after-reset", true, true);
	overlap(g);
	two_qps(g);
}

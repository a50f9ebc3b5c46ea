// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Opens cases about posting: the row by the API in use, and what the case needs
 * of the device.
 */
#include "cases/post/post.h"

enum row post_row(const struct gen *g, enum row row)
{
	if (!g->wr)
		return row;
	switch (row) {
	case ROW_POST_ACCEPT:
		return ROW_WR_ACCEPT;
	case ROW_POST_OPCODE:
		return ROW_WR_NOT_ASKED;
	case ROW_POST_REFUSED:
	case ROW_POST_BAD_WR:
		return ROW_WR_WHOLE;
	case ROW_POST_FULL:
		return ROW_WR_FULL;
	case ROW_POST_UNPOLLED:
		return ROW_WR_UNPOLLED;
	case ROW_POST_SGE:
		return ROW_WR_SGE;
	case ROW_POST_INLINE:
		return ROW_WR_INLINE;
	default:
		return row;
	}
}

bool post_says(struct gen *g, enum qp_kind kind, int state, enum row row,
	       const char *what)
{
	if (kind_is_vendors(kind) && !kind_reaches(kind, state))
		return false;
	return post_says_with(g, kind, state, CLAIM_NONE, post_row(g, row),
			      what);
}

bool post_case(struct gen *g, enum qp_kind kind, int state, enum row row,
	       const char *what, const char *id, ...)
{
	va_list ap;
	bool is_selected;

	va_start(ap, id);
	is_selected = gen_vid(g, "", id, ap);
	va_end(ap);
	return is_selected && post_says(g, kind, state, row, what);
}

bool post_case_with(struct gen *g, enum qp_kind kind, int state,
		    enum claim more, enum row row, const char *what,
		    const char *id, ...)
{
	va_list ap;
	bool is_selected;

	va_start(ap, id);
	is_selected = gen_vid(g, "", id, ap);
	va_end(ap);
	return is_selected && post_says_with(g, kind, state, more, row, what);
}

bool post_op_case(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  enum row row, const char *id, ...)
{
	char before[32];
	va_list ap;
	bool is_selected;

	snprintf(before, sizeof(before), "%s/", op->slug);
	va_start(ap, id);
	is_selected = gen_vid(g, before, id, ap);
	va_end(ap);
	return is_selected && post_op_says(g, kind, op, row);
}

bool post_says_with(struct gen *g, enum qp_kind kind, int state,
		    enum claim more, enum row row, const char *what)
{
	enum claim claim = post_claim(g, kind, state, NULL);

	return gen_says_on(g, kind, row, gen_also(g, claim, more), what);
}

bool post_says_retries(struct gen *g, enum qp_kind kind, enum row row,
		       const char *what)
{
	enum claim claim = post_claim_behind(g, CLAIM_RETRIES, kind);

	return gen_says_on(g, kind, row, claim, what);
}

bool post_op_says(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  enum row row)
{
	return post_op_says_with(g, kind, op, CLAIM_NONE, row);
}

bool post_op_says_with(struct gen *g, enum qp_kind kind,
		       const struct opcode *op, enum claim more, enum row row)
{
	enum claim claim = post_claim(g, kind, IBV_QPS_RTS, op);

	return gen_says_on(g, kind, row, gen_also(g, claim, more), op->slug);
}

static enum claim op_claim(const struct gen *g, const struct opcode *op)
{
	enum claim claim = op->imm ? gen_needs(g, CLAIM_IMM_DATA) : CLAIM_NONE;

	return gen_also(g, claim, gen_op_claim(op));
}

bool post_has(enum qp_kind kind, const struct opcode *op)
{
	return opcode_has(op, kind) && !op->window;
}

bool post_offers(const struct gen *g, enum qp_kind kind,
		 const struct opcode *op)
{
	return post_has(kind, op) && op_claim(g, op) == CLAIM_NONE;
}

enum claim post_claim(const struct gen *g, enum qp_kind kind, int state,
		      const struct opcode *op)
{
	enum claim claim = gen_needs(
		g, claim_of_kind(kind),
		device_iwarp(g->d) ? CLAIM_IWARP_CM : CLAIM_VERBS_CONNECT,
		state == IBV_QPS_SQD ? CLAIM_SQ_HOLDS : CLAIM_NONE);

	claim = gen_also(g, claim,
			 gen_claim(g, kind, IBV_QPS_RTS, IBV_QPS_RTS));
	claim = gen_also(g, claim, gen_claim(g, kind, state, state));
	if (kind == QK_XRC_SEND) {
		claim = gen_also(g, claim,
				 gen_claim(g, QK_XRC_RECV, IBV_QPS_RTS,
					   IBV_QPS_RTS));
		claim = gen_also(g, claim, CLAIM_SRQ);
	}
	if (kind_is_vendors(kind)) {
		claim = gen_also(g, claim, claim_of_kind(kind_receiver(kind)));
		claim = gen_also(g, claim, CLAIM_SRQ);
	}
	if (kind_addresses(kind) && g->global)
		claim = gen_also(g, claim, CLAIM_GID);
	if (g->cq_ex)
		claim = gen_also(g, claim, CLAIM_CQ_EX);
	claim = gen_also(g, claim, g->cq_claim);
	if (g->wr)
		claim = gen_also(g, claim, CLAIM_SEND_OPS);
	if (g->by_srq)
		claim = gen_also(g, claim, CLAIM_SRQ);
	return op ? gen_also(g, claim, op_claim(g, op)) : claim;
}

enum claim post_claim_behind(const struct gen *g, enum claim first,
			     enum qp_kind kind)
{
	return claim_holds(first, g->d) ? post_claim(g, kind, IBV_QPS_RTS, NULL)
					: first;
}

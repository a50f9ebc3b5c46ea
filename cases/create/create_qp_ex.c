/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_create_qp_ex: every bit of comp_mask, of the create flags and of the send
 * operations on every type, and parents that a type must or must not have.
 */
#include <limits.h>
#include "cases/generate/generate.h"

static uint32_t base_mask(enum qp_kind kind)
{
	return kind == QK_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD
				   : IBV_QP_INIT_ATTR_PD;
}

/* Adds ibv_create_qp_ex with more bits in comp_mask. The caller may add fields.
 */
static uint8_t extended(struct gen *g, enum qp_kind kind, uint32_t more)
{
	uint8_t qp = gen_qp_by(g, kind, true);

	prog_num(g->p, F_comp_mask, base_mask(kind) | more);
	return qp;
}

static void flag(struct gen *g, enum qp_kind kind, int bit)
{
	const struct create_bit *b = create_bit_of("create_flags", 1u << bit);
	enum row row = create_flag_row(g->d, kind, 1u << bit);
	char name[16];
	uint8_t qp;

	snprintf(name, sizeof(name), "bit%d", bit);
	if (!gen_id(g, "flag/%s", b ? b->name : name) ||
	    !gen_says_rule(g, row, gen_claim(g, kind, 0, 0),
			   "%s with create flag %s", qp_kind_name(kind),
			   b ? b->name : name))
		return;
	gen_parents(g, kind);
	qp = extended(g, kind, IBV_QP_INIT_ATTR_CREATE_FLAGS);
	prog_num(g->p, F_create_flags, 1u << bit);
	if (b && b->bit == IBV_QP_CREATE_SOURCE_QPN)
		prog_num(g->p, F_source_qpn, 0x123);
	gen_created(g, kind, qp, row_accepts(row));
}

static void send_op(struct gen *g, enum qp_kind kind, int bit)
{
	const struct create_bit *b =
		create_bit_of("send_ops", UINT64_C(1) << bit);
	enum row row = create_send_op_row(kind, UINT64_C(1) << bit);
	char name[16];
	uint8_t qp;

	snprintf(name, sizeof(name), "bit%d", bit);
	if (!gen_id(g, "send-ops/%s", b ? b->name : name) ||
	    !gen_says_rule(g, row, gen_claim(g, kind, 0, 0),
			   "%s with send operation %s", qp_kind_name(kind),
			   b ? b->name : name))
		return;
	gen_parents(g, kind);
	qp = extended(g, kind, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_num(g->p, F_send_ops_flags, UINT64_C(1) << bit);
	gen_created(g, kind, qp, row_accepts(row));
}

/* An operation that the type does not have, beside one that it has. */
static void send_op_beside(struct gen *g, enum qp_kind kind, int bit)
{
	uint64_t op = UINT64_C(1) << bit;
	const struct create_bit *b = create_bit_of("send_ops", op);
	enum row row = create_send_op_row(kind, op);
	uint8_t qp;

	if (!b || row_accepts(row) ||
	    !row_accepts(create_send_op_row(kind, IBV_QP_EX_WITH_SEND)))
		return;
	if (!gen_id(g, "send-ops/SEND-and-%s", b->name) ||
	    !gen_says_rule(g, row, gen_claim(g, kind, 0, 0),
			   "%s with the send operations SEND and %s",
			   qp_kind_name(kind), b->name))
		return;
	gen_parents(g, kind);
	qp = extended(g, kind, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_num(g->p, F_send_ops_flags, op | IBV_QP_EX_WITH_SEND);
	gen_created(g, kind, qp, false);
}

/* Inline data of a queue pair with send operations, in numbers of bytes that a
 * device may round up. */
static void send_op_inline(struct gen *g, enum qp_kind kind, uint32_t bytes)
{
	uint64_t limit = g->d->limit[LIM_max_inline_data];
	enum row row = limit ? ROW_CAP_AT_LEAST : ROW_CAP_INLINE;
	uint8_t qp;

	if (!row_accepts(create_send_op_row(kind, IBV_QP_EX_WITH_SEND)) ||
	    (limit && limit < bytes) ||
	    !gen_id(g, "send-ops/inline-%u", bytes) ||
	    !gen_says_rule(g, row, gen_claim(g, kind, 0, 0),
			   "%s with send operations and %u bytes of inline "
			   "data",
			   qp_kind_name(kind), bytes))
		return;
	gen_parents(g, kind);
	qp = extended(g, kind, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_num(g->p, F_send_ops_flags, IBV_QP_EX_WITH_SEND);
	prog_num(g->p, F_max_inline_data, bytes);
	if (row_accepts(row))
		gen_query_all(g, qp);
	gen_created(g, kind, qp, row_accepts(row));
}

static enum row comp_row(enum qp_kind kind, uint32_t bit)
{
	switch (bit) {
	case IBV_QP_INIT_ATTR_PD:
		return ROW_CRE_XRC_RECV_PD;
	case IBV_QP_INIT_ATTR_XRCD:
		return ROW_CRE_XRCD_OTHER;
	case IBV_QP_INIT_ATTR_CREATE_FLAGS:
	case IBV_QP_INIT_ATTR_SEND_OPS_FLAGS:
		return ROW_CRE_ACCEPT;
	case IBV_QP_INIT_ATTR_MAX_TSO_HEADER:
		return kind == QK_RAW_PACKET ? ROW_CRE_FLAG_CLAIM : ROW_CRE_TSO;
	case IBV_QP_INIT_ATTR_RX_HASH:
		return ROW_CRE_RSS_HASH;
	default:
		return ROW_CRE_COMP_MASK;
	}
}

/* The field that the bit names is set, if it is an object. */
static void comp_bit(struct gen *g, enum qp_kind kind, uint32_t bit)
{
	enum row row = comp_row(kind, bit);
	bool domain = bit == IBV_QP_INIT_ATTR_XRCD;
	enum claim claim = gen_claim(g, kind, 0, 0);
	uint8_t extra = NO_OBJ, qp;

	/* ibv_create_qp_ex cannot be called without the indirection table that
	 * this bit promises. */
	if (bit == base_mask(kind) || bit == IBV_QP_INIT_ATTR_IND_TABLE)
		return;
	if (domain)
		claim = gen_also(g, claim, CLAIM_XRC);
	if (!gen_id(g, "comp_mask/bit%d", __builtin_ctz(bit)) ||
	    !gen_says_rule(g, row, claim,
			   "%s with the additional bit %d in comp_mask",
			   qp_kind_name(kind), __builtin_ctz(bit)))
		return;
	gen_parents(g, kind);
	if (bit == IBV_QP_INIT_ATTR_PD)
		extra = gen_pd(g);
	if (domain)
		extra = gen_xrcd(g);
	qp = extended(g, kind, bit);
	if (extra != NO_OBJ)
		prog_obj(g->p, domain ? F_xrcd : F_pd, extra);
	gen_created(g, kind, qp, row_accepts(row));
}

/* Without the parent that the type needs. */
static void orphan(struct gen *g, enum qp_kind kind)
{
	bool recv = kind == QK_XRC_RECV;
	enum row row = recv ? ROW_CRE_NEEDS_XRCD : ROW_CRE_NEEDS_PD;
	uint8_t qp;

	if (!gen_id(g, "without-%s", recv ? "xrcd" : "pd") ||
	    !gen_says_rule(g, row, gen_claim(g, kind, 0, 0), "%s",
			   qp_kind_name(kind)))
		return;
	gen_parents(g, kind);
	qp = gen_qp_by(g, kind, true);
	prog_num(g->p, F_comp_mask, 0);
	gen_created(g, kind, qp, false);
}

static void xrc_recv_with_cq(struct gen *g)
{
	uint8_t cq, qp;

	if (!gen_id(g, "with-cq") ||
	    !gen_says(g, ROW_CRE_XRC_RECV_PD, gen_claim(g, QK_XRC_RECV, 0, 0),
		      "XRC_RECV is created although completion queues are "
		      "given, which it ignores."))
		return;
	gen_parents(g, QK_XRC_RECV);
	cq = gen_cq(g);
	qp = gen_qp_by(g, QK_XRC_RECV, true);
	prog_obj(g->p, F_send_cq, cq);
	prog_obj(g->p, F_recv_cq, cq);
	gen_created(g, QK_XRC_RECV, qp, true);
}

static enum row srq_row(enum qp_kind kind, bool xrc)
{
	if (kind == QK_XRC_RECV)
		return xrc ? ROW_CRE_ACCEPT : ROW_CRE_XRC_RECV_SRQ;
	if (xrc)
		return ROW_CRE_SRQ_XRC;
	if (kind == QK_XRC_SEND)
		return ROW_CRE_XRC_SEND_SRQ;
	return kind == QK_UC || kind == QK_RAW_PACKET ? ROW_CRE_SRQ_TYPE
						      : ROW_CAP_SRQ;
}

static enum claim srq_claim(const struct gen *g, enum qp_kind kind, bool xrc)
{
	enum claim claim = gen_needs(g, claim_of_kind(kind), CLAIM_SRQ,
				     xrc ? CLAIM_XRC : CLAIM_NONE);

	return gen_also(g, claim, gen_claim(g, kind, 0, 0));
}

/* Returns the row about a basic SRQ and these receive capabilities. */
static enum row basic_row(const struct gen *g, enum qp_kind kind, uint32_t wr,
			  uint32_t sge)
{
	enum row row = srq_row(kind, false);

	if (row != ROW_CAP_SRQ || !wr || !sge)
		return row;
	return device_recv_over(g->d, wr, sge) ? ROW_CAP_SRQ_IGNORED
					       : ROW_QRY_CAP_SRQ;
}

/* Receive capabilities past the limits, by ibv_create_qp_ex. */
static void extended_with_srq(struct gen *g, enum qp_kind kind,
			      const char *name, uint32_t wr, uint32_t sge)
{
	uint8_t srq, qp;

	if (srq_row(kind, false) != ROW_CAP_SRQ || !gen_id(g, "srq/%s", name) ||
	    !gen_says_rule(g, basic_row(g, kind, wr, sge),
			   srq_claim(g, kind, false),
			   "Extended %s with an SRQ and receive capabilities "
			   "of %u and %u",
			   qp_kind_name(kind), wr, sge))
		return;
	gen_parents(g, kind);
	srq = gen_srq(g, g->pd);
	qp = gen_qp_by(g, kind, true);
	prog_obj(g->p, F_srq, srq);
	prog_num(g->p, F_max_recv_wr, wr);
	prog_num(g->p, F_max_recv_sge, sge);
	gen_created(g, kind, qp, true);
}

static void with_srq(struct gen *g, enum qp_kind kind, bool xrc,
		     const char *name, uint32_t wr, uint32_t sge)
{
	enum row row = xrc ? srq_row(kind, true) : basic_row(g, kind, wr, sge);
	uint8_t pd, srq, qp;

	if (!gen_id(g, "srq/%s", name) ||
	    !gen_says_rule(
		    g, row, srq_claim(g, kind, xrc),
		    "%s with a %s SRQ and receive capabilities of %u and "
		    "%u",
		    qp_kind_name(kind), xrc ? "XRC" : "basic", wr, sge))
		return;
	gen_parents(g, kind);
	pd = kind == QK_XRC_RECV ? gen_pd(g) : g->pd;
	if (xrc)
		srq = gen_xrc_srq(g, pd,
				  kind == QK_XRC_RECV ? g->xrcd : gen_xrcd(g),
				  kind == QK_XRC_RECV ? gen_cq(g) : g->cq);
	else
		srq = gen_srq(g, pd);
	qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_srq, srq);
	prog_num(g->p, F_max_recv_wr, wr);
	prog_num(g->p, F_max_recv_sge, sge);
	gen_created(g, kind, qp, row_accepts(row));
}

#define INLINE 16

/* Inline data belong to the send queue, which an SRQ does not concern. */
static void inline_with_srq(struct gen *g, enum qp_kind kind)
{
	uint8_t srq, qp;

	if (srq_row(kind, false) != ROW_CAP_SRQ ||
	    g->d->limit[LIM_max_inline_data] < INLINE ||
	    !gen_id(g, "srq/basic-inline") ||
	    !gen_says_rule(g, ROW_CAP_AT_LEAST, srq_claim(g, kind, false),
			   "%s with an SRQ and %d bytes of inline data",
			   qp_kind_name(kind), INLINE))
		return;
	gen_parents(g, kind);
	srq = gen_srq(g, g->pd);
	qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_srq, srq);
	prog_num(g->p, F_max_inline_data, INLINE);
	gen_created(g, kind, qp, true);
}

static void srqs(struct gen *g, enum qp_kind kind)
{
	with_srq(g, kind, false, "basic", 0, 0);
	with_srq(g, kind, true, "xrc", 0, 0);
	if (!kind_has_recv(kind))
		return;
	with_srq(g, kind, false, "basic-with-caps", 4, 1);
	with_srq(g, kind, false, "basic-with-depth", 4, 0);
	with_srq(g, kind, false, "basic-with-elements", 0, 1);
	with_srq(g, kind, false, "basic-over-depth",
		 (uint32_t)g->d->limit[LIM_max_qp_wr] + 1, 1);
	with_srq(g, kind, false, "basic-over-elements", 4,
		 (uint32_t)g->d->limit[LIM_max_sge] + 1);
	with_srq(g, kind, false, "basic-ones", UINT_MAX, UINT_MAX);
	extended_with_srq(g, kind, "basic-ex-over-depth",
			  (uint32_t)g->d->limit[LIM_max_qp_wr] + 1, 1);
	extended_with_srq(g, kind, "basic-ex-over-elements", 4,
			  (uint32_t)g->d->limit[LIM_max_sge] + 1);
	inline_with_srq(g, kind);
}

/* The bit in comp_mask decides about max_tso_header, whatever its value. */
static void tso(struct gen *g, enum qp_kind kind, uint32_t header)
{
	bool own = kind == QK_RAW_PACKET;
	enum row row = own ? ROW_CRE_FLAG_CLAIM : ROW_CRE_TSO;
	enum claim claim =
		gen_needs(g, claim_of_kind(kind), own ? CLAIM_TSO : CLAIM_NONE);
	uint8_t qp;

	claim = gen_also(g, claim, gen_claim(g, kind, 0, 0));
	if (!gen_id(g, "tso/%u", header) ||
	    !gen_says_rule(g, row, claim, "%s with max_tso_header=%u",
			   qp_kind_name(kind), header))
		return;
	gen_parents(g, kind);
	qp = extended(g, kind, IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
	prog_num(g->p, F_max_tso_header, header);
	gen_created(g, kind, qp, own);
}

static bool quick_bit(int bit)
{
	return bit < 17 || bit == 20 || bit == 31 || bit == 32 || bit == 63;
}

void gen_create_qp_ex(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "create/%s/", qp_kind_slug(kind));
	for (int bit = 0; bit < 32; bit++) {
		flag(g, kind, bit);
		comp_bit(g, kind, 1u << bit);
	}
	for (int bit = 0; bit < 64; bit++) {
		if (gen_full(g) || quick_bit(bit))
			send_op(g, kind, bit);
		send_op_beside(g, kind, bit);
	}
	send_op_inline(g, kind, 33);
	send_op_inline(g, kind, 63);
	send_op_inline(g, kind, 100);
	orphan(g, kind);
	if (kind == QK_XRC_RECV)
		xrc_recv_with_cq(g);
	srqs(g, kind);
	tso(g, kind, 64);
	tso(g, kind, 0xffff);
	gen_create_rss(g, kind);
	gen_create_unmasked(g, kind);
}

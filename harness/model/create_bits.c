/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The extensions of ibv_create_qp_ex: comp_mask, create flags, send operations,
 * receive side scaling, TSO and the source QP number.
 */
#include "model/create.h"

#define COMP_MASK_KNOWN 0x7fu

/* Returns the queue pair types that define a bit, as bits, or 0. */
static uint32_t types_of(const char *what, uint64_t bit)
{
	size_t n;
	const struct create_bit *bits = create_bits(&n);

	for (size_t i = 0; i < n; i++)
		if (bits[i].bit == bit && !strcmp(bits[i].what, what))
			return bits[i].types;
	return 0;
}

static enum row flag_row(uint64_t flag, enum qp_kind kind)
{
	uint32_t types = types_of("create_flags", flag);

	if (!types)
		return ROW_CRE_FLAG_UNKNOWN;
	if (types & 1u << kind)
		return ROW_CRE_FLAG_CLAIM;
	if (flag == IBV_QP_CREATE_SOURCE_QPN)
		return ROW_CRE_SOURCE_QPN;
	return ROW_CRE_FLAG_TYPE;
}

static enum row send_op_row(uint64_t op, enum qp_kind kind)
{
	return types_of("send_ops", op) & 1u << kind ? ROW_CRE_SEND_OPS_OWN
						     : ROW_CRE_SEND_OPS;
}

/* Adds one fault for each bit that is set; equal rows that follow each other
 * count once. */
static void check_each(struct step *s, struct faults *f, enum qp_kind kind,
		       uint64_t bits,
		       enum row (*row_of)(uint64_t bit, enum qp_kind kind))
{
	enum row last = ROW_NONE;

	for (int i = 0; i < 64; i++) {
		enum row row;

		if (!(bits & 1ull << i))
			continue;
		row = row_of(1ull << i, kind);
		if (row != last)
			add_fault(s, f, row);
		last = row;
	}
}

static bool hash_offered(const struct device_info *d,
			 const struct qp_init_args *in)
{
	return in->rx_hash_function == d->limit[LIM_rx_hash_function] &&
	       !(in->rx_hash_fields_mask &
		 ~d->limit[LIM_rx_hash_fields_mask]) &&
	       in->rx_hash_key_len == 40;
}

static void check_rss(struct step *s, struct faults *f, enum qp_kind kind,
		      const struct qp_init_args *in)
{
	const struct device_info *d = s->d;

	if (kind != QK_RAW_PACKET)
		add_fault(s, f, ROW_CRE_IND_TYPE);
	if (in->cap.max_recv_wr || in->cap.max_recv_sge ||
	    in->recv_cq != NO_OBJ || in->srq != NO_OBJ)
		add_fault(s, f, ROW_CRE_IND_RECV);
	if (in->cap.max_send_wr || in->send_cq != NO_OBJ)
		add_fault(s, f, ROW_CRE_RSS_SEND);
	if (!(in->comp_mask & IBV_QP_INIT_ATTR_RX_HASH) || !hash_offered(d, in))
		add_fault(s, f, ROW_CRE_RSS_HASH);
}

void check_extensions(struct step *s, struct faults *f, enum qp_kind kind,
		      const struct qp_init_args *in)
{
	if (in->comp_mask & ~COMP_MASK_KNOWN)
		add_fault(s, f, ROW_CRE_COMP_MASK);
	if (in->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS)
		check_each(s, f, kind, in->create_flags, flag_row);
	if (in->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		check_each(s, f, kind, in->send_ops_flags, send_op_row);
	if (in->comp_mask & IBV_QP_INIT_ATTR_MAX_TSO_HEADER)
		add_fault(s, f,
			  kind == QK_RAW_PACKET ? ROW_CRE_FLAG_CLAIM
						: ROW_CRE_TSO);
	if (in->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE)
		check_rss(s, f, kind, in);
	else if (in->comp_mask & IBV_QP_INIT_ATTR_RX_HASH)
		add_fault(s, f, ROW_CRE_RSS_HASH);
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The extensions of ibv_create_qp_ex: comp_mask, create flags, send operations,
 * receive side scaling, TSO and the source QP number.
 */
#include "model/create.h"

#define COMP_MASK_KNOWN 0x7fu

static enum row send_op_row(const struct device_info *d, enum qp_kind kind,
			    uint64_t op)
{
	(void)d;
	return create_send_op_row(kind, op);
}

/* Seeded fault: returns true if the type has one of the send operations. */
static bool has_other_op(const struct step *s, enum qp_kind kind, uint64_t bits)
{
	if (!mutant_has_quirk(s->mutant, QUIRK_OPS_BESIDE))
		return false;
	for (int i = 0; i < 64; i++)
		if (bits & 1ull << i &&
		    !out_errno(
			    rule(create_send_op_row(kind, 1ull << i))->out[0]))
			return true;
	return false;
}

/* Adds one fault for each bit that is set; equal rows that follow each other
 * count once. */
static void check_each(struct step *s, struct faults *f, enum qp_kind kind,
		       uint64_t bits,
		       enum row (*row_of)(const struct device_info *d,
					  enum qp_kind kind, uint64_t bit))
{
	enum row last = ROW_NONE;

	for (int i = 0; i < 64; i++) {
		enum row row;

		if (!(bits & 1ull << i))
			continue;
		row = row_of(s->d, kind, 1ull << i);
		if (row_of == send_op_row && has_other_op(s, kind, bits))
			continue;
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

/* Adds what a device may refuse about a set of fields that it offers. */
static void check_hash_fields(struct step *s, struct faults *f, uint64_t by)
{
	int transports = !!(by & RX_HASH_TCP) + !!(by & RX_HASH_UDP) +
			 !!(by & IBV_RX_HASH_IPSEC_SPI);

	if (!by || (by & RX_HASH_IPV4 && by & RX_HASH_IPV6) || transports > 1)
		add_fault(s, f, ROW_CRE_RSS_FIELDS);
	if (by & IBV_RX_HASH_INNER)
		add_fault(s, f, ROW_CRE_RSS_INNER);
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
	else
		check_hash_fields(s, f, in->rx_hash_fields_mask);
}

void check_extensions(struct step *s, struct faults *f, enum qp_kind kind,
		      const struct qp_init_args *in)
{
	if (in->comp_mask & ~COMP_MASK_KNOWN)
		add_fault(s, f, ROW_CRE_COMP_MASK);
	if (in->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS)
		check_each(s, f, kind, in->create_flags, create_flag_row);
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

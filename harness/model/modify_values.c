/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The values of ibv_modify_qp: which row a value violates, and how accepted
 * values reach the queue pair.
 */
#include <stddef.h>
#include "contract/qp_fields.h"
#include "model/data/migration.h"
#include "model/modify.h"

/* Returns true for rows of ports, states and addresses, which modify.c checks.
 */
static bool is_checked_in_modify(enum row row)
{
	enum layer layer = rule(row)->layer;

	return layer == LAYER_UVERBS || layer == LAYER_CORE;
}

/* Returns true unless the field belongs to a GRH that the address does not
 * have. */
static bool is_read(enum field f, const struct ibv_qp_attr *in)
{
	if (!field_is_grh(f))
		return true;
	return f < F_alt_dgid ? in->ah_attr.is_global
			      : in->alt_ah_attr.is_global;
}

/* Seeded fault: returns true if a value is above its limit, and the logarithms
 * of both are equal. */
static bool has_same_log(const struct step *s, enum field field, uint64_t value,
			 uint64_t high)
{
	if (!mutant_has_quirk(s->mutant, QUIRK_READS_LOG) ||
	    field != F_max_rd_atomic || s->b->on == NO_OBJ ||
	    qp_of(s->m, s->b->on)->state != IBV_QPS_RTR || !high)
		return false;
	return value > high && (value ^ high) < (value & high);
}

static enum row value_row(struct step *s, const struct qp_field *f,
			  enum field field, uint64_t value)
{
	const struct device_info *d = s->d;
	uint64_t high, limit;

	if (!s->mutant)
		return qp_field_judge(f, d, value);
	high = qp_field_high(f, d);
	limit = mutant_limit(s->mutant, field, value, high);

	if (has_same_log(s, field, value, high))
		return ROW_NONE;
	if (value == 0 && mutant_refuses_zero(s->mutant, field))
		return f->past;
	if (value < qp_field_low(f, d) && mutant_accepts_low(s->mutant, field))
		return ROW_NONE;
	if (limit != high)
		return value > limit ? f->past : ROW_NONE;
	return qp_field_judge(f, d, value);
}

static enum row mtu_row(const struct step *s, const struct model_qp *qp,
			uint64_t mtu)
{
	const struct port_info *p = device_port_at(s->d, qp->port);

	if (mtu > (p ? p : device_port(s->d))->attr.active_mtu)
		return ROW_VAL_MTU_ACTIVE;
	return ROW_NONE;
}

static void check_migration(struct step *s, struct faults *f,
			    const struct model_qp *qp, uint32_t mask)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;
	uint32_t moved = mask & (A_ALT_PATH | A_PATH_MIG_STATE);
	uint8_t to = mask & A_STATE ? (uint8_t)in->qp_state : qp->state;

	if (!moved)
		return;
	if (!device_flag(s->d, IBV_DEVICE_AUTO_PATH_MIG) ||
	    on_ethernet(s, qp->port)) {
		add_fault(s, f,
			  mask & A_ALT_PATH ? ROW_ALT_UNSUPPORTED
					    : ROW_MIG_UNSUPPORTED);
		f->blame |= moved;
	} else if (moved & A_PATH_MIG_STATE &&
		   in->path_mig_state <= IBV_MIG_ARMED &&
		   migration_asked_row(qp, in->path_mig_state, to)) {
		add_fault(s, f, ROW_MIG_ASKED);
	}
}

static void check_value(struct step *s, struct faults *f,
			const struct model_qp *qp, uint32_t mask,
			const struct qp_field *qf, enum field field)
{
	bool checked = s->mutant && mutant_checks_unmasked(s->mutant, field);
	const struct qp_attr_args *in = &s->b->in.qp_attr;
	uint64_t value;
	enum row row;

	if (!checked &&
	    (!(mask & 1u << qf->attr) || !is_read(field, &in->attr)))
		return;
	value = field_get(field, in);
	row = value_row(s, qf, field, value);
	if (row == ROW_NONE && field == F_path_mtu)
		row = mtu_row(s, qp, value);
	if (row == ROW_NONE || (is_checked_in_modify(row) && !checked))
		return;
	add_fault(s, f, row);
	f->blame |= mask & 1u << qf->attr;
}

/* A seeded fault may look at fields that the mask does not name. */
static void check_all_fields(struct step *s, struct faults *f,
			     const struct model_qp *qp, uint32_t mask)
{
	size_t n;
	const struct qp_field *fields = qp_fields(&n);

	for (unsigned int i = 0; i < s->m->first_value[32]; i++)
		check_value(s, f, qp, mask, &fields[i],
			    (enum field)s->m->value_field[i]);
}

/* Most values are legal, so only attributes with an illegal one are looked at.
 * The path MTU has a further limit. */
static void check_named_fields(struct step *s, struct faults *f,
			       const struct model_qp *qp, uint32_t mask)
{
	const struct model *m = s->m;
	size_t n;
	const struct qp_field *fields = qp_fields(&n);
	uint32_t left = qp_fields_offend(&s->b->in.qp_attr.attr, mask, s->d) |
			(mask & A_PATH_MTU);

	for (; left; left &= left - 1) {
		int bit = __builtin_ctz(left);
		unsigned int end = m->first_value[bit + 1];

		for (unsigned int i = m->first_value[bit]; i < end; i++)
			check_value(s, f, qp, mask, &fields[i],
				    (enum field)m->value_field[i]);
	}
}

void check_values(struct step *s, struct faults *f, const struct model_qp *qp,
		  uint32_t mask)
{
	/* iWARP ignores all others: see ROW_IWARP_TABLE. */
	if (device_iwarp(s->d))
		mask &= A_IWARP;
	check_migration(s, f, qp, mask);
	if (s->mutant)
		check_all_fields(s, f, qp, mask);
	else
		check_named_fields(s, f, qp, mask);
}

/* Returns as many low bits as the largest legal value has. */
static uint64_t legal_bits(uint64_t high)
{
	uint64_t bits = 1;

	while (bits < high)
		bits = bits << 1 | 1;
	return bits;
}

void truncate_values(const struct model *m, struct ibv_qp_attr *attr,
		     uint32_t attributes)
{
	struct qp_attr_args args = {.attr = *attr};
	size_t n;
	const struct qp_field *fields = qp_fields(&n);

	for (size_t i = 0; i < n; i++) {
		enum field field;

		if (!(attributes & 1u << fields[i].attr) ||
		    fields[i].high.symbol)
			continue;
		field = (enum field)m->value_field[i];
		field_set(field, &args,
			  field_get(field, &args) &
				  legal_bits((uint64_t)fields[i].high.plus));
	}
	*attr = args.attr;
}

#define PART(attr, member)                                                     \
	{                                                                      \
		attr, offsetof(struct ibv_qp_attr, member),                    \
			sizeof(((struct ibv_qp_attr *)0)->member)              \
	}

/* Where each attribute lives. The state is missing: modify.c enters it. */
static const struct {
	uint32_t attr;
	size_t offset, size;
} parts[] = {
	PART(A_ACCESS_FLAGS, qp_access_flags),
	PART(A_PKEY_INDEX, pkey_index),
	PART(A_PORT, port_num),
	PART(A_QKEY, qkey),
	PART(A_AV, ah_attr),
	PART(A_PATH_MTU, path_mtu),
	PART(A_TIMEOUT, timeout),
	PART(A_RETRY_CNT, retry_cnt),
	PART(A_RNR_RETRY, rnr_retry),
	PART(A_RQ_PSN, rq_psn),
	PART(A_MAX_QP_RD_ATOMIC, max_rd_atomic),
	PART(A_ALT_PATH, alt_ah_attr),
	PART(A_ALT_PATH, alt_pkey_index),
	PART(A_ALT_PATH, alt_port_num),
	PART(A_ALT_PATH, alt_timeout),
	PART(A_MIN_RNR_TIMER, min_rnr_timer),
	PART(A_SQ_PSN, sq_psn),
	PART(A_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	PART(A_PATH_MIG_STATE, path_mig_state),
	PART(A_DEST_QPN, dest_qp_num),
	PART(A_RATE_LIMIT, rate_limit),
};

/* Seeded faults: sets or zeroes a field that the mask does not name. */
static void stray(const struct step *s, struct model_qp *qp,
		  const struct qp_attr_args *in, uint32_t mask)
{
	enum field read = mutant_unmasked(s->mutant);
	enum field zeroed = mutant_clobbered(s->mutant);
	struct qp_attr_args own;

	if (!s->mutant)
		return;
	own.attr = qp->attr;
	if (read != FIELD_NR && field_attr(read) >= 0 &&
	    !(mask & 1u << field_attr(read)))
		field_set(read, &own, field_get(read, in));
	if (zeroed != FIELD_NR && !(mask & 1u << field_attr(zeroed)))
		field_set(zeroed, &own, 0);
	qp->attr = own.attr;
}

void apply_attributes(struct step *s, struct model_qp *qp,
		      const struct qp_attr_args *in, uint32_t mask)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		if (mask & parts[i].attr)
			memcpy((char *)&qp->attr + parts[i].offset,
			       (const char *)&in->attr + parts[i].offset,
			       parts[i].size);
	qp->attr.rq_psn &= 0xffffff;
	qp->attr.sq_psn &= 0xffffff;
	qp->set |= mask;
	qp->undefined &= ~mask;
	if (mask & A_PORT)
		qp->port = qp->attr.port_num;
	if (mask & A_AV)
		qp->on_alternate = false;
	stray(s, qp, in, mask);
}

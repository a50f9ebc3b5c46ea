// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for each bit of mlx5dv_create_qp on each type: create flags, send
 * operations, and both comp_masks.
 */
#include <infiniband/mlx5dv.h>
#include <stdarg.h>
#include "vendor-mlx5/model/create_bits.h"
#include "vendor-mlx5/cases/cases.h"

#define SCATTER_BOTH                                                           \
	(MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE |                             \
	 MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE)
#define VERBS_BITS 7 /* bits of comp_mask that verbs define */

static const char *bit_name(enum field field, int bit, char buf[16])
{
	const struct create_bit *b = mlx5_create_bit(field, UINT64_C(1) << bit);

	snprintf(buf, 16, "bit%d", bit);
	return b ? b->name : buf;
}

/* Gives a case, which gen_id() opened, its sentence and its parents. Returns
 * false if the case is skipped. */
__attribute__((format(printf, 4, 5))) static bool
starts_case(struct gen *g, enum qp_kind kind, enum row row, const char *fmt,
	    ...)
{
	char with[96];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(with, sizeof(with), fmt, ap);
	va_end(ap);
	if (!gen_says_rule(g, row, gen_claim(g, kind, 0, 0), "%s%s",
			   qp_kind_name(kind), with))
		return false;
	gen_parents(g, kind);
	return true;
}

static void flag(struct gen *g, enum qp_kind kind, int bit)
{
	enum row row = mlx5_create_bit_row(g->d, kind, F_dv_create_flags,
					   UINT64_C(1) << bit, false);
	char buf[16];
	const char *name = bit_name(F_dv_create_flags, bit, buf);
	uint8_t qp;

	if (!gen_id(g, "flag/%s", name) ||
	    !starts_case(g, kind, row, " with create flag %s", name))
		return;
	qp = mlx5_gen_qp_flags(g, kind, UINT64_C(1) << bit);
	mlx5_gen_created(g, kind, qp, row);
}

/* Both scatter flags at once. */
static void scatter_both(struct gen *g, enum qp_kind kind)
{
	enum row row = ROW_DV_SCATTER_BOTH;
	uint8_t qp;

	if (!gen_id(g, "flag/scatter-both") ||
	    !starts_case(g, kind, row, " with both scatter flags"))
		return;
	qp = mlx5_gen_qp_flags(g, kind, SCATTER_BOTH);
	mlx5_gen_created(g, kind, qp, row);
}

static bool is_granted(const struct gen *g, enum qp_kind kind, int bit)
{
	return mlx5_create_bit_row(g->d, kind, F_dv_create_flags,
				   UINT64_C(1) << bit, false) == ROW_DV_FLAG;
}

static void flag_pair(struct gen *g, enum qp_kind kind, int a, int b)
{
	uint64_t flags = UINT64_C(1) << a | UINT64_C(1) << b;
	enum row row = ROW_DV_FLAG_PAIR;
	char first[16], second[16];
	const char *names[2] = {bit_name(F_dv_create_flags, a, first),
				bit_name(F_dv_create_flags, b, second)};
	uint8_t qp;

	if (!gen_id(g, "flag/%s+%s", names[0], names[1]) ||
	    !starts_case(g, kind, row, " with %s and %s", names[0], names[1]))
		return;
	qp = mlx5_gen_qp_flags(g, kind, flags);
	mlx5_gen_created(g, kind, qp, row);
}

/* Each two flags that the type is granted, except for both scatter flags. */
static void flag_pairs(struct gen *g, enum qp_kind kind)
{
	for (int b = 1; b < 32; b++)
		for (int a = 0; a < b && is_granted(g, kind, b); a++)
			if (is_granted(g, kind, a) &&
			    (1u << a | 1u << b) != SCATTER_BOTH)
				flag_pair(g, kind, a, b);
}

/* Flags whose comp_mask bit is not set are not read. */
static void without_mask_bits(struct gen *g, enum qp_kind kind)
{
	uint8_t qp;

	if (!gen_id(g, "flag/unsaid") ||
	    !gen_says(g, ROW_DV_ACCEPT, gen_claim(g, kind, 0, 0),
		      "%s with every create flag and send operation, but "
		      "without their bits in comp_mask.",
		      qp_kind_name(kind)))
		return;
	gen_parents(g, kind);
	qp = mlx5_gen_qp(g, kind, 0);
	prog_num(g->p, F_dv_create_flags, UINT32_MAX);
	prog_num(g->p, F_dv_send_ops_flags, UINT64_MAX);
	mlx5_gen_created(g, kind, qp, ROW_DV_ACCEPT);
}

static enum row op_row(const struct gen *g, enum qp_kind kind, int bit)
{
	if (kind == QK_DCT)
		return ROW_DCT_MASK;
	return mlx5_create_bit_row(g->d, kind, F_dv_send_ops_flags,
				   UINT64_C(1) << bit, false);
}

static void send_op(struct gen *g, enum qp_kind kind, int bit)
{
	enum row row = op_row(g, kind, bit);
	char buf[16];
	const char *name = bit_name(F_dv_send_ops_flags, bit, buf);
	uint8_t qp;

	if (!gen_id(g, "send-ops/%s", name) ||
	    !starts_case(g, kind, row, " with send operation %s", name))
		return;
	qp = mlx5_gen_qp(g, kind, MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS);
	prog_num(g->p, F_dv_send_ops_flags, UINT64_C(1) << bit);
	mlx5_gen_created(g, kind, qp, row);
}

/* One undefined bit of the mlx5 comp_mask. */
static void comp_bit(struct gen *g, enum qp_kind kind, int bit)
{
	enum row row = ROW_DV_COMP_MASK;

	if (!gen_id(g, "comp_mask/bit%d", bit) ||
	    !starts_case(g, kind, row, " with bit %d of the mlx5 comp_mask",
			 bit))
		return;
	mlx5_gen_created(g, kind, mlx5_gen_qp(g, kind, UINT64_C(1) << bit),
			 row);
}

static void verbs_bit(struct gen *g, enum qp_kind kind, int bit, enum row row)
{
	uint32_t base = kind == QK_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD
					    : IBV_QP_INIT_ATTR_PD;
	uint8_t qp;

	if (!gen_id(g, "verbs-comp_mask/bit%d", bit) ||
	    !starts_case(g, kind, row, " with bit %d of the verbs comp_mask",
			 bit))
		return;
	qp = mlx5_gen_qp(g, kind, 0);
	prog_num(g->p, F_comp_mask, base | 1u << bit);
	mlx5_gen_created(g, kind, qp, row);
}

static void streams_bit(struct gen *g, enum qp_kind kind)
{
	enum row row = kind == QK_DCT ? ROW_DCT_MASK : ROW_DC_STREAMS_OTHER;
	uint8_t qp;

	if (!gen_id(g, "streams") ||
	    !starts_case(g, kind, row, " with DCI_STREAMS"))
		return;
	qp = mlx5_gen_qp(g, kind, MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS);
	mlx5_gen_created(g, kind, qp, row);
}

static void dc_of_other_type(struct gen *g, enum qp_kind kind)
{
	enum row row = ROW_DC_DRIVER;
	uint8_t qp;

	if (!gen_id(g, "with-dc") ||
	    !starts_case(g, kind, row, " with dc_type DCI"))
		return;
	qp = mlx5_gen_qp(g, kind, MLX5DV_QP_INIT_ATTR_MASK_DC);
	prog_num(g->p, F_dc_type, MLX5DV_DCTYPE_DCI);
	mlx5_gen_created(g, kind, qp, row);
}

static bool quick_bit(int bit)
{
	return bit < 10 || bit == 31 || bit == 32 || bit == 63;
}

void mlx5_gen_create_bits(struct gen *g, enum qp_kind kind)
{
	mlx5_gen_create_prefix(g, kind);
	for (int bit = 0; bit < 64; bit++) {
		if (!gen_full(g) && !quick_bit(bit))
			continue;
		if (bit < 32)
			flag(g, kind, bit);
		send_op(g, kind, bit);
		if (bit > 3)
			comp_bit(g, kind, bit);
		if (bit >= VERBS_BITS && bit < 32)
			verbs_bit(g, kind, bit, ROW_DV_VERBS_MASK);
	}
	scatter_both(g, kind);
	flag_pairs(g, kind);
	without_mask_bits(g, kind);
	if (kind != QK_RAW_PACKET)
		verbs_bit(g, kind, 3, ROW_DV_TSO);
	if (kind != QK_DCI)
		streams_bit(g, kind);
	if (!kind_is_vendors(kind))
		dc_of_other_type(g, kind);
}

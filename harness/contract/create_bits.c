/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds the table of creation bits from create_bits.def, and finds the row
 * that judges a create flag or a send operation.
 */
#include <string.h>
#include "contract/contract.h"

enum {
	T_ALL = (1 << QK_NR) - 1,
#define TYPE(id, value, slug, name) T_##id = 1 << QK_##id,
#include "contract/tables/types.def"
#define TYPE(id, value, slug, name) T_##id = 1 << QK_##id,
#define VENDORS_TYPES
#include "vendor/vendors.def"
};

static const struct create_bit bits[] = {
#define CREATE_BIT(what, name, bit, types, claim)                              \
	{what, #name, UINT64_C(1) << (bit), types, CLAIM_##claim},
#include "contract/tables/create_bits.def"
};

const struct create_bit *create_bits(size_t *n)
{
	*n = COUNT(bits);
	return bits;
}

const struct create_bit *create_bit_of(const char *what, uint64_t bit)
{
	for (size_t i = 0; i < COUNT(bits); i++)
		if (bits[i].bit == bit && !strcmp(bits[i].what, what))
			return &bits[i];
	return NULL;
}

enum row create_flag_row(const struct device_info *d, enum qp_kind kind,
			 uint64_t flag)
{
	const struct create_bit *b = create_bit_of("create_flags", flag);

	if (!b)
		return ROW_CRE_FLAG_UNKNOWN;
	if (!(b->types >> kind & 1))
		return flag == IBV_QP_CREATE_SOURCE_QPN ? ROW_CRE_SOURCE_QPN
							: ROW_CRE_FLAG_TYPE;
	return b->claim != CLAIM_NONE && claim_holds(b->claim, d)
		       ? ROW_CRE_FLAG_CLAIMED
		       : ROW_CRE_FLAG_CLAIM;
}

enum row create_send_op_row(enum qp_kind kind, uint64_t op)
{
	const struct create_bit *b = create_bit_of("send_ops", op);

	return b && b->types >> kind & 1 ? ROW_CRE_SEND_OPS_OWN
					 : ROW_CRE_SEND_OPS;
}

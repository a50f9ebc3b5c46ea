/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds the tables of lifetimes and of creation bits from lifetimes.def and
 * create_bits.def.
 */
#include "contract/contract.h"

enum {
	T_ALL = (1 << QK_NR) - 1,
#define TYPE(id, value, slug, name) T_##id = 1 << QK_##id,
#include "contract/tables/types.def"
#define TYPE(id, value, slug, name) T_##id = 1 << QK_##id,
#define VENDORS_TYPES
#include "vendor/vendors.def"
};

static const struct lifetime lives[] = {
#define LIFETIME(parent, child, row) {parent, child, ROW_##row},
#include "contract/tables/lifetimes.def"
};

static const struct create_bit bits[] = {
#define CREATE_BIT(what, name, bit, types, claim)                              \
	{what, #name, UINT64_C(1) << (bit), types, CLAIM_##claim},
#include "contract/tables/create_bits.def"
};

const struct lifetime *lifetimes(size_t *n)
{
	*n = COUNT(lives);
	return lives;
}

const struct create_bit *create_bits(size_t *n)
{
	*n = COUNT(bits);
	return bits;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds the table of the differences of vendors' types from the TRAITS of the
 * vendors.
 */
#include "contract/contract.h"

const struct kind_traits kind_traits_table[QK_END] = {
#define TRAITS(type, from, asked, hidden, claim, state, pair, missing,         \
	       surplus, option)                                                \
	[QK_##type] = {                                                        \
		.numbered = IBV_QPS_##from,                                    \
		.queried = (uint32_t)(asked),                                  \
		.unreported = hidden,                                          \
		.reach = CLAIM_##claim,                                        \
		.step = {ROW_##state, ROW_##pair, ROW_##missing,               \
			 ROW_##surplus, ROW_##option},                         \
	},
#define VENDORS_TRAITS
#include "vendor/vendors.def"
};

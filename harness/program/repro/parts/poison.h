/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fills attributes that a program does not set.
 */
#pragma once
#include <infiniband/verbs.h>
#include <string.h>

/* part: poison_fill */
/* Fills the attributes with a constant byte, or with xorshift32 from the seed
 * `poison`. */
static inline void poison_fill(struct ibv_qp_attr *attr, uint32_t poison)
{
	static const unsigned char constant[] = {0xa5, 0x00, 0xff};
	unsigned char *at = (unsigned char *)attr;

	if (poison < sizeof(constant)) {
		memset(attr, constant[poison], sizeof(*attr));
		return;
	}
	for (size_t i = 0; i < sizeof(*attr); i++) {
		poison ^= poison << 13;
		poison ^= poison >> 17;
		poison ^= poison << 5;
		at[i] = (unsigned char)poison;
	}
}

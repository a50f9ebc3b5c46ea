/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * FNV-1a, a hash of few instructions for each byte or word.
 */
#ifndef IBVET_CONTRACT_FNV_H
#define IBVET_CONTRACT_FNV_H

#include <stdint.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)

static inline uint64_t fnv_add(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * UINT64_C(0x100000001b3);
}

static inline uint64_t fnv_add_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = fnv_add(hash, (uint8_t)*text);
	return hash;
}

#endif

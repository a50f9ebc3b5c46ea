/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Random numbers, the same from the same seed (xorshift64*). A state is not 0.
 */
#ifndef IBVET_RANDOM_H
#define IBVET_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline unsigned int random_below(uint64_t *state, unsigned int n)
{
	return n ? (unsigned int)((random_next(state) >> 33) % n) : 0;
}

static inline uint64_t random_seeded(uint64_t seed)
{
	uint64_t state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);

	state ^= state >> 29;
	return state ? state : 1;
}

#endif

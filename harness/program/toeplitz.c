// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The Toeplitz hash: the sum of one window of the key for each bit that is set.
 */
#include "program/toeplitz.h"
#include "program/program.h"

uint32_t toeplitz_hash(const uint8_t *byte, unsigned int n)
{
	static const uint8_t key[TOEPLITZ_KEY_BYTES] = {HASH_KEY};
	uint32_t window = 0, hash = 0;

	for (unsigned int i = 0; i < 4; i++)
		window = window << 8 | key[i];
	for (unsigned int bit = 0; bit < 8 * n; bit++) {
		unsigned int next = bit + 32;

		if (byte[bit / 8] >> (7 - bit % 8) & 1)
			hash ^= window;
		window = window << 1 |
			 (key[next / 8 % TOEPLITZ_KEY_BYTES] >> (7 - next % 8) &
			  1);
	}
	return hash;
}

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A set of small numbers: the fields of a family from its first on, or verbs.
 */
#ifndef IBVET_BITS_H
#define IBVET_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define BITS_WORDS 4
#define BITS_MAX   (64 * BITS_WORDS)

struct bits {
	uint64_t word[BITS_WORDS];
};

static inline void bits_add(struct bits *b, unsigned int n)
{
	b->word[n / 64] |= UINT64_C(1) << (n % 64);
}

static inline void bits_drop(struct bits *b, unsigned int n)
{
	b->word[n / 64] &= ~(UINT64_C(1) << (n % 64));
}

static inline bool bits_has(const struct bits *b, unsigned int n)
{
	return b->word[n / 64] >> (n % 64) & 1;
}

/* Returns the first member from n on, or BITS_MAX. */
static inline unsigned int bits_from(const struct bits *b, unsigned int n)
{
	for (; n < BITS_MAX; n = (n / 64 + 1) * 64)
		if (b->word[n / 64] >> (n % 64))
			return n + (unsigned int)__builtin_ctzll(
					   b->word[n / 64] >> (n % 64));
	return BITS_MAX;
}

/* Returns bits `first` to `first` + n - 1; n is less than 64. */
static inline uint64_t bits_part(const struct bits *b, unsigned int first,
				 unsigned int n)
{
	unsigned int word = first / 64, shift = first % 64;
	uint64_t part = b->word[word] >> shift;

	if (shift && word + 1 < BITS_WORDS)
		part |= b->word[word + 1] << (64 - shift);
	return part & ((UINT64_C(1) << n) - 1);
}

static inline bool bits_none(const struct bits *b)
{
	for (int i = 0; i < BITS_WORDS; i++)
		if (b->word[i])
			return false;
	return true;
}

static inline bool bits_meet(const struct bits *a, const struct bits *b)
{
	for (int i = 0; i < BITS_WORDS; i++)
		if (a->word[i] & b->word[i])
			return true;
	return false;
}

#endif

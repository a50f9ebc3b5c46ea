// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fills and describes memory. A word of a pattern is an invertible mix of a
 * mark, the number of the pattern and the number of the word; describing memory
 * inverts the mix. The same bytes always have the same description.
 */
#include <endian.h>
#include <string.h>
#include "program/pattern.h"

/* part: pattern_word pattern_bytes mix */
#define MARK	  UINT64_C(0x1b7e7) /* in the bits above a word's number */
#define WORD_BITS 28
#define MARK_BITS 32

/* The finalizer of splitmix64. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Returns bytes 8 * word to 8 * word + 7, the first as the lowest. */
static uint64_t pattern_word(uint32_t pattern, uint64_t word)
{
	uint64_t mask = (UINT64_C(1) << WORD_BITS) - 1;

	if (pattern == PATTERN_ZEROS)
		return 0;
	return mix(MARK << MARK_BITS |
		   (uint64_t)(pattern % PATTERNS) << WORD_BITS | (word & mask));
}

uint64_t pattern_bytes(uint32_t pattern, uint64_t from)
{
	unsigned int shift = (unsigned int)(from % 8) * 8;
	uint64_t low = pattern_word(pattern, from / 8);

	if (!shift)
		return low;
	return low >> shift | pattern_word(pattern, from / 8 + 1)
				      << (64 - shift);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the number of bytes to the next word of the pattern. */
static uint64_t to_word(uint64_t from, uint64_t length)
{
	return least(-from % 8, length);
}

/* part: pattern_fill */
static void store(unsigned char *at, uint64_t value, uint64_t n)
{
	value = htole64(value);
	memcpy(at, &value, n);
}

void pattern_fill(void *memory, uint32_t pattern, uint64_t from,
		  uint64_t length)
{
	uint64_t done = to_word(from, length);
	unsigned char *at = memory;

	store(at, pattern_bytes(pattern, from), done);
	for (; length - done >= 8; done += 8)
		store(at + done, pattern_word(pattern, (from + done) / 8), 8);
	store(at + done, pattern_word(pattern, (from + done) / 8),
	      length - done);
}

/* part: pattern_describe */
/* The inverse of mix(). */
static uint64_t unmix(uint64_t x)
{
	x = (x ^ (x >> 31) ^ (x >> 62)) * UINT64_C(0x319642b2d24d8ec3);
	x = (x ^ (x >> 27) ^ (x >> 54)) * UINT64_C(0x96de1b173f119089);
	return x ^ (x >> 30) ^ (x >> 60);
}

static uint64_t load(const unsigned char *at, uint64_t n)
{
	uint64_t value = 0;

	memcpy(&value, at, n);
	return le64toh(value);
}

/* Returns how many of the n bytes, at most eight, are those of the word. */
static uint64_t alike(const unsigned char *at, uint64_t word, uint64_t n)
{
	uint64_t differ = word ^ load(at, n);

	if (!differ)
		return n;
	return least((uint64_t)__builtin_ctzll(differ) / 8, n);
}

/* Returns how many bytes from here on belong to the pattern. */
static uint64_t matching(const unsigned char *at, uint64_t length,
			 uint32_t pattern, uint64_t from)
{
	uint64_t head = to_word(from, length);
	uint64_t done = alike(at, pattern_bytes(pattern, from), head);

	if (done < head)
		return done;
	while (length - done >= 8 &&
	       load(at + done, 8) == pattern_word(pattern, (from + done) / 8))
		done += 8;
	return done + alike(at + done, pattern_word(pattern, (from + done) / 8),
			    least(8, length - done));
}

/* Returns true if the eight bytes are a word of a pattern, and which. */
static bool is_word(uint64_t bytes, struct memory_run *run)
{
	uint64_t x = unmix(bytes);

	run->pattern = (uint32_t)(x >> WORD_BITS) % PATTERNS;
	run->from = (x & ((UINT64_C(1) << WORD_BITS) - 1)) * 8;
	return x >> MARK_BITS == MARK && run->pattern;
}

/* Finds the pattern that the bytes belong to: one of its words begins within
 * the next eight bytes, and the bytes before the word fit, too. */
static bool find_pattern(const unsigned char *at, uint64_t length,
			 struct memory_run *run)
{
	for (uint64_t skip = 0; skip < 8 && skip + 8 <= length; skip++) {
		if (!is_word(load(at + skip, 8), run) || run->from < skip)
			continue;
		run->from -= skip;
		run->length = matching(at, length, run->pattern, run->from);
		if (run->length >= skip + 8)
			return true;
	}
	return false;
}

#define FEW 8 /* fewer zeros are not described by themselves */

static bool find_zeros(const unsigned char *at, uint64_t length,
		       struct memory_run *run)
{
	*run = (struct memory_run){.pattern = PATTERN_ZEROS};
	run->length = matching(at, length, PATTERN_ZEROS, 0);
	return run->length >= least(FEW, length) && run->length;
}

static bool find_known(const unsigned char *at, uint64_t length,
		       struct memory_run *run)
{
	return find_zeros(at, length, run) || find_pattern(at, length, run);
}

static void find_run(const unsigned char *at, uint64_t length,
		     struct memory_run *run)
{
	struct memory_run next;
	uint64_t n = 1;

	if (find_known(at, length, run))
		return;
	while (n < length && !find_known(at + n, length - n, &next))
		n++;
	*run = (struct memory_run){
		.length = n,
		.pattern = PATTERN_RAW,
		.from = load(at, least(n, 8)),
	};
}

static uint64_t checksum(const unsigned char *at, uint64_t length)
{
	uint64_t sum = mix(length + 1), done;

	for (done = 0; done + 8 <= length; done += 8)
		sum = mix(sum ^ load(at + done, 8));
	return mix(sum ^ load(at + done, length - done));
}

void pattern_describe(const void *memory, uint64_t length, uint64_t base,
		      struct memory_view *view)
{
	const unsigned char *at = memory;
	struct memory_run run;

	*view = (struct memory_view){.checksum = checksum(at, length)};
	for (uint64_t done = 0; done < length; done += run.length) {
		find_run(at + done, length - done, &run);
		run.at = base + done;
		if (view->count < MEMORY_RUNS)
			view->run[view->count] = run;
		view->count++;
	}
}

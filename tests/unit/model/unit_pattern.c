// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Patterns: filled memory is recognised wherever it lies and however it is cut,
 * and every changed byte is found.
 */
#include <string.h>
#include "program/pattern.h"
#include "tests/unit/tap.h"

static unsigned char memory[4096];
static struct memory_view view;

static bool is_run(unsigned int n, uint64_t at, uint64_t length,
		   uint32_t pattern, uint64_t from)
{
	const struct memory_run *run = &view.run[n];

	return run->at == at && run->length == length &&
	       run->pattern == pattern && run->from == from;
}

static void describe(uint64_t length, uint64_t base)
{
	pattern_describe(memory, length, base, &view);
}

static void test_whole(void)
{
	bool all = true;

	for (uint32_t pattern = 1; pattern < PATTERNS; pattern++) {
		pattern_fill(memory, pattern, 0, sizeof(memory));
		describe(sizeof(memory), 0);
		all &= view.count == 1 &&
		       is_run(0, 0, sizeof(memory), pattern, 0);
	}
	ok(all, "each pattern is one run");
	pattern_fill(memory, 0, 0, sizeof(memory));
	describe(sizeof(memory), 100);
	ok(view.count == 1 && is_run(0, 100, sizeof(memory), 0, 0),
	   "so are zeros, from a base on");
	describe(0, 0);
	ok(view.count == 0, "nothing has no run");
}

/* 64 bytes of one pattern inside another pattern, from and to every offset. A
 * byte at the edge may fit both patterns. */
static void test_places(void)
{
	bool all = true;

	for (uint64_t at = 16; at < 48; at++) {
		for (uint64_t from = 0; from < 40; from++) {
			pattern_fill(memory, 2, 0, 512);
			pattern_fill(memory + at, 1, from, 64);
			describe(512, 0);
			all &= view.count == 3 && view.run[1].pattern == 1 &&
			       view.run[1].at - at < 4 &&
			       view.run[1].at - at == view.run[1].from - from;
		}
	}
	ok(all, "a piece of a pattern is found at any place");
	pattern_fill(memory, 2, 0, 512);
	pattern_fill(memory + 100, 3, PATTERN_SPAN - 64, 64);
	describe(512, 0);
	ok(view.count == 3 && is_run(1, 100, 64, 3, PATTERN_SPAN - 64),
	   "so is its end");
}

static void test_bytes(void)
{
	uint64_t before;
	bool all = true, same;

	pattern_fill(memory, 2, 0, 512);
	describe(512, 0);
	before = view.checksum;
	for (unsigned int i = 0; i < 512; i++) {
		memory[i] ^= 1;
		describe(512, 0);
		all &= view.checksum != before && view.count > 1;
		memory[i] ^= 1;
	}
	ok(all, "each byte that changes shows");
	describe(512, 0);
	same = view.checksum == before;
	describe(511, 0);
	ok(same && view.checksum != before, "the checksum has the length");
	memcpy(memory + 64, "seventeen letters", 17);
	describe(512, 0);
	ok(view.count == 3 && view.run[1].pattern == PATTERN_RAW &&
		   view.run[1].length == 17 &&
		   view.run[1].from == UINT64_C(0x6565746e65766573),
	   "what is no pattern is raw");
}

static void test_words(void)
{
	bool all = true;

	pattern_fill(memory, 7, 0, 256);
	for (uint64_t from = 0; from < 200; from++) {
		uint64_t bytes = pattern_bytes(7, from);

		for (int i = 0; i < 8; i++)
			all &= memory[from + (uint64_t)i] ==
			       (unsigned char)(bytes >> (8 * i));
	}
	ok(all, "eight bytes from any place");
}

int main(void)
{
	test_whole();
	test_places();
	test_bytes();
	test_words();
	return tap_end();
}

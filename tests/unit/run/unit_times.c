/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The packed times of a run's cases: what was written is read, to five in a
 * hundred, and bytes that were cut off end the reading.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "reports/history/times.h"
#include "tests/unit/tap.h"

#define CASES 20000

static uint32_t id_of[CASES];
static uint64_t us_of[CASES];

static void fill(void)
{
	uint32_t id = 0;

	srand(1);
	for (int i = 0; i < CASES; i++) {
		unsigned int shift = (unsigned int)rand() % 17;

		id += 1 + (uint32_t)rand() % (1u << shift);
		id_of[i] = id;
		us_of[i] = (uint64_t)rand() >> (unsigned int)rand() % 31;
	}
}

static bool is_near(uint64_t us, uint64_t told)
{
	uint64_t apart = us > told ? us - told : told - us;

	return apart * 20 <= us + 20;
}

/* Returns how many cases are as they were written, from the first on. */
static int read_back(const uint8_t *bytes, size_t n)
{
	struct times_reader r = {.at = bytes, .end = bytes + n};
	uint32_t id;
	uint8_t level;
	int same = 0;

	while (times_next(&r, &id, &level) && same < CASES &&
	       id == id_of[same] && is_near(us_of[same], times_us(level)))
		same++;
	return same;
}

int main(void)
{
	struct times_writer w = {0};
	bool short_good = true;
	uint8_t *copy;

	fill();
	for (int i = 0; i < CASES; i++)
		times_add(&w, id_of[i], us_of[i]);
	ok(!w.failed && read_back(w.bytes, w.n) == CASES,
	   "each case and its time are read back");
	for (size_t n = 0; n < 40; n++) {
		copy = malloc(n + 1);
		memcpy(copy, w.bytes, n);
		short_good &= read_back(copy, n) <= (int)n / 2;
		free(copy);
	}
	ok(short_good, "bytes that are cut off are not read");
	ok(!read_back((const uint8_t *)"\xff\xff\xff\xff\xff", 5),
	   "a number without end is none");
	ok(times_us(UINT8_MAX) > 3600u * 1000000, "an hour can be told");
	free(w.bytes);
	return tap_end();
}
